#include "omvc/plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "chunk/rows.hpp"
#include "run/model_file.hpp"
#include "run/plan_bytes.hpp"
#include "run/results.hpp"
#include "source/ahead/chunk_stream.hpp"

namespace omvc {
namespace {

// The rows of a part with their numbers in all the data.
class PartSource final : public Source {
 public:
  PartSource(Source& part, Index first, const Schema& schema) : part_(part), first_(first) {
    if (first < 0) throw Error(ErrorKind::usage, fmt::format("a part cannot begin at row {}", first));
    if (part.schema() == schema) return;
    throw Error(ErrorKind::data, "a part of the data has other views or features than the plan; match them first");
  }
  const Schema& schema() const override { return part_.schema(); }
  bool rewind() override { return false; }
  std::optional<Chunk> next(Index max_rows) override {
    std::optional<Chunk> chunk = part_.next(max_rows);
    if (!chunk) return chunk;
    for (Index& row : chunk->rows) {
      if (row != seen_++) throw Error(ErrorKind::data, "the rows of a part have to come in the order of their numbers");
      row += first_;
    }
    return chunk;
  }

 private:
  Source& part_;
  Index first_;
  Index seen_ = 0;
};

void check_go_on(bool go_on) {
  if (!go_on) throw Error(ErrorKind::interrupted, "interrupted; this step of the plan is not done");
}

// Threads that ask the observer from time to time.
class WatchedWorkers {
 public:
  WatchedWorkers(const Options& options, Observer& observer) : workers_(options.threads) {
    workers_.set_poll([&observer] { check_go_on(observer.on_wait()); });
  }
  operator Workers&() { return workers_; }

 private:
  Workers workers_;
};

bool is_single(const Block& block) {
  return std::visit([](const auto& X) { return std::is_same_v<typename std::decay_t<decltype(X)>::Scalar, float>; },
                    block);
}

// Rows as they are in the sample, whose precision shows in the last bits.
void scale_as_sample(Chunk& chunk, const PlanState& living) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    Block& block = chunk.views[v].block;
    block = living.single[v] != 0 ? narrowed(std::move(block)) : widened(std::move(block));
  }
  living.model->scale(chunk);
}

}  // namespace

Plan::Plan(Options options, Schema schema) : options_(std::move(options)), schema_(std::move(schema)) {
  check_options(options_);
  if (options_.method != Algorithm::omvc) {
    throw Error(ErrorKind::usage, fmt::format("method {} cannot be divided among parts of the data: only omvc can",
                                              name_of(options_.method)));
  }
  if (options_.half_life > 0) {
    throw Error(ErrorKind::usage, "with a half-life data are a stream, which cannot be divided: leave it out");
  }
  Setting setting{.options = options_, .schema = {}, .scaling = {}, .clipped = {}};
  setting.start(schema_);
}

std::string Plan::look(Source& part, Index first, Observer& observer) const {
  WatchedWorkers workers(options_, observer);
  PartSource source(part, first, schema_);
  Look look(options_, schema_, first);
  look_at(source, look, observer, workers);
  Archive archive;
  look.save(archive);
  return plan_bytes(std::move(archive), "look", *this);
}

std::string Plan::merge_looks(const std::string& one, const std::string& other) const {
  return plan_bytes(
      omvc::merge_looks(plan_archive(one, "look", *this), plan_archive(other, "look", *this), options_, schema_),
      "look", *this);
}

std::string Plan::ranks(const std::string& look) const {
  const Look loaded = Look::load(plan_archive(look, "look", *this), options_, schema_);
  return ranking_bytes(Reservoir::cut(loaded.sample.ranking(), reservoir_options(options_)), *this);
}

std::string Plan::merge_ranks(const std::string& one, const std::string& other) const {
  Reservoir::Ranking all = ranking_from(one, *this);
  const Reservoir::Ranking more = ranking_from(other, *this);
  all.insert(all.end(), more.begin(), more.end());
  return ranking_bytes(Reservoir::cut(std::move(all), reservoir_options(options_)), *this);
}

