// One fit: survey, passes, centres, results.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "engine.hpp"
#include "presence_patterns.hpp"

namespace omvc {
namespace {

constexpr Index kBlock = 4096;      // embedding rows read back at a time
constexpr Index kSurveyRows = 256;  // instances surveyed at a time, at least
constexpr std::size_t kCurvePoints = 256;

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Keeps every stride-th value, doubling the stride when it is full, so that the curve of any number of chunks is
// bounded.
class Curve {
 public:
  void add(double value) {
    last_ = value;
    if (count_++ % stride_ == 0) points_.push_back(value);
    if (points_.size() < kCurvePoints) return;
    for (std::size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
    points_.resize(points_.size() / 2);
    stride_ *= 2;
  }
  std::vector<double> points() const {
    std::vector<double> all = points_;
    if (count_ > 0 && (count_ - 1) % stride_ != 0) all.push_back(last_);
    return all;
  }

 private:
  std::vector<double> points_;
  std::size_t stride_ = 1;
  std::size_t count_ = 0;
  double last_ = 0;
};

// Reads everything once: finds bad data before time is spent on learning.
Survey survey_source(Source& source, Observer& observer) {
  Survey survey(source.schema());
  while (std::optional<Chunk> chunk = source.next(kSurveyRows)) {
    check_chunk(*chunk, source.schema());
    survey.add(*chunk);
    observer.on_survey(static_cast<Index>(survey.instances));
  }
  return survey;
}

// Instances learned at a time: enough to hold every cluster several times, and no more than a chunk's memory allows.
Index choose_chunk(const Survey* survey) {
  constexpr Index kUsual = 500;
  constexpr Index kLeast = 50;
  constexpr double kBytes = 64 << 20;
  if (survey == nullptr) return kUsual;
  double bytes = 0;  // of an instance that has every view
  for (const ViewSurvey& view : survey->views) {
    bytes += view.sparse ? 12 * view.entries / view.observed : 8 * static_cast<double>(view.sum.size());
  }
  return std::clamp(static_cast<Index>(kBytes / std::max(bytes, 1.0)), kLeast, kUsual);
}

void check_survey(const Survey& survey, const Schema& schema, const Options& options) {
  if (survey.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
  const double observed = survey.instances - survey.unobserved;
  if (options.clusters > observed) {
    throw Error(ErrorKind::data,
                fmt::format("{} clusters were asked for, but only {:.0f} instances have at least one view; "
                            "ask for fewer clusters",
                            options.clusters, observed));
  }
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string& name = schema.views[v].name;
    if (survey.views[v].observed == 0) {
      throw Error(ErrorKind::data, fmt::format("view {} has no instance present; leave it out", name));
    }
    if (survey.views[v].entries == 0) {
      throw Error(ErrorKind::data, fmt::format("view {} is zero everywhere; leave it out", name));
    }
    if (options.scaling == Scaling::total && !(survey.views[v].total > 0)) {
      throw Error(ErrorKind::data,
                  fmt::format("view {} has no positive entry, and scaling = total sets negative ones to 0; "
                              "choose scaling = auto or leave the view out",
                              name));
    }
  }
}

void add_warnings(Report& report) {
  if (report.unobserved > 0) {
    report.warnings.push_back(
        fmt::format("{} of {} instances have no view at all: they get label -1 and do not influence the "
                    "model.",
                    report.unobserved, report.instances));
  }
  std::string negatives;
  for (const ViewReport& view : report.views) {
    if (view.negatives == 0) continue;
    negatives +=
        fmt::format("{}view {}: {} negative entries", negatives.empty() ? "" : ", ", view.name, view.negatives);
  }
  if (!negatives.empty()) {
    report.warnings.push_back(fmt::format("Set to 0, since the factorisation is nonnegative: {}.", negatives));
  }
}

}  // namespace

std::vector<double> sample_rows(const Embedding& embedding, Index limit, std::uint64_t seed) {
  RowSample sample(limit, seed);
  const auto r = static_cast<std::size_t>(embedding.rank());
  std::vector<double> block;
  for (Index first = 0; first < embedding.rows(); first += kBlock) {
    const Index count = std::min(kBlock, embedding.rows() - first);
    block.resize(static_cast<std::size_t>(count) * r);
    embedding.read(first, count, block.data());
    for (Index i = 0; i < count; ++i) sample.offer(first + i, {block.data() + static_cast<std::size_t>(i) * r, r});
  }
  return sample.values();
}

namespace {

// One fit, from the first look at the data to the results.
class FitRun {
 public:
  FitRun(Engine& engine, Source& source, Sink& sink, Observer& observer)
      : engine_(engine), source_(source), sink_(sink), observer_(observer), patterns_(engine.schema.views.size()) {}

