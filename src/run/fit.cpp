#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "run/checkpoint.hpp"
#include "run/first_look.hpp"
#include "run/impl.hpp"
#include "run/living_fit.hpp"
#include "run/other_model.hpp"
#include "run/presence_patterns.hpp"
#include "run/results.hpp"
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
  FitRun(Setting& setting, Workers& workers, Source& source, Sink& sink, Observer& observer,
         const Checkpointing& checkpointing)
      : setting_(setting),
        workers_(workers),
        source_(source),
        sink_(sink),
        observer_(observer),
        keep_(checkpointing),
        due_(checkpointing),
        profile_(workers.profile()) {}

  ~FitRun() { workers_.set_poll({}); }
  FitRun(const FitRun&) = delete;
  FitRun& operator=(const FitRun&) = delete;

  Report run() {
    profile_.start();
    workers_.set_poll([this] {
      if (!observer_.on_wait()) throw Error(ErrorKind::interrupted, interruption());
    });
    // What is to be forgotten depends on what came after it: with a half-life data are a stream, whatever they come
    // from.
    again_ = source_.rewind() && !(living() && setting_.options.half_life > 0);
    const std::optional<Archive> left = last_checkpoint();
    if (left) {
      resume_from(*left);
    } else {
      begin();
    }
    const bool more = !position_.labelling && position_.pass <= passes_;
    if (left && !more && !method_->labels_again()) check_data();
    while (!position_.labelling && position_.pass <= passes_ && !report_.stopped) run_pass();
    if (report_.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
    if (!report_.stopped && method_->labels_again()) label_all();
    // Those of a stream that is read once are those of its only pass.
    report_.fingerprint = state_.fingerprint;
    finish();
    report_.profile = profile_.report();
    report_.seconds = profile_.total();
    return report_;
  }

  // Of a run that is over: one of the two is there.
  std::optional<Model>& model() { return model_; }
  std::optional<OtherModel>& other() { return other_; }

 private:
  void begin();
  void resume_from(const Archive& archive);
  void resume(const Archive& archive);
  std::optional<Archive> last_checkpoint();
  void make_method();
  void learn_sample();
  void checkpoint();
  bool living() const { return setting_.options.method == Algorithm::omvc; }
  ViewScaling scaling_of(std::size_t view, const ViewSurvey& survey) const;
  std::vector<Index> scale(Chunk& chunk);

  template <class F>
  bool stream_chunks(Index rows, const F& use);
  PreparedChunk prepare(const Chunk& chunk);
  void take_products() { add_products(profile_.take_products(), position_.report.products); }
  void run_pass();
  void label_all();
  void check_instances(bool complete);
  void check_data();
  std::string interruption() const;

  void finish();
  void describe_living();

  Setting& setting_;
  Workers& workers_;
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
  std::optional<Model> model_;  // where the method is omvc
  std::unique_ptr<Method> method_;
  std::optional<OtherModel> other_;  // what another method leaves
  std::optional<PresencePatterns> patterns_;
  int passes_ = 1;      // 0 where the first look has seen all there is to learn from
  bool again_ = false;  // the source can be read again
  double bytes_ = 0;    // that all the data would take in memory, where that is known
};

