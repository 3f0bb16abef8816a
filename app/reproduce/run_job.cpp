#include "reproduce/run_job.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <new>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "console.hpp"
#include "summary.hpp"

namespace omvc::app {
namespace {

// Notes every pass. A job is done whole or not at all: one that is interrupted leaves nothing.
class JobObserver : public Observer {
 public:
  JobObserver(const std::vector<int>& truth, const Options& options, Result& result)
      : truth_(truth), options_(options), result_(result) {}

  void on_pass(const PassReport& pass, const Embedding& embedding) override {
    const MeanScores scores = mean_scores(embedding, truth_, options_);
    result_.nmi.push_back(scores.nmi);
    result_.ac.push_back(scores.ac);
    result_.loss.push_back(pass.loss);
    result_.seconds.push_back(pass.seconds);
  }
  bool on_wait() override { return !stop_requested(); }

 private:
  const std::vector<int>& truth_;
  const Options& options_;
  Result& result_;
};

Options complete_options(const Job& job, const LoadedSet& data, int threads) {
  Options options = job.options;
  options.clusters = data.clusters;
  options.threads = threads;
  return options;
}

// Whether a figure shows the loss of this run chunk by chunk.
bool keeps_curves(const Job& job) {
  return job.contestant->name == "omvc-paper" && job.options.seed == 0 && job.options.chunk == job.set->chunk &&
         job.missing > 0;
}

}  // namespace

Result run_job(const Job& job, const LoadedSet& data, const std::string& folder, int threads) {
  Result result{.key = job.key()};
  const auto source = stream_of(*job.set, data, folder, job.missing, job.options.seed);
  const Options options = complete_options(job, data, threads);
  const std::optional<std::vector<int>> truth = data.truth;
  JobObserver observer(*truth, options, result);
  ScoringSink sink(truth);
  try {
    const Report report = Clusterer(options).fit(*source, sink, {.observer = &observer});
    result.total = 0;
    for (const PassReport& pass : report.passes) {
      result.total += pass.seconds;
      if (keeps_curves(job)) result.curves.push_back(pass.loss_curve);
    }
    const Scores labels = score(sink.counts());
    result.label_nmi = labels.nmi_geometric;
    result.label_ac = labels.accuracy;
  } catch (const std::bad_alloc&) {
    result = {.key = job.key(), .failure = "out of memory"};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io || error.kind() == ErrorKind::interrupted) throw;
    result = {.key = job.key(), .failure = error.what()};
  }
  return result;
}

void try_job(const Job& job, const LoadedSet& data, const std::string& folder) {
  class Nothing : public Sink {
    void write(const ResultRows&) override {}
  } sink;
  const Index few = std::max<Index>(60, Index{6} * data.clusters);
  const auto source = stream_of(*job.set, data, folder, job.missing, job.options.seed, few);
  Options options = complete_options(job, data, 1);
  if (!job.contestant->offline) options.passes = 1;
  options.chunk = 0;
  try {
    Clusterer(options).fit(*source, sink);
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{} cannot run on {}: {}; leave it out by naming the others with --methods, or "
                            "leave the data out with --sets",
                            job.contestant->name, job.set->title, error.what()));
  }
}

double estimate_seconds(const Job& job, const LoadedSet& data) {
  const auto n = static_cast<double>(data.table.size());
  const double r = data.clusters;
  double stored = 0;    // values a row, over all views
  double features = 0;  // columns, over all views
  for (const ChunkView& view : data.table.views) {
    features += static_cast<double>(block_cols(view.block));
    stored += std::visit([](const auto& block) { return static_cast<double>(block.values.size()); }, view.block) / n;
  }
  // Seconds for a chunk's update of the basis, for a row, and for scoring a row, as measured on one core.
  const double basis = 6e-8 * features * r;
  const double row = 6e-9 * stored * r;
  const double scoring = 4e-7 * r * r;
  const double passes = job.contestant->offline ? 1 : job.options.passes;
  const double chunks = job.options.chunk > 0 ? std::ceil(n / static_cast<double>(job.options.chunk)) : 1;
  if (job.contestant->offline) return 0.1 + 4 * n * scoring + 8 * (n * row + basis);
  return 0.1 + passes * (chunks * basis + n * (row + scoring));
}

}  // namespace omvc::app
