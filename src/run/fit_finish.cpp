// The end of a fit: clusters, labels of all rows, and who writes them.
#include "omvc/error.hpp"

#include "run/fit_run.hpp"
#include "run/living_steps.hpp"
#include "run/results.hpp"

namespace omvc {

// Each process labels its own rows. Returns those that it hands on: its own, if it is their turn in the order of the
// ranks and the sink can join them; else the first one gets them all.
Rows FitRun::label_rows() {
  const Rows all{0, report_.instances};
  const Rows none{};
  if (!model_) return all;
  const bool shared = !together_.alone() && passes_ > 0 && !first_has_all_;
  if (!together_.alone()) follow_first();
  together_.agree([&] {
    if (together_.first() || shared) living_fit().label_rows(shared ? seen_ : Rows{0, report_.instances}, workers_);
  });
  joins_ = shared && together_.follow_each_other(seen_, report_.instances) && together_.says_first(sink_.joins());
  if (joins_) return seen_;
  if (shared) {
    for (RowStore* store : living_fit().results()) together_.gather_rows(*store, seen_);
    together_.gather_rows(patterns_->store(), seen_);
  }
  return together_.first() ? all : none;
}

// What the labels of all processes add up to, in the first one; and what their sinks hold.
void FitRun::join_results(LabelCounts& counts) {
  together_.agree([&] { sink_.join(together_.exchange()); });
  const std::size_t views = setting_.schema.views.size();
  together_.reduce(
      [&](const std::string& bytes) {
        counts.merge(LabelCounts::get(Archive::from_bytes(bytes, "what another process labelled"), kOutlier, views));
      },
      [&] {
        Archive archive;
        counts.put(archive);
        return archive.to_bytes();
      });
}

// What another method leaves.
void FitRun::finish_other(const Embedding& embedding) {
  std::vector<double> rows = sample_rows(embedding, kmeans_sample_size(report_.clusters), setting_.options.seed);
  if (report_.stopped && static_cast<Index>(rows.size()) < Index{report_.clusters} * report_.rank) {
    throw Error(ErrorKind::interrupted,
                "interrupted before there were enough instances to form clusters; nothing was written");
  }
  const std::vector<double> explained = method_->explained(workers_);
  other_.emplace(setting_, method_->model(), counts_.present, static_cast<double>(counts_.observed));
  if (other_->factors() != nullptr) other_->find_centres(std::move(rows), workers_);
  for (int k = 0; k < report_.clusters; ++k) report_.cluster_numbers.push_back(k);
  report_.views = setting_.views(counts_.present);
  for (std::size_t v = 0; v < explained.size(); ++v) report_.views[v].explained = explained[v];
  for (std::size_t v = 0; v < counts_.missing.size(); ++v) report_.views[v].missing = counts_.missing[v];
}

// Hands the results to the sink.
void FitRun::finish() {
  const Timed timed(profile_, Step::results);
  together_.agree([&] {
    if (together_.first()) method_->finish(!report_.stopped, workers_);
  });
  const Rows mine = label_rows();
  const std::unique_ptr<Embedding> embedding = method_->embedding(report_.instances);
  if (!model_) {
    finish_other(*embedding);
  } else if (together_.first()) {
    if (again_) model_->set_negatives(setting_.clipped);
    report_living(*model_, setting_, state_);
  }
  LabelCounts counts{.tally = Tally(model_ ? model_->clusters().numbers : report_.cluster_numbers, kOutlier),
                     .patterns = {}};
  together_.agree([&] {
    write_results({*embedding, method_->labels(), other_ ? &*other_ : nullptr, *patterns_}, mine, sink_, counts);
  });
  if (joins_) join_results(counts);
  if (!together_.first()) return;
  warn_of_views(report_);
  sink_.finish();
  counts.report(report_);
  const std::vector<double> sizes(report_.cluster_sizes.begin(), report_.cluster_sizes.end());
  if (model_) model_->set_sizes(sizes);
  if (other_) other_->set_sizes(sizes);
}

}  // namespace omvc
