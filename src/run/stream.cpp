#include "omvc/stream.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "omvc/error.hpp"
#include "omvc/sink.hpp"

#include "chunk/rows.hpp"
#include "device/device.hpp"
#include "file/file_lock.hpp"
#include "run/learner.hpp"
#include "run/model_file.hpp"
#include "run/usage.hpp"
#include "run/waiting_rows.hpp"

namespace omvc {
namespace {

Chunk part_of(const Chunk& chunk, Index first, Index count) {
  std::vector<Index> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return take_instances(chunk, positions);
}

// Without features that are newer than what labels.
Chunk known_part(Chunk chunk, const Schema& schema) {
  drop_features(chunk, schema);
  return chunk;
}

// Throws ErrorKind::data unless the views of a chunk agree with its rows; what their values are, each row is asked for.
void check_form(const Chunk& chunk, const Schema& schema) {
  if (chunk.views.size() != schema.views.size()) {
    throw Error(ErrorKind::data,
                fmt::format("the rows have {} views where the stream has {}: bring them to its schema, "
                            "or widen() the stream first",
                            chunk.views.size(), schema.views.size()));
  }
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const ChunkView& view = chunk.views[v];
    bool sound = block_rows(view.block) == static_cast<Index>(view.present.size());
    Index last = -1;
    for (const Index at : view.present) {
      sound = sound && at > last && at < chunk.size();
      last = at;
    }
    if (sound) continue;
    throw Error(ErrorKind::data,
                fmt::format("view {} of the rows is not well formed: it has {} rows, and `present` must have an "
                            "ascending position below {} for each of them",
                            schema.views[v].name, block_rows(view.block), chunk.size()));
  }
}

Schema numbered_views(const Chunk& chunk) {
  Schema schema;
  for (const ChunkView& view : chunk.views) {
    schema.views.push_back({fmt::format("view{}", schema.views.size() + 1), block_cols(view.block), {}});
  }
  return schema;
}

void check(const StreamOptions& options) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorKind::usage, message); };
  if (options.file.empty()) refuse("a stream needs a file for its model");
  if (options.rows < 1) refuse("rows are learned one at a time or more");
  if (!(options.seconds >= 0) || !(options.save_seconds >= 0)) refuse("times cannot be negative");
  if (options.model.method != Algorithm::omvc) {
    refuse(fmt::format("only method omvc learns row by row, not {}", name_of(options.model.method)));
  }
  check_options(options.model);
}

}  // namespace

struct Stream::Impl {
  explicit Impl(StreamOptions chosen) : options(std::move(chosen)) {}

  void open();
  void begin(Model model, StreamRecord record);
  // What labels rows now; null before there are clusters.
  std::shared_ptr<const Labeller> labeller() const { return learner ? learner->placing() : only; }
  void label(const Chunk& chunk, StreamLabels& out);
  void place(const Chunk& chunk, StreamLabels& out);
  void add_labels(Index rows, int label, StreamLabels& out);
  static void add_membership(const Assignment& found, StreamLabels& out);
  std::vector<std::string> ids_for(const Chunk& chunk, const std::vector<std::string>& ids) const;
  void wait(const Chunk& chunk, std::span<const std::string> ids);
  bool enough_waits() const;
  void hand_over();
  void add_features(const Schema& wider);
  void widen(const Schema& wider);

  StreamOptions options;
  std::optional<FileLock> lock;
  std::optional<std::string> resumed;
  std::optional<UndeliveredRows> undelivered;
  std::optional<FileMark> mark;  // of the file when it was read
  Schema schema;
  std::vector<bool> sparse;
  Options model_options;
  std::unique_ptr<Learner> learner;      // where rows are learned, once a row has come
  std::shared_ptr<const Labeller> only;  // where they are not
  Compute compute{1};
  Index instances = 0;
  WaitingRows waiting;
  bool finished = false;
  Usage usage{
      "two threads use this Stream at the same time: call it from one thread, or one after the other under a lock of "
      "your own"};
};