std::string Plan::trim(const std::string& look, const std::string& ranks) const {
  Look loaded = Look::load(plan_archive(look, "look", *this), options_, schema_);
  Workers workers(options_.threads);
  loaded.sample.keep_below(ranking_from(ranks, *this), workers);
  Archive archive;
  loaded.save(archive);
  return plan_bytes(std::move(archive), "look", *this);
}

std::string Plan::make(const std::string& look, Observer& observer) const {
  WatchedWorkers workers(options_, observer);
  Look loaded = Look::load(plan_archive(look, "look", *this), options_, schema_);
  if (!loaded.survey.gapless()) {
    throw Error(ErrorKind::data,
                "the looks at some parts of the data are missing, or parts have other places than they were given");
  }
  PlanState living{.setting = {.options = options_, .schema = {}, .scaling = {}, .clipped = {}}, .state = {}};
  auto& [setting, state, passes, model, single] = living;
  setting.start(schema_);
  model.emplace(options_, schema_);
  FirstLook all{.survey = Survey(schema_),
                .fingerprint = loaded.fingerprint,
                .order = loaded.order,
                .instances = loaded.instances};
  model->take(std::move(loaded), workers);
  all.survey = model->survey();
  check_survey(all.survey, schema_, options_);
  note_look(all, setting, state);
  make_living(*model, setting, workers);
  passes = model->whole() ? 0 : options_.passes;
  if (model->whole()) {
    count_sample(*model, setting, state);
    for (const ChunkView& view : model->reservoir().chunks().front().views) single.push_back(is_single(view.block));
  }
  state.report.candidates = model->candidates();
  state.position.labelling = passes == 0;
  return living.bytes(true, *this);
}

bool Plan::wants_pass(const std::string& state) const {
  const Archive archive = plan_archive(state, "state task", *this);
  const std::vector<Index>& position = archive.integers("checkpoint/position");
  return position.size() > 1 && position[1] == 0;
}

std::string Plan::task(const std::string& state) const {
  return PlanState::from(state, "state", *this).bytes(false, *this);
}

std::string Plan::count(const std::string& task, Source& part, Index first, Observer& observer) const {
  WatchedWorkers workers(options_, observer);
  PlanState living = PlanState::from(task, "task", *this);
  if (living.state.position.labelling) throw Error(ErrorKind::usage, "no pass is left to count: label the parts");
  PartSource source(part, first, schema_);
  Model& model = *living.model;
  const std::size_t views = schema_.views.size();
  PassSums sums{.present = std::vector<Index>(views, 0), .clipped = std::vector<Index>(views, 0)};
  model.begin_pass();
  ChunkStream stream(source, schema_, living.state.report.chunk, &living.setting.scaling,
                     {.readers = readers_beside(options_.threads)});
  while (const std::optional<StreamedChunk> item = stream.next()) {
    const PreparedChunk data(item->chunk);
    model.count(data, workers);
    for (std::size_t v = 0; v < views; ++v) {
      sums.present[v] += data.views[v].rows();
      sums.clipped[v] += item->negatives[v];
    }
    sums.observed += std::count(data.observed.begin(), data.observed.end(), true);
    sums.order += order_hash(first + sums.instances, item->chunk);
    sums.fingerprint += item->fingerprint;
    sums.instances += item->chunk.size();
    sums.last = first + sums.instances;
    ++sums.chunks;
    ++sums.rounds;
    check_go_on(observer.on_chunk({.pass = living.state.position.pass,
                                   .chunk = sums.chunks,
                                   .instances = sums.instances,
                                   .loss = model.placing().mean_distance(),
                                   .rounds = 1}));
  }
  Archive archive;
  sums.put(archive);
  model.save_counted(archive);
  return plan_bytes(std::move(archive), "counts", *this);
}

std::string Plan::merge_counts(const std::string& one, const std::string& other) const {
  Archive sum = plan_archive(one, "counts", *this);
  merge_passes(sum, plan_archive(other, "counts", *this), schema_.views.size());
  return plan_bytes(std::move(sum), "counts", *this);
}

