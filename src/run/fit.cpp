#include "run/fit.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/presence.hpp"
#include "device/device.hpp"
#include "model/chunk_learner.hpp"
#include "pass/first_look.hpp"

namespace omvc {
namespace {

constexpr Index kStreamRows = 500;  // learned at a time from a stream that is read once

class NoEmbedding : public Embedding {
 public:
  explicit NoEmbedding(Index rows) : rows_(rows) {}
  Index rows() const override { return rows_; }
  Index rank() const override { return 0; }
  void read(Index, Index, double*) const override {}

 private:
  Index rows_;
};

}  // namespace

Fit::Fit(const Options& options, const FitInput& input, Exchange& exchange, std::unique_ptr<Fitting> fit)
    : FitBase(options, input, fit->setting, fit->state),
      fit_(std::move(fit)),
      together_(exchange),
      source_(&input.source) {}

Report Fit::run() {
  // What is to be forgotten depends on what came after it: with a half-life data are a stream, whatever they come from.
  again_ = source_->rewind() && !(setting_.options.half_life > 0);
  take_part();
  if (!start_from_checkpoint()) begin();
  if (!again_) {
    learn_once();
  } else {
    while (wants_pass() && !report_.stopped) count_pass();
  }
  if (report_.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
  finish();
  report_.profile = profile_.report();
  report_.seconds = profile_.total();
  const DeviceUse used = device_use(compute_);
  report_.device = used.name;
  if (!used.warning.empty()) report_.warnings.push_back("On the way, " + used.warning + ".");
  return report_;
}

// Looks at the data where they can be read again, and makes the model.
void Fit::begin() {
  if (again_) {
    Look look = look_first();
    expected_ = together_.alone() ? look.instances : rows_.count;
    together_.agree([&] {
      if (together_.first()) take_look(*fit_, std::move(look), compute_);
    });
  } else {
    const std::size_t views = setting_.schema.views.size();
    fit_->model.emplace(setting_.options, setting_.schema);
    fit_->passes = 1;
    report_.clusters = setting_.options.clusters;
    report_.chunk = setting_.options.chunk > 0 ? setting_.options.chunk : kStreamRows;
    report_.views = setting_.views({});
    state_.counts.squares.assign(views, 0.0);
    state_.counts.present.assign(views, 0);
    state_.counts.missing.assign(views, 0);
    if (setting_.options.passes > 1) {
      report_.warnings.push_back("The data can be read only once: they are learned in one pass.");
    }
  }
  together_.agree([&] {
    // What an older run left goes only now that this one is known to be possible.
    if (!keep_.file.empty()) start_checkpoint(keep_, folder_);
    keep_rows();
    if (!again_ || !together_.first()) return;
    checkpoint();  // what the first look took: large data need not be looked at again
    make_model();
  });
  if (again_) follow_first();
  observer_.on_start(report_, fit_->passes);
  together_.agree([&] { checkpoint(); });
}

void Fit::keep_rows() {
  kept_.emplace(folder_, setting_.schema.views.size(), parse_recipe(setting_.options.recipe).near,
                Extras{.embedding = sink_.wants_embedding(), .membership = sink_.wants_membership()});
}

// A stream that is read once: the model learns it as it comes, and labels follow from where its rows were.
void Fit::learn_once() {
  begin_timing();
  Pass pass(
      *source_, setting_.schema,
      {.rows = report_.chunk, .ahead = {.readers = readers_beside(compute_)}, .whole = true, .profile = &profile_});
  StreamCounts& counts = state_.counts;
  const bool complete = pass.each([&](std::vector<StreamedChunk>& items) {
    Chunk& chunk = items.front().chunk;
    const PreparedChunk data(chunk);
    for (const Index row : chunk.rows) counts.instances = std::max(counts.instances, row + 1);
    for (std::size_t v = 0; v < data.views.size(); ++v) counts.present[v] += data.views[v].rows();
    counts.observed += std::count(data.observed.begin(), data.observed.end(), true);
    const Timed timed(profile_, Step::learning);
    const Chunk kept{.rows = chunk.rows, .views = {}};
    const std::vector<double> patterns = presence_bits(chunk);
    if (model().clusters().count == 0) early_.push_back(chunk);
    const Index generation = model().names().generation();
    const std::optional<Placed> placed = ChunkLearner(model()).learn(std::move(chunk), compute_).placed;
    if (placed) kept_->write(kept, patterns, placed->near, placed->votes, generation);
    if (model().clusters().count > 0) place_early();
    position_.report.loss = model().clusters().count > 0 ? model().placing().sums().mean_distance() : 0;
    position_.curve.add(position_.report.loss);
    return after_chunks(pass, items, 1);
  });
  note_time(pass);
  position_.progress = pass.progress();
  end_pass(complete);
}

// The rows that came before there were any prototypes: few, but more than the sample holds where they are very wide.
void Fit::place_early() {
  for (Chunk& chunk : early_) {
    const std::vector<double> patterns = presence_bits(chunk);
    model().intake().match(chunk);
    model().intake().prepare(chunk);
    const PreparedChunk data(chunk);
    const Placed placed = model().placer()->place(data, compute_);
    kept_->write(chunk, patterns, placed.near, placed.votes, model().names().generation());
  }
  early_.clear();
}

void Fit::count_pass() {
  bool complete = true;
  together_.agree([&] {
    begin_timing();
    if (!counts_) {
      counts_.emplace(setting_.schema, model().placing().size());
      if (position_.pass > 1) kept_->begin_pass();
    }
    seen_ = {};
    source_->rewind();
    complete = count(
        *fit_, *source_, rows_.first, *counts_, &*kept_, together_.alone() ? &position_.curve : nullptr,
        [&](const Pass& pass, const std::vector<StreamedChunk>& items) {
          for (const StreamedChunk& item : items) {
            for (const Index row : item.chunk.rows) seen_ = seen_.with(row);
          }
          position_.report.loss = counts_->sums.mean_distance();
          return after_chunks(pass, items, 1);
        },
        compute_);
    position_.progress = counts_->progress;
  });
  add_counts();
  together_.agree([&] {
    if (together_.first()) end_pass(complete);
  });
  if (!together_.first()) {
    position_.labelling = position_.pass >= fit_->passes;
    ++position_.pass;
  }
  counts_.reset();
  report_.stopped = !complete;
  if (wants_pass()) follow_first();
}

void Fit::end_pass(bool complete) {
  report_.stopped = !complete;
  check_instances(complete);
  if (complete) compute_.tell(Phase::learning, 1);
  const StopWatch clock(position_.report.seconds);
  if (again_) {
    const Timed timed(profile_, Step::learning);
    omvc::end_pass(*fit_, std::move(*counts_), !complete || position_.pass >= fit_->passes, compute_);
    take_products();
  } else {
    state_.fingerprint = position_.progress.fingerprint;
    position_.report.error = position_.report.loss;
  }
  position_.report.seconds = clock.seconds();
  const int next = position_.pass + 1;
  end_report(next, next > fit_->passes);
  observer_.on_pass(report_.passes.back(), NoEmbedding(report_.instances));
  counts_.reset();
  // After the last pass each process knows the places of its own rows, which a checkpoint does not.
  if (complete && (together_.alone() || wants_pass())) checkpoint();
}

void Fit::check_instances(bool complete) {
  if (complete && again_) check_same_data(state_, position_.progress);
  if (position_.pass > 1) return;
  const Index found = position_.progress.instances;
  const Index last = again_ ? counts_->last : state_.counts.instances;
  report_.instances = complete ? found : std::max(report_.instances, found);
  report_.unobserved = found - (again_ ? counts_->observed : state_.counts.observed);
  if (last > report_.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the source numbers an instance {} but has only {}: number them from 0 to {}", last - 1,
                            report_.instances, report_.instances - 1));
  }
}