void Stream::Impl::open() {
  check(options);
  if (options.learn) lock.emplace(options.file);
  model_options = options.model;
  std::error_code ignored;
  if (!std::filesystem::exists(options.file, ignored)) {
    if (!options.learn)
      throw Error(ErrorKind::io, options.file + ": there is no such model, and without one nothing can be labelled");
    check_writable(options.file);
    return;
  }
  if (options.learn) check_writable(options.file);
  mark = mark_of(options.file);
  StoredModel stored = load_model(options.file);
  schema = stored.model ? stored.model->seen().schema() : stored.setting.schema;
  sparse.assign(schema.views.size(), false);
  model_options = stored.setting.options;
  if (stored.model) {
    for (std::size_t v = 0; v < sparse.size(); ++v) {
      sparse[v] = stored.model->intake().kinds()[v] == Intake::Kind::sparse;
    }
    instances = static_cast<Index>(stored.model->tally().instances);
  }
  if (!options.learn) {
    only = stored.model ? std::shared_ptr<const Labeller>(stored.model->placer())
                        : std::make_shared<const CompareModel>(std::move(*stored.compared));
    if (only) return;
    throw Error(ErrorKind::usage, options.file + ": the model has no clusters yet: let it learn more rows first");
  }
  if (!stored.model || !stored.model->can_learn()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} does not go on learning, since it {}: label with it by --no-learn", options.file,
                            stored.model ? "was saved for prediction only"
                                         : fmt::format("is of method {}", name_of(model_options.method))));
  }
  if (stored.stream) {
    resumed = stored.stream->after;
    undelivered = std::exchange(stored.stream->undelivered, std::nullopt);
  }
  begin(std::move(*stored.model), stored.stream.value_or(StreamRecord{}));
}

void Stream::Impl::begin(Model model, StreamRecord record) {
  waiting.know(model.seen().schema());
  learner = std::make_unique<Learner>(std::move(model), Learner::Setup{.file = options.file,
                                                                       .save_seconds = options.save_seconds,
                                                                       .record = std::move(record),
                                                                       .mark = mark,
                                                                       .threads = options.model.threads,
                                                                       .hooks = options.hooks,
                                                                       .backend = make_backend(options.model)});
  if (learner->placing() && !options.in_step) learner->start();
}

void Stream::Impl::add_labels(Index rows, int label, StreamLabels& out) {
  out.labels.insert(out.labels.end(), static_cast<std::size_t>(rows), label);
  out.confidence.insert(out.confidence.end(), static_cast<std::size_t>(rows), kNan);
  out.distance.insert(out.distance.end(), static_cast<std::size_t>(rows), kNan);
  if (options.membership) out.membership.resize(out.labels.size());
}

void Stream::Impl::place(const Chunk& chunk, StreamLabels& out) {
  const std::shared_ptr<const Labeller> now = labeller();
  if (!now) {
    Chunk admitted = chunk;
    learner->model().intake().admit(admitted);
    const bool seen = std::any_of(chunk.views.begin(), chunk.views.end(),
                                  [](const ChunkView& view) { return !view.present.empty(); });
    return add_labels(chunk.size(), seen ? kNotYet : -1, out);
  }
  const Assignment found =
      now->label(known_part(chunk, now->schema()), {.embedding = false, .membership = options.membership}, compute);
  out.labels.insert(out.labels.end(), found.labels.begin(), found.labels.end());
  out.confidence.insert(out.confidence.end(), found.confidence.begin(), found.confidence.end());
  out.distance.insert(out.distance.end(), found.distance.begin(), found.distance.end());
  out.confidence.resize(out.labels.size(), kNan);
  out.distance.resize(out.labels.size(), kNan);
  if (options.membership) add_membership(found, out);
}

