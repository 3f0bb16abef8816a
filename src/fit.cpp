#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "checkpoint.hpp"
#include "chunk/fingerprint.hpp"
#include "engine.hpp"
#include "first_look.hpp"
#include "presence_patterns.hpp"
#include "results.hpp"
#include "source/ahead/chunk_stream.hpp"

namespace omvc {
namespace {

constexpr Index kLabelRows = 256;  // instances labelled at a time, at least

class Clock {
 public:
  explicit Clock(double before = 0) : before_(before) {}
  double seconds() const {
    return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One fit, from the first look at the data to the results.
class FitRun {
 public:
  FitRun(Engine& engine, Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing)
      : engine_(engine),
        source_(source),
        sink_(sink),
        observer_(observer),
        keep_(checkpointing),
        due_(checkpointing),
        profile_(engine.workers->profile()) {}

  Report run() {
    profile_.start();
    again_ = source_.rewind();
    const std::optional<Archive> left = last_checkpoint();
    if (left) {
      resume_from(*left);
    } else {
      begin();
    }
    while (!position_.labelling && position_.pass <= passes_ && !report_.stopped) run_pass();
    if (report_.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
    if (!report_.stopped && method_->labels_again()) label_all();
    finish();
    report_.profile = profile_.report();
    report_.seconds = profile_.total();
    return report_;
  }

 private:
  void begin();
  void resume_from(const Archive& archive);
  void resume(const Archive& archive);
  std::optional<Archive> last_checkpoint();
  void make_method();
  void checkpoint();

  template <class F>
  bool stream_chunks(Index rows, const F& use);
  PreparedChunk prepare(const Chunk& chunk);
  void take_products() { add_products(profile_.take_products(), position_.report.products); }
  void run_pass();
  void label_all();
  void check_instances(bool complete);

  void finish();

  Engine& engine_;
  Source& source_;
  Sink& sink_;
  Observer& observer_;
  Checkpointing keep_;
  CheckpointClock due_;
  Profile& profile_;
  FitState state_;
  FitPosition& position_ = state_.position;
  Report& report_ = state_.report;
  StreamCounts& counts_ = state_.counts;
  RowFolder folder_;
  std::unique_ptr<Method> method_;
  std::optional<PresencePatterns> patterns_;
  int passes_ = 1;
  bool again_ = false;  // the source can be read again
  double bytes_ = 0;    // that all the data would take in memory, where that is known
};

// Looks at the data where they can be read again, and chooses what depends on them.
void FitRun::begin() {
  report_.clusters = engine_.options.clusters;
  passes_ = engine_.options.passes;
  if (again_) {
    const Timed timed(profile_, Step::first_look);
    const FirstLook look = look_at(source_, engine_.options, observer_);
    for (std::size_t v = 0; v < engine_.scaling.size(); ++v) {
      engine_.scaling[v] = engine_.scaling_of(v, look.survey.views[v]);
    }
    bytes_ = bytes_of(look.survey);
    report_.instances = static_cast<Index>(look.survey.instances);
    report_.chunk = choose_chunk(&look.survey);
    state_.fingerprint = look.fingerprint;
    state_.order = look.order;
  } else {
    passes_ = 1;
    report_.chunk = choose_chunk(nullptr);
    report_.warnings.push_back("The data can be read only once: one pass, scaled by the first chunk.");
  }
  if (engine_.options.chunk > 0) report_.chunk = engine_.options.chunk;
  counts_.squares.assign(engine_.schema.views.size(), 0.0);
  // What an older run left goes only now that this one is known to be possible.
  if (!keep_.file.empty()) start_checkpoint(keep_, folder_);
  make_method();
  observer_.on_start(report_, passes_);
  checkpoint();
}

void FitRun::make_method() {
  patterns_.emplace(engine_.schema.views.size(), folder_);
  method_ = omvc::make_method({.options = engine_.options,
                               .schema = engine_.schema,
                               .unit = engine_.unit_views(),
                               .dense = engine_.all_dense(),
                               .passes = passes_,
                               .again = again_,
                               .bytes = bytes_,
                               .rows = folder_,
                               .counts = &counts_});
  report_.rank = method_->rank();
  report_.views = engine_.views();
}

// The checkpoint to go on from.
std::optional<Archive> FitRun::last_checkpoint() {
  if (keep_.file.empty()) return std::nullopt;
  if (!again_) {
    throw Error(ErrorKind::usage,
                "a stream that can be read only once cannot be resumed: leave --checkpoint out, or "
                "write the data to a file first");
  }
  return open_checkpoint(keep_, folder_);
}

void FitRun::resume_from(const Archive& archive) {
  try {
    resume(archive);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(keep_.file) != std::string::npos) throw;
    throw Error(error.kind(), fmt::format("cannot resume from {}: {}", keep_.file, message));
  }
}

void FitRun::resume(const Archive& archive) {
  get_fit_state(archive, engine_, state_);
  profile_.add(state_.step_seconds);
  passes_ = engine_.options.passes;
  make_method();
  method_->load(archive);
  restore_position(archive, "patterns/rows", patterns_->store());
  const Index seen = patterns_->store().rows();
  if (position_.pass > 1 && seen > 0 && seen != report_.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the checkpoint speaks of {} instances, and {} were seen", report_.instances, seen));
  }
  observer_.on_start(report_, passes_);
}

// Makes the stores durable before the archive that refers to them takes the place of the last one.
void FitRun::checkpoint() {
  if (keep_.file.empty()) return;
  const Timed timed(profile_, Step::checkpoint);
  const Clock clock;
  state_.step_seconds = profile_.seconds();
  position_.seconds = profile_.total();
  Archive archive;
  put_fit_state(archive, engine_, state_);
  put_identity(archive, folder_);
  put_position(archive, "patterns/rows", patterns_->store());
  method_->save(archive);
  method_->sync();
  patterns_->store().sync();
  folder_.sync();
  archive.save(keep_.file);
  due_.written(clock.seconds());
}

// Calls use(chunk) for the chunks of the stream from where the position stands. Returns false if the observer stopped
// it.
template <class F>
bool FitRun::stream_chunks(Index rows, const F& use) {
  const Clock clock(position_.report.seconds);
  if (again_) source_.rewind();
  // A stream that is read once is scaled here: a view's first chunk decides.
  ChunkStream stream(source_, engine_.schema, rows, again_ ? &engine_.scaling : nullptr);
  const auto next = [&] {
    const Timed timed(profile_, Step::waiting);
    std::optional<StreamedChunk> item = stream.next();
    if (item) profile_.add(Step::reading, item->seconds);
    return item;
  };
  std::uint64_t skipped = 0;
  std::uint64_t order = 0;
  bool complete = true;
  for (Index i = 0; i < position_.chunks && complete; ++i) {
    const std::optional<StreamedChunk> item = next();
    complete = item.has_value();
    if (item) skipped += item->fingerprint;
    if (item) order = order_hash(order, item->chunk);
  }
  if (!complete || skipped != position_.fingerprint || order != position_.order) {
    throw Error(ErrorKind::data,
                "the data are not those that the checkpoint was made with, or come in another order; resume with the "
                "same data, or start again without --resume");
  }
  const double waited_before = position_.report.waited;
  while (std::optional<StreamedChunk> item = next()) {
    const bool first_pass = position_.pass == 1 && !position_.labelling;
    if (!again_) {
      const Timed timed(profile_, Step::prepare);
      item->negatives = engine_.scale(item->chunk);
    }
    for (std::size_t v = 0; v < item->negatives.size() && first_pass; ++v) engine_.clipped[v] += item->negatives[v];
    position_.report.instances += item->chunk.size();
    const int rounds = use(item->chunk);
    take_products();
    position_.fingerprint += item->fingerprint;
    position_.order = order_hash(position_.order, item->chunk);
    position_.report.rounds += rounds;
    ++position_.chunks;
    position_.report.seconds = clock.seconds();
    position_.report.waited = waited_before + stream.waited();
    const bool go_on = observer_.on_chunk({.pass = position_.pass,
                                           .chunk = position_.chunks,
                                           .instances = position_.report.instances,
                                           .loss = position_.report.loss,
                                           .rounds = rounds,
                                           .labelling = position_.labelling});
    if (!go_on && !keep_.file.empty()) {
      checkpoint();
      throw Error(ErrorKind::interrupted,
                  fmt::format("interrupted; {} holds everything so far: run the same command with --resume to go on",
                              keep_.file));
    }
    if (!go_on) return false;
    if (due_.due()) checkpoint();
  }
  position_.report.seconds = clock.seconds();
  position_.report.waited = waited_before + stream.waited();
  return true;
}

// Makes a chunk ready and, in the first pass, counts what is in it.
PreparedChunk FitRun::prepare(const Chunk& chunk) {
  const Timed timed(profile_, Step::prepare);
  PreparedChunk data(chunk);
  if (position_.pass > 1) return data;
  for (const Index row : chunk.rows) counts_.instances = std::max(counts_.instances, row + 1);
  for (std::size_t v = 0; v < data.views.size(); ++v)
    counts_.squares[v] += data.views[v].squared_norm(*engine_.workers);
  counts_.observed += std::count(data.observed.begin(), data.observed.end(), true);
  patterns_->remember(chunk);
  return data;
}

void FitRun::run_pass() {
  if (position_.chunks == 0) {
    position_.report.pass = position_.pass;
    method_->begin_pass(position_.pass);
  }
  const bool complete = stream_chunks(report_.chunk, [&](const Chunk& chunk) {
    const PreparedChunk data = prepare(chunk);
    const Timed timed(profile_, Step::learning);
    const int rounds = method_->learn(data, *engine_.workers);
    position_.report.loss = method_->average_loss(*engine_.workers);
    position_.curve.add(position_.report.loss);
    return rounds;
  });
  check_instances(complete);
  report_.stopped = !complete;
  PassReport& result = position_.report;
  const Clock clock(result.seconds);
  if (complete) {
    const Timed timed(profile_, Step::learning);
    method_->end_pass(*engine_.workers);
    result.loss = method_->average_loss(*engine_.workers);
    take_products();
  }
  result.error = method_->error();
  result.seconds = clock.seconds();
  result.chunks = position_.chunks;
  result.loss_curve = position_.curve.points();
  report_.loss = result.loss;
  report_.passes.push_back(result);
  observer_.on_pass(result, *method_->embedding(report_.instances));
  const int next = method_->pass_after(position_.pass);
  position_ = {};
  position_.pass = next;
  position_.labelling = next > passes_;
  if (complete) checkpoint();
}

void FitRun::check_instances(bool complete) {
  const Index found = position_.report.instances;
  if (position_.pass == 1) {
    report_.instances = complete ? found : std::max(report_.instances, found);
    report_.unobserved = found - counts_.observed;
    if (counts_.instances > report_.instances) {
      throw Error(ErrorKind::data,
                  fmt::format("the source numbers an instance {} but has only {}: number them from 0 to {}",
                              counts_.instances - 1, report_.instances, report_.instances - 1));
    }
  }
  const bool same =
      !complete || !again_ || (position_.fingerprint == state_.fingerprint && position_.order == state_.order);
  if (same) return;
  throw Error(ErrorKind::data,
              fmt::format("the data changed while they were read: pass {} found {} instances, the first look {}, and "
                          "not the same ones; work on a copy that nobody writes to",
                          position_.pass, found, report_.instances));
}

// Labels every instance with the model as it is at the end.
void FitRun::label_all() {
  if (position_.chunks == 0) method_->begin_labels();
  const bool complete = stream_chunks(std::max(report_.chunk, kLabelRows), [&](const Chunk& chunk) {
    const PreparedChunk data = prepare(chunk);
    const Timed timed(profile_, Step::learning);
    method_->label(data, *engine_.workers);
    return 0;
  });
  report_.stopped = !complete;
  if (complete) check_instances(true);
}

// Hands the model to the engine and the results to the sink.
void FitRun::finish() {
  const Timed timed(profile_, Step::results);
  method_->finish(!report_.stopped);
  const std::vector<double> explained = method_->explained(*engine_.workers);
  const std::unique_ptr<Embedding> embedding = method_->embedding(report_.instances);
  const RowStore* labels = method_->labels();
  std::vector<double> rows = sample_rows(*embedding, kmeans_sample_size(report_.clusters), engine_.options.seed);
  if (report_.stopped && static_cast<Index>(rows.size()) < Index{report_.clusters} * report_.rank) {
    throw Error(ErrorKind::interrupted,
                "interrupted before there were enough instances to form clusters; nothing was written");
  }
  LearnedModel model = method_->model();
  engine_.factors = std::move(model.factors);
  engine_.prototypes = std::move(model.prototypes);
  engine_.prototype_instances = static_cast<double>(counts_.observed);
  if (engine_.factors) {
    engine_.factors->continue_stream();
    engine_.find_centres(std::move(rows));
  }
  report_.views = engine_.views();
  for (std::size_t v = 0; v < explained.size(); ++v) report_.views[v].explained = explained[v];
  write_results({engine_, *patterns_, sink_, report_}, *embedding, labels);
}

}  // namespace

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing) {
  auto fresh = std::make_unique<Impl>(impl_->options);
  fresh->start(source.schema());
  Report report = FitRun(*fresh, source, sink, observer, checkpointing).run();
  impl_ = std::move(fresh);
  return report;
}

}  // namespace omvc
