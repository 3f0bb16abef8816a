// One fit: survey, passes, centres, results.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "engine.hpp"

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
Survey survey_source(Source& source, const Options& options, Observer& observer) {
  Survey survey(source.schema());
  while (std::optional<Chunk> chunk = source.next(std::max(options.chunk, kSurveyRows))) {
    check_chunk(*chunk, source.schema());
    survey.add(*chunk);
    observer.on_survey(static_cast<Index>(survey.instances));
  }
  return survey;
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
  for (const ViewReport& view : report.views) {
    if (view.negatives == 0) continue;
    report.warnings.push_back(
        fmt::format("View {}: {} negative entries were set to 0, since the factorisation is nonnegative.", view.name,
                    view.negatives));
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

Index count_unobserved(const Chunk& chunk) {
  const PreparedChunk data(chunk);
  return std::count(data.observed.begin(), data.observed.end(), false);
}

// One pass over the source. Returns false if the observer stopped it.
bool run_pass(Source& source, int pass, Engine& run, Ensemble& ensemble, Report& report, Observer& observer) {
  const Clock clock;
  PassReport result{.pass = pass};
  Curve curve;
  Index chunks = 0;
  Index unobserved = 0;
  bool go_on = true;
  ensemble.begin_pass(pass);
  while (std::optional<Chunk> chunk = source.next(run.options.chunk)) {
    run.check_fits(*chunk);
    run.scale(*chunk, pass == 1);
    const int rounds = ensemble.learn(*chunk, *run.workers);
    if (pass == 1) unobserved += count_unobserved(*chunk);
    result.instances += chunk->size();
    result.rounds += rounds;
    result.loss = ensemble.average_loss(*run.workers);
    curve.add(result.loss);
    go_on = observer.on_chunk({pass, ++chunks, result.instances, result.loss, rounds});
    if (!go_on) break;
  }
  if (pass == 1) {
    report.instances = go_on ? result.instances : std::max(report.instances, result.instances);
    report.unobserved = unobserved;
  } else if (go_on && result.instances != report.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the data changed while they were read: pass {} found {} instances, the first "
                            "pass {}; work on a copy that nobody writes to",
                            pass, result.instances, report.instances));
  }
  result.error = ensemble.error();
  ensemble.end_pass(*run.workers);
  result.seconds = clock.seconds();
  result.loss_curve = curve.points();
  report.loss = result.loss;
  report.passes.push_back(result);
  observer.on_pass(result, ensemble.embedding(report.instances));
  return go_on;
}

// Labels every instance with the prototypes as they are at the end, and chooses among the clusterings.
void assign_all(Source& source, Engine& run, Ensemble& ensemble) {
  source.rewind();
  while (std::optional<Chunk> chunk = source.next(std::max(run.options.chunk, kSurveyRows))) {
    run.check_fits(*chunk);
    run.scale(*chunk, false);
    ensemble.assign(*chunk, *run.workers);
  }
  ensemble.finish();
}

// Labels and embedding of all instances, in the row order of the source. The labels are those stored, or, without any,
// the nearest centres.
void write_results(const Engine& run, const Embedding& embedding, const RowStore* stored, Report& report, Sink& sink) {
  report.cluster_sizes.assign(static_cast<std::size_t>(run.options.clusters), 0);
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
      labels = run.label(block.data(), count);
    }
    for (const int label : labels) {
      if (label >= 0) ++report.cluster_sizes[static_cast<std::size_t>(label)];
    }
    sink.write({first, labels, {block.data(), count, embedding.rank()}});
  }
  sink.finish();
}

}  // namespace

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer) {
  const Clock clock;
  auto run = std::make_unique<Impl>(impl_->options);
  run->start(source.schema());
  Report report{.clusters = run->options.clusters};

  int passes = run->options.passes;
  const bool again = source.rewind();
  if (again) {
    const Survey survey = survey_source(source, run->options, observer);
    check_survey(survey, run->schema, run->options);
    for (std::size_t v = 0; v < run->scaling.size(); ++v) {
      run->scaling[v] = choose_scaling(run->options.scaling, survey.views[v]);
    }
    report.instances = static_cast<Index>(survey.instances);
    source.rewind();
  } else {
    passes = 1;
    report.warnings.push_back("The data can be read only once: one pass, scaled by the first chunk.");
  }
  report.rank = run->choose_rank();
  report.views = run->views();
  observer.on_start(report, passes);

  Ensemble ensemble(run->options, run->schema, report.rank, run->unit_views(), passes);
  for (int pass = 1; pass <= passes && !report.stopped; ++pass) {
    if (pass > 1) source.rewind();
    report.stopped = !run_pass(source, pass, *run, ensemble, report, observer);
  }
  if (report.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
  const bool refined = ensemble.refines() && again && !report.stopped;
  if (refined) assign_all(source, *run, ensemble);
  const StoredEmbedding embedding = ensemble.embedding(report.instances);
  run->method = std::make_unique<Omvc>(ensemble.method());
  std::vector<double> rows = sample_rows(embedding, kmeans_sample_size(report.clusters), run->options.seed);
  if (report.stopped && static_cast<Index>(rows.size()) < Index{report.clusters} * report.rank) {
    throw Error(ErrorKind::interrupted,
                "interrupted before there were enough instances to form clusters; nothing was written");
  }
  run->find_centres(std::move(rows));
  if (refined) run->prototypes = ensemble.prototypes();
  report.views = run->views();
  add_warnings(report);
  write_results(*run, embedding, refined ? &ensemble.labels() : nullptr, report, sink);
  report.seconds = clock.seconds();
  impl_ = std::move(run);
  return report;
}

}  // namespace omvc