void Stream::Impl::add_membership(const Assignment& found, StreamLabels& out) {
  const std::size_t clusters = found.clusters.size();
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    std::vector<std::pair<int, double>>& row = out.membership.emplace_back();
    for (std::size_t k = 0; k < clusters && !std::isnan(found.membership[i * clusters]); ++k) {
      row.emplace_back(found.clusters[k], found.membership[i * clusters + k]);
    }
  }
}

// A row that the scaling refuses is found by taking the rows one by one.
void Stream::Impl::label(const Chunk& chunk, StreamLabels& out) {
  const std::size_t before = out.labels.size();
  try {
    return place(chunk, out);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    out.labels.resize(before);
    out.confidence.resize(before);
    out.distance.resize(before);
    if (options.membership) out.membership.resize(before);
    if (chunk.size() == 1) {
      out.refused.emplace_back(static_cast<Index>(before), error.what());
      return add_labels(1, -1, out);
    }
  }
  for (Index i = 0; i < chunk.size(); ++i) label(part_of(chunk, i, 1), out);
}

std::vector<std::string> Stream::Impl::ids_for(const Chunk& chunk, const std::vector<std::string>& ids) const {
  if (static_cast<Index>(ids.size()) == chunk.size()) return ids;
  if (!ids.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} ids were given for {} rows: give one for each row, or none", ids.size(), chunk.size()));
  }
  std::vector<std::string> numbers;
  for (Index i = 0; i < chunk.size(); ++i) numbers.push_back(std::to_string(instances + i));
  return numbers;
}

void Stream::Impl::wait(const Chunk& chunk, std::span<const std::string> ids) {
  if (!waiting.fits(chunk)) hand_over();
  waiting.add(chunk, ids, instances, schema);
  instances += chunk.size();
}

bool Stream::Impl::enough_waits() const {
  if (!labeller() || waiting.size() >= options.rows) return true;
  // However long they may wait, wide rows must not fill the memory; in step nothing but their number decides.
  constexpr double kShare = 0.25;
  return !options.in_step && waiting.bytes() > kShare * model_options.memory * (1 << 20);
}

void Stream::Impl::hand_over() {
  if (waiting.size() == 0) return;
  const bool had = learner->placing() != nullptr;
  WaitingRows::Batch batch = waiting.take(schema);
  learner->learn(std::move(batch.rows), std::move(batch.ids), std::move(batch.features));
  if (!had && learner->placing() && !options.in_step) learner->start();
}

Stream::Stream(StreamOptions options) : impl_(std::make_unique<Impl>(std::move(options))) { impl_->open(); }
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;

Stream::Impl& Stream::impl() const {
  if (impl_) return *impl_;
  throw Error(ErrorKind::usage, "this Stream was moved from: use the one that it was moved to");
}

const std::optional<std::string>& Stream::resumed_after() const { return impl().resumed; }
const std::optional<UndeliveredRows>& Stream::undelivered() const { return impl().undelivered; }
const Options& Stream::options() const { return impl().model_options; }
const Schema& Stream::schema() const { return impl().schema; }
std::vector<bool> Stream::sparse() const { return impl().sparse; }
bool Stream::has_clusters() const { return impl().labeller() != nullptr; }
Index Stream::instances() const { return impl().instances; }

void Stream::Impl::add_features(const Schema& wider) {
  bool fits = options.learn && wider.views.size() == schema.views.size();
  for (std::size_t v = 0; fits && v < schema.views.size(); ++v) {
    const ViewSchema& view = wider.views[v];
    fits =
        view.features == schema.views[v].features ||
        (view.features > schema.views[v].features && static_cast<Index>(view.feature_names.size()) == view.features &&
         static_cast<Index>(schema.views[v].feature_names.size()) == schema.views[v].features);
  }
  if (!fits) throw Error(ErrorKind::usage, "a model that has clusters gets no more views, nor features of dense views");
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    ViewSchema& view = schema.views[v];
    const std::vector<std::string>& names = wider.views[v].feature_names;
    view.feature_names.insert(view.feature_names.end(),
                              names.begin() + static_cast<std::ptrdiff_t>(view.feature_names.size()), names.end());
    view.features = wider.views[v].features;
  }
  waiting.widen(schema);
}