// Looks at the data where they can be read again, and chooses what depends on them.
void FitRun::begin() {
  report_.clusters = setting_.options.clusters;
  passes_ = setting_.options.passes;
  if (living()) model_.emplace(setting_.options, setting_.schema);
  if (again_) {
    const Timed timed(profile_, Step::first_look);
    const FirstLook look = look_at(source_, setting_.options, observer_, model_ ? &*model_ : nullptr);
    for (std::size_t v = 0; v < setting_.scaling.size() && !model_; ++v) {
      setting_.scaling[v] = scaling_of(v, look.survey.views[v]);
    }
    bytes_ = bytes_of(look.survey);
    for (const ViewSurvey& view : look.survey.views) counts_.missing.push_back(static_cast<Index>(view.cells));
    report_.instances = look.instances;
    report_.unobserved = static_cast<Index>(look.survey.unobserved);
    report_.chunk = choose_chunk(&look.survey);
    state_.fingerprint = look.fingerprint;
    state_.order = look.order;
  } else {
    passes_ = 1;
    report_.chunk = choose_chunk(nullptr);
    if (!model_) {
      report_.warnings.push_back("The data can be read only once: one pass, scaled by the first chunk.");
    } else if (setting_.options.passes > 1) {
      report_.warnings.push_back("The data can be read only once: they are learned in one pass.");
    }
  }
  if (setting_.options.chunk > 0) report_.chunk = setting_.options.chunk;
  counts_.squares.assign(setting_.schema.views.size(), 0.0);
  counts_.present.assign(setting_.schema.views.size(), 0);
  counts_.missing.resize(setting_.schema.views.size(), 0);
  // What an older run left goes only now that this one is known to be possible.
  if (!keep_.file.empty()) start_checkpoint(keep_, folder_);
  make_method();
  if (model_ && again_) {
    checkpoint();  // what the first look took: large data need not be looked at again
    learn_sample();
  }
  observer_.on_start(report_, passes_);
  checkpoint();
}

// What an interruption within a step leaves.
std::string FitRun::interruption() const {
  if (keep_.file.empty()) return "interrupted; nothing was written";
  return fmt::format("interrupted; {} holds the last checkpoint: run the same command with --resume to go on",
                     keep_.file);
}

// Makes the model from the sample that the first look took. Where that is all there is, nothing needs to be read again.
void FitRun::learn_sample() {
  const Timed timed(profile_, Step::learning);
  const Clock clock;
  try {
    static_cast<LivingFit&>(*method_).prepare(workers_);
  } catch (const Error& error) {
    // Data from which no prototypes can be made are no better when the run is resumed.
    if (!keep_.file.empty() && error.kind() == ErrorKind::data) remove_checkpoint(keep_.file);
    throw;
  }
  setting_.scaling = model_->scaling();
  report_.rank = method_->rank();
  report_.views = setting_.views({});
  if (!model_->whole()) {
    take_products();  // which a checkpoint keeps as those of the first pass
    return;
  }
  passes_ = 0;
  setting_.clipped = model_->negatives();
  for (const PreparedChunk& piece : model_->sample().pieces()) prepare(*piece.chunk);
  counts_.instances = report_.instances;
  PassReport pass{.pass = 1, .instances = report_.instances, .chunks = 1};
  pass.error = pass.loss = report_.loss = method_->error();
  pass.seconds = clock.seconds();
  pass.products = profile_.take_products();
  report_.passes.push_back(pass);
}

// The scaling of a view. Methods that factorise need it to be nonnegative.
ViewScaling FitRun::scaling_of(std::size_t view, const ViewSurvey& survey) const {
  ViewScaling out = choose_scaling(of_view(setting_.options.scaling, view), survey, setting_.schema.views[view].name);
  if (takes_signed(setting_.options.method)) out.refuse_negatives = false;
  return out;
}

// Scales a chunk of a stream that is read once, choosing first the scaling of views that it is the first to show.
std::vector<Index> FitRun::scale(Chunk& chunk) {
  std::optional<Survey> survey;
  for (std::size_t v = 0; v < setting_.scaling.size(); ++v) {
    if (setting_.scaling[v].known || chunk.views[v].present.empty()) continue;
    if (!survey) {
      survey.emplace(setting_.schema);
      survey->add(chunk);
    }
    setting_.scaling[v] = scaling_of(v, survey->views[v]);
    // A total of nothing scales nothing: the first chunk with a positive entry decides.
    const bool nothing = of_view(setting_.options.scaling, v) == Scaling::total && !(survey->views[v].total > 0);
    if (nothing) setting_.scaling[v].known = false;
  }
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    std::visit(
        [&](const auto& X) {
          counts_.missing[v] += std::count_if(X.values.begin(), X.values.end(), [](auto x) { return x != x; });
        },
        chunk.views[v].block);
  }
  return apply_scaling(setting_.scaling, setting_.schema, chunk);
}