  Report run() {
    const Clock clock;
    look();
    // Runs are compared and clusters refined by reading the data again.
    Options options = engine_.options;
    if (!again_) {
      options.runs = 1;
      options.refine = false;
    }
    Ensemble ensemble(options, engine_.schema, report_.rank, engine_.unit_views(), passes_);
    for (int pass = 1; pass <= passes_ && !report_.stopped; ++pass) {
      if (pass > 1) source_.rewind();
      report_.stopped = !run_pass(pass, ensemble);
      // Where no label changes any more, the passes up to the last two have nothing to do: of these the first chooses
      // and the second compares directions.
      if (ensemble.settled()) pass = std::max(pass, passes_ - 2);
    }
    if (report_.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
    const bool refined = ensemble.refines() && !report_.stopped;
    if (refined) assign_all(ensemble);
    finish(ensemble, refined);
    report_.seconds = clock.seconds();
    return report_;
  }

 private:
  // Surveys the data where they can be read again, and chooses what depends on them.
  void look() {
    report_.clusters = engine_.options.clusters;
    passes_ = engine_.options.passes;
    again_ = source_.rewind();
    if (again_) {
      const Survey survey = survey_source(source_, observer_);
      check_survey(survey, engine_.schema, engine_.options);
      for (std::size_t v = 0; v < engine_.scaling.size(); ++v) {
        engine_.scaling[v] = choose_scaling(engine_.options.scaling, survey.views[v]);
      }
      report_.instances = static_cast<Index>(survey.instances);
      report_.chunk = choose_chunk(&survey);
      source_.rewind();
    } else {
      passes_ = 1;
      report_.chunk = choose_chunk(nullptr);
      report_.warnings.push_back("The data can be read only once: one pass, scaled by the first chunk.");
    }
    if (engine_.options.chunk > 0) report_.chunk = engine_.options.chunk;
    report_.rank = engine_.choose_rank();
    report_.views = engine_.views();
    observer_.on_start(report_, passes_);
  }

  // One pass over the source. Returns false if the observer stopped it.
  bool run_pass(int pass, Ensemble& ensemble) {
    const Clock clock;
    PassReport result{.pass = pass};
    Curve curve;
    Index chunks = 0;
    bool go_on = true;
    ensemble.begin_pass(pass);
    while (std::optional<Chunk> chunk = source_.next(report_.chunk)) {
      engine_.check_fits(*chunk);
      engine_.scale(*chunk, pass == 1);
      if (pass == 1) patterns_.remember(*chunk);
      const int rounds = ensemble.learn(*chunk, *engine_.workers);
      result.instances += chunk->size();
      result.rounds += rounds;
      result.loss = ensemble.average_loss(*engine_.workers);
      curve.add(result.loss);
      go_on = observer_.on_chunk({pass, ++chunks, result.instances, result.loss, rounds});
      if (!go_on) break;
    }
    if (pass == 1) {
      report_.instances = go_on ? result.instances : std::max(report_.instances, result.instances);
      report_.unobserved = result.instances - ensemble.observed();
      if (ensemble.instances() > report_.instances) {
        throw Error(ErrorKind::data,
                    fmt::format("the source numbers an instance {} but has only {}: number them from 0 to {}",
                                ensemble.instances() - 1, report_.instances, report_.instances - 1));
      }
    } else if (go_on && result.instances != report_.instances) {
      throw Error(ErrorKind::data,
                  fmt::format("the data changed while they were read: pass {} found {} instances, the first "
                              "pass {}; work on a copy that nobody writes to",
                              pass, result.instances, report_.instances));
    }
    result.error = ensemble.error();
    if (go_on) ensemble.end_pass(*engine_.workers);
    result.seconds = clock.seconds();
    result.loss_curve = curve.points();
    report_.loss = result.loss;
    report_.passes.push_back(result);
    observer_.on_pass(result, ensemble.embedding(report_.instances));
    return go_on;
  }

  // Labels every instance with the prototypes as they are at the end, and chooses among the clusterings.
  void assign_all(Ensemble& ensemble) {
    source_.rewind();
    while (std::optional<Chunk> chunk = source_.next(std::max(report_.chunk, kSurveyRows))) {
      engine_.check_fits(*chunk);
      engine_.scale(*chunk, false);
      ensemble.assign(*chunk, *engine_.workers);
    }
    ensemble.finish();
  }

  // Hands the model to the engine and the results to the sink.
  void finish(Ensemble& ensemble, bool refined) {
    const StoredEmbedding embedding = ensemble.embedding(report_.instances);
    engine_.method = std::make_unique<Omvc>(ensemble.method());
    engine_.method->continue_stream();
    std::vector<double> rows = sample_rows(embedding, kmeans_sample_size(report_.clusters), engine_.options.seed);
    if (report_.stopped && static_cast<Index>(rows.size()) < Index{report_.clusters} * report_.rank) {
      throw Error(ErrorKind::interrupted,
                  "interrupted before there were enough instances to form clusters; nothing was written");
    }
    engine_.find_centres(std::move(rows));
    if (refined) engine_.prototypes = ensemble.prototypes();
    report_.views = engine_.views();
    const std::vector<double> explained = ensemble.explained(refined, *engine_.workers);
    for (std::size_t v = 0; v < explained.size(); ++v) report_.views[v].explained = explained[v];
    add_warnings(report_);
    write_results(embedding, refined ? &ensemble.labels() : nullptr);
    patterns_.report(report_);
  }

  // Offers embedding rows to the sample from which a model that goes on learning finds its centres anew.
  void remember_rows(Index first, Index count, const std::vector<double>& block) {
    const RowVector& scale = engine_.method->state().scale;
    for (Index i = 0; i < count; ++i) {
      const RowVector row =
          Eigen::Map<const RowVector>(block.data() + i * scale.size(), scale.size()).cwiseQuotient(scale);
      engine_.sample->offer(first + i, {row.data(), static_cast<std::size_t>(row.size())});
    }
  }

  // Labels and embedding of all instances, in the row order of the source. The labels are those stored, or, without
  // any, the nearest centres.
  void write_results(const Embedding& embedding, const RowStore* stored) {
    report_.cluster_sizes.assign(static_cast<std::size_t>(report_.clusters), 0);
    std::vector<double> block;
    std::vector<double> column;
    for (Index first = 0; first < embedding.rows(); first += kBlock) {
      const Index count = std::min(kBlock, embedding.rows() - first);
      block.resize(static_cast<std::size_t>(count * embedding.rank()));
      embedding.read(first, count, block.data());
      std::vector<int> labels;
      if (stored != nullptr) {
        column.resize(static_cast<std::size_t>(count));
        stored->read(first, count, column.data());
        for (const double label : column) labels.push_back(std::isnan(label) ? -1 : static_cast<int>(label));
      } else {
        labels = engine_.label(block.data(), count);
      }
      for (const int label : labels) {
        if (label >= 0) ++report_.cluster_sizes[static_cast<std::size_t>(label)];
      }
      patterns_.count(first, labels, report_.clusters);
      remember_rows(first, count, block);
      sink_.write({first, labels, {block.data(), count, embedding.rank()}});
    }
    sink_.finish();
  }

  Engine& engine_;
  Source& source_;
  Sink& sink_;
  Observer& observer_;
  PresencePatterns patterns_;
  Report report_;
  int passes_ = 1;
  bool again_ = false;  // the source can be read again
};

}  // namespace

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer) {
  auto fresh = std::make_unique<Impl>(impl_->options);
  fresh->start(source.schema());
  Report report = FitRun(*fresh, source, sink, observer).run();
  impl_ = std::move(fresh);
  return report;
}

}  // namespace omvc