std::string Plan::end_pass(const std::string& state, const std::string& counts) const {
  Workers workers(options_.threads);
  PlanState living = PlanState::from(state, "state", *this);
  FitPosition& position = living.state.position;
  Report& report = living.state.report;
  if (position.labelling) throw Error(ErrorKind::usage, "no pass is left to end: label the parts");
  take_pass(plan_archive(counts, "counts", *this), *living.model, living.setting, living.state);
  check_pass(living.state, position.pass, position.report.instances, position.fingerprint, position.order);
  report.unobserved = report.instances - living.state.counts.observed;
  if (position.pass < living.passes) living.model->end_pass(workers);
  PassReport& result = position.report;
  result.pass = position.pass;
  result.chunks = position.chunks;
  result.loss = result.error = report.loss = living.model->placing().mean_distance();
  report.passes.push_back(result);
  const int next = position.pass + 1;
  position = {};
  position.pass = next;
  position.labelling = next > living.passes;
  if (position.labelling) finish_living(*living.model, workers);
  return living.bytes(true, *this);
}

std::string Plan::label(const std::string& task, Source& part, Index first, Sink& sink, Observer& observer) const {
  WatchedWorkers workers(options_, observer);
  const PlanState living = PlanState::from(task, "task", *this);
  if (!living.state.position.labelling)
    throw Error(ErrorKind::usage, "a pass is left to count before parts are labelled");
  PartSource source(part, first, schema_);
  const Model& model = *living.model;
  const bool counted = living.passes > 0;
  LabelTally out{.counts = {.tally = Tally(model.clusters().numbers, kOutlier), .patterns = {}}};
  ChunkStream stream(source, schema_, std::max(living.state.report.chunk, kLabelRows),
                     counted ? &living.setting.scaling : nullptr, {.readers = readers_beside(options_.threads)});
  while (std::optional<StreamedChunk> item = stream.next()) {
    Chunk& chunk = item->chunk;
    const std::uint64_t order = order_hash(first + out.instances, chunk);
    if (!counted) scale_as_sample(chunk, living);
    const PreparedChunk data(chunk);
    Placed placed = model.place(data, workers);
    for (double& distance : placed.distance) {
      // As rows are labelled that were counted: where every member lies on its prototype, no distance is unusual.
      if (counted && std::isinf(distance)) distance = 0;
    }
    Matrix rows;
    if (sink.wants_embedding()) rows = model.embed(data, workers);
    for (Index i = 0; i < chunk.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (rows.size() > 0 && !data.observed[at]) rows.row(i).setConstant(std::numeric_limits<double>::quiet_NaN());
      out.counts.tally.add(first + out.instances + i, placed.labels[at], placed.confidence[at], placed.distance[at]);
    }
    out.counts.patterns.add(chunk, placed.labels);
    sink.write(
        {out.instances, placed.labels, {rows.data(), chunk.size(), rows.cols()}, placed.confidence, placed.distance});
    out.order += order;
    out.fingerprint += item->fingerprint;
    out.instances += chunk.size();
    check_go_on(observer.on_chunk({.pass = std::max(1, living.passes), .instances = out.instances, .labelling = true}));
  }
  sink.finish();
  return out.bytes(*this);
}

std::string Plan::merge_tallies(const std::string& one, const std::string& other) const {
  LabelTally sum = LabelTally::from(one, *this);
  const LabelTally more = LabelTally::from(other, *this);
  sum.counts.merge(more.counts);
  sum.instances += more.instances;
  sum.fingerprint += more.fingerprint;
  sum.order += more.order;
  return sum.bytes(*this);
}

std::pair<std::string, Report> Plan::finish(const std::string& state, const std::string& tally) const {
  PlanState living = PlanState::from(state, "state", *this);
  const LabelTally all = LabelTally::from(tally, *this);
  Report& report = living.state.report;
  Model& model = *living.model;
  check_pass(living.state, living.state.position.pass, all.instances, all.fingerprint, all.order);
  model.set_negatives(living.setting.clipped);
  report_living(model, living.setting, living.state);
  report.fingerprint = living.state.fingerprint;
  warn_of_views(report);
  const std::size_t clusters = report.cluster_numbers.size();
  all.counts.report(report);
  if (report.cluster_numbers.size() != clusters) throw Error(ErrorKind::data, "the tally is not of this model");
  model.set_sizes({report.cluster_sizes.begin(), report.cluster_sizes.end()});
  return {model_archive(model, true).to_bytes(), report};
}

}  // namespace omvc