void Stream::Impl::widen(const Schema& wider) {
  if (labeller()) return add_features(wider);
  if (!options.learn) throw Error(ErrorKind::usage, "a model that does not learn gets no more views or features");
  if (!learner) {
    Setting setting{.options = model_options, .schema = {}, .scaling = {}, .clipped = {}};
    setting.start(wider);
    begin(Model(model_options, wider), {});
  } else {
    learner->widen(wider);
    waiting.know(wider);
  }
  schema = wider;
}

void Stream::widen(const Schema& wider) {
  const Usage::Change change(impl().usage);
  impl().widen(wider);
}

StreamLabels Stream::push(Chunk chunk, const std::vector<std::string>& given_ids) {
  Impl& own = impl();
  const Usage::Change change(own.usage);
  if (own.finished) throw Error(ErrorKind::usage, "this stream is finished: open another one to go on");
  const std::vector<std::string> ids = own.ids_for(chunk, given_ids);
  StreamLabels out;
  if (own.schema.views.empty() && chunk.views.empty()) {  // rows without any view, before there was one
    own.add_labels(chunk.size(), -1, out);
    return out;
  }
  if (own.schema.views.empty()) own.widen(numbered_views(chunk));
  check_form(chunk, own.schema);
  for (Index first = 0; first < chunk.size();) {
    Index count = chunk.size() - first;
    const bool learns = own.options.learn;
    if (learns) count = std::min(count, own.labeller() ? own.options.rows - own.waiting.size() : 1);
    const Chunk some = count < chunk.size() ? part_of(chunk, first, count) : Chunk();
    const Chunk& part = count < chunk.size() ? some : chunk;
    const std::size_t refused = out.refused.size();
    own.label(part, out);
    if (learns && out.refused.size() == refused) {
      own.wait(part, std::span(ids).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    } else if (learns) {
      std::vector<Index> taken;
      std::vector<std::string> taken_ids;
      for (Index i = 0; i < count; ++i) {
        const auto is_row = [&](const auto& row) { return row.first == first + i; };
        if (std::any_of(out.refused.begin(), out.refused.end(), is_row)) continue;
        taken.push_back(i);
        taken_ids.push_back(ids[static_cast<std::size_t>(first + i)]);
      }
      if (!taken.empty()) own.wait(take_instances(part, taken), taken_ids);
    }
    if (learns && own.enough_waits()) own.hand_over();
    first += count;
  }
  return out;
}

std::optional<double> Stream::due() const {
  if (impl().waiting.size() == 0 || impl().options.in_step) return std::nullopt;
  return std::max(0.0, impl().options.seconds - impl().waiting.seconds());
}

void Stream::tick() {
  const Usage::Change change(impl().usage);
  if (!impl().learner) return;
  if (const auto left = due(); left && *left <= 0) impl().hand_over();
  impl().learner->tick();
}

bool Stream::busy() const { return impl().learner && impl().learner->busy(); }

std::vector<StreamEvent> Stream::events() {
  const Usage::Change change(impl().usage);
  return impl().learner ? impl().learner->take_events() : std::vector<StreamEvent>{};
}

void Stream::save() {
  const Usage::Change change(impl().usage);
  if (!impl().learner) return;
  if (!impl().options.in_step) impl().hand_over();
  impl().learner->save_soon();
}

void Stream::finish() {
  const Usage::Change change(impl().usage);
  impl().finished = true;
  if (!impl().learner) return;
  impl().hand_over();
  impl().learner->finish();
}

void Stream::note_undelivered(UndeliveredRows rows) {
  const Usage::Change change(impl().usage);
  if (impl().learner) impl().learner->note_undelivered(std::move(rows));
}

}  // namespace omvc