void FitRun::make_method() {
  patterns_.emplace(setting_.schema.views.size(), folder_);
  const MethodContext context{.options = setting_.options,
                              .schema = setting_.schema,
                              .passes = passes_,
                              .again = again_,
                              .embedding = sink_.wants_embedding(),
                              .bytes = bytes_,
                              .rows = folder_,
                              .counts = &counts_};
  if (model_) {
    method_ = std::make_unique<LivingFit>(context, *model_);
  } else {
    method_ = omvc::make_method(context);
    report_.rank = method_->rank();
  }
  report_.views = setting_.views(counts_.present);
}

// The checkpoint to go on from.
std::optional<Archive> FitRun::last_checkpoint() {
  if (keep_.file.empty()) return std::nullopt;
  if (!again_) {
    throw Error(ErrorKind::usage,
                setting_.options.half_life > 0
                    ? "with a half-life data are learned as a stream, which cannot be resumed: leave --checkpoint out"
                    : "a stream that can be read only once cannot be resumed: leave --checkpoint out, or "
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
  get_fit_state(archive, setting_, state_);
  profile_.add(state_.step_seconds);
  passes_ = setting_.options.passes;
  if (living()) {
    model_.emplace(Model::load(archive, setting_.options, setting_.schema, setting_.scaling, setting_.clipped));
    if (model_->built() && model_->whole()) passes_ = 0;
  }
  make_method();
  method_->load(archive);
  report_.rank = method_->rank();
  restore_position(archive, "patterns/rows", patterns_->store());
  const Index seen = patterns_->store().rows();
  if (position_.pass > 1 && seen > 0 && seen != report_.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the checkpoint speaks of {} instances, and {} were seen", report_.instances, seen));
  }
  if (model_ && !model_->built()) {
    learn_sample();
    checkpoint();
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
  put_fit_state(archive, setting_, state_);
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
  ChunkStream stream(source_, setting_.schema, rows, again_ ? &setting_.scaling : nullptr);
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
    if (!again_) check_magnitudes(item->chunk, setting_.schema);
    const bool first_pass = position_.pass == 1 && !position_.labelling;
    if (!again_ && !model_) {
      const Timed timed(profile_, Step::prepare);
      item->negatives = scale(item->chunk);
    }
    for (std::size_t v = 0; v < item->negatives.size() && first_pass; ++v) setting_.clipped[v] += item->negatives[v];
    position_.report.instances += item->chunk.size();
    position_.order = order_hash(position_.order, item->chunk);
    const int rounds = use(item->chunk);
    take_products();
    position_.fingerprint += item->fingerprint;
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
  for (std::size_t v = 0; v < data.views.size(); ++v) counts_.squares[v] += data.views[v].squared_norm(workers_);
  for (std::size_t v = 0; v < data.views.size(); ++v) counts_.present[v] += data.views[v].rows();
  counts_.observed += std::count(data.observed.begin(), data.observed.end(), true);
  patterns_->remember(chunk);
  return data;
}

void FitRun::run_pass() {
  if (position_.chunks == 0) {
    position_.report.pass = position_.pass;
    method_->begin_pass(position_.pass);
  }
  const bool complete = stream_chunks(report_.chunk, [&](Chunk& chunk) {
    const PreparedChunk data = prepare(chunk);
    const Timed timed(profile_, Step::learning);
    int rounds = 1;
    if (model_ && !again_) {
      method_->learn_unscaled(std::move(chunk), workers_);
    } else {
      rounds = method_->learn(data, workers_);
    }
    position_.report.loss = method_->average_loss(workers_);
    position_.curve.add(position_.report.loss);
    return rounds;
  });
  check_instances(complete);
  report_.stopped = !complete;
  PassReport& result = position_.report;
  const Clock clock(result.seconds);
  if (!again_) state_.fingerprint = position_.fingerprint;
  if (complete) {
    const Timed timed(profile_, Step::learning);
    method_->end_pass(workers_);
    result.loss = method_->average_loss(workers_);
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
  const Index expected = report_.instances;
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
      !complete || !again_ ||
      (position_.fingerprint == state_.fingerprint && position_.order == state_.order && found == expected);
  if (same) return;
  throw Error(ErrorKind::data,
              fmt::format("the data changed while they were read: pass {} found {} instances, the first look {}, and "
                          "not the same ones; work on a copy that nobody writes to",
                          position_.pass, found, expected));
}

// A resumed run that has nothing left to read has to be of these data all the same.
void FitRun::check_data() {
  const FirstLook look = look_at(source_, setting_.options, observer_, nullptr);
  if (look.fingerprint == state_.fingerprint && look.order == state_.order && look.instances == report_.instances)
    return;
  throw Error(ErrorKind::data,
              fmt::format("cannot resume from {}: the data are not those that the checkpoint was made with, or come in "
                          "another order; resume with the same data, or start again without --resume",
                          keep_.file));
}

// Labels every instance with the model as it is at the end.
void FitRun::label_all() {
  if (position_.chunks == 0) method_->begin_labels();
  const bool complete = stream_chunks(std::max(report_.chunk, kLabelRows), [&](Chunk& chunk) {
    const PreparedChunk data = prepare(chunk);
    const Timed timed(profile_, Step::learning);
    method_->label(data, workers_);
    return 0;
  });
  report_.stopped = !complete;
  if (complete) check_instances(true);
}

// Hands the results to the sink.
void FitRun::finish() {
  const Timed timed(profile_, Step::results);
  method_->finish(!report_.stopped, workers_);
  const std::vector<double> explained = method_->explained(workers_);
  const std::unique_ptr<Embedding> embedding = method_->embedding(report_.instances);
  const RowStore* labels = method_->labels();
  if (model_) {
    setting_.scaling = model_->scaling();
    describe_living();
  } else {
    std::vector<double> rows = sample_rows(*embedding, kmeans_sample_size(report_.clusters), setting_.options.seed);
    if (report_.stopped && static_cast<Index>(rows.size()) < Index{report_.clusters} * report_.rank) {
      throw Error(ErrorKind::interrupted,
                  "interrupted before there were enough instances to form clusters; nothing was written");
    }
    other_.emplace(setting_, method_->model(), counts_.present, static_cast<double>(counts_.observed));
    if (other_->factors() != nullptr) other_->find_centres(std::move(rows), workers_);
    for (int k = 0; k < report_.clusters; ++k) report_.cluster_numbers.push_back(k);
  }
  report_.views = setting_.views(counts_.present);
  for (std::size_t v = 0; v < explained.size(); ++v) report_.views[v].explained = explained[v];
  for (std::size_t v = 0; v < counts_.missing.size(); ++v) report_.views[v].missing = counts_.missing[v];
  write_results({*patterns_, sink_, report_}, *embedding, labels, other_ ? &*other_ : nullptr);
  const std::vector<double> sizes(report_.cluster_sizes.begin(), report_.cluster_sizes.end());
  if (model_) model_->set_sizes(sizes);
  if (other_) other_->set_sizes(sizes);
}

void FitRun::describe_living() {
  if (again_) model_->set_negatives(setting_.clipped);
  for (std::size_t v = 0; v < counts_.missing.size(); ++v) {
    counts_.missing[v] = static_cast<Index>(model_->survey().views[v].cells);
  }
  report_.clusters = model_->clusters().count();
  report_.cluster_numbers = model_->clusters().numbers;
  report_.rank = model_->rank();
  report_.prototypes = model_->fine().size();
  report_.sampled = !model_->whole();
  report_.found_by = model_->clusters().found_by;
  report_.choice = model_->choice();
  report_.candidates = model_->candidates();
  report_.events = model_->take_events();
  if (model_->timeline().size() > 1) report_.timeline = model_->timeline();
  if (report_.choice && !report_.choice->clear) report_.warnings.push_back(report_.choice->verdict);
}

}  // namespace

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing) {
  Setting setting{.options = impl_->options, .schema = {}, .scaling = {}, .clipped = {}};
  setting.start(source.schema());
  FitRun run(setting, impl_->workers.get(), source, sink, observer, checkpointing);
  Report report = run.run();
  impl_->model = std::move(run.model());
  impl_->other = std::move(run.other());
  return report;
}

}  // namespace omvc