// Labels the rows of this process, or all of them in the first one where the sinks cannot be joined.
LabelCounts Fit::label_rows() {
  const Rows all{0, report_.instances};
  const bool shared = !together_.alone() && fit_->passes > 0 && !first_has_all_;
  if (!together_.alone()) follow_first();
  const bool joins =
      shared && together_.follow_each_other(seen_, report_.instances) && together_.says_first(sink_.joins());
  if (shared && !joins) kept_->gather(together_, seen_, *model().placer());
  const Rows mine = joins ? seen_ : together_.first() ? all : Rows{};
  LabelCounts counts(model().names().numbers(), setting_.schema.views.size());
  together_.agree([&] {
    if (!together_.first() && !joins) return;
    kept_->label(mine, model(), fit_->passes == 0 || !again_, !again_, sink_, counts, compute_);
  });
  if (joins) join_results(counts);
  return counts;
}

// Makes the clusters of a stream, and hands the results to the sink.
void Fit::finish() {
  const Timed timed(profile_, Step::results);
  if (!again_) {
    ChunkLearner(model()).refresh(compute_);
    place_early();
    model().number_anew(compute_);
    setting_.clipped = model().tally().negatives;
  }
  const LabelCounts counts = label_rows();
  if (!together_.first()) return;
  if (again_) model().tally().negatives = setting_.clipped;
  describe_model(*fit_);
  sink_.finish();
  describe_labels(*fit_, counts);
}

}  // namespace omvc
