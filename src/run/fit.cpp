#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "run/first_look.hpp"
#include "run/fit_run.hpp"
#include "run/impl.hpp"
#include "run/living_steps.hpp"

namespace omvc {

Report FitRun::run() {
  profile_.start();
  workers_.set_poll([this] {
    if (!observer_.on_wait()) throw Error(ErrorKind::interrupted, interruption());
  });
  // What is to be forgotten depends on what came after it: with a half-life data are a stream, whatever they come from.
  again_ = source_->rewind() && !(living() && setting_.options.half_life > 0);
  take_part();
  start();
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

// The scaling of a view. Methods that factorise need it to be nonnegative.
ViewScaling FitRun::scaling_of(std::size_t view, const ViewSurvey& survey) const {
  ViewScaling out = choose_scaling(of_view(setting_.options.scaling, view), survey, setting_.schema.views[view].name);
  if (takes_signed(setting_.options.method)) out.refuse_negatives = false;
  return out;
}

// Makes a chunk ready and, in the first pass, counts what is in it.
PreparedChunk FitRun::prepare(const Chunk& chunk) {
  const Timed timed(profile_, Step::prepare);
  PreparedChunk data(chunk);
  // Which process knows a row may change from pass to pass where a run was resumed.
  if (position_.pass == 1 || !together_.alone() || patterns_->store().rows() < report_.instances) {
    patterns_->remember(chunk);
  }
  for (const Index row : chunk.rows) {
    const Index end = std::max(seen_.first + seen_.count, row + 1);
    seen_.first = seen_.count == 0 ? row : std::min(seen_.first, row);
    seen_.count = end - seen_.first;
  }
  if (position_.pass > 1) return data;
  counts_.instances = std::max(counts_.instances, seen_.first + seen_.count);
  for (std::size_t v = 0; v < data.views.size(); ++v) {
    if (!model_) counts_.squares[v] += data.views[v].squared_norm(workers_);
    counts_.present[v] += data.views[v].rows();
  }
  counts_.observed += std::count(data.observed.begin(), data.observed.end(), true);
  return data;
}

// Returns false if the observer stopped it.
bool FitRun::learn_pass() {
  if (position_.chunks == 0) {
    seen_ = {};
    position_.report.pass = position_.pass;
    method_->begin_pass(position_.pass);
  }
  const auto note_loss = [&] {
    position_.report.loss = method_->average_loss(workers_);
    if (together_.alone()) position_.curve.add(position_.report.loss);
  };
  std::optional<Workers> left;
  if (places_ahead()) left.emplace(std::max(1, workers_.threads() - reading().readers));
  return stream_chunks(report_.chunk, [&](std::vector<StreamedChunk>& items) {
    std::vector<PreparedChunk> data;
    for (const StreamedChunk& item : items) data.push_back(prepare(item.chunk));
    const Timed timed(profile_, Step::learning);
    if (places_ahead()) {
      std::vector<LivingFit::PlacedAhead> placed;
      for (StreamedChunk& item : items) {
        placed.push_back(std::any_cast<LivingFit::PlacedAhead>(std::move(item.done)));
      }
      const Timed counting(profile_, Step::prototypes);
      living_fit().learn(data, std::move(placed), *left, note_loss);
      profile_.count_products(left->profile().take_products());
      return 1;
    }
    int rounds = 1;
    if (model_ && !again_) {
      method_->learn_unscaled(std::move(items.front().chunk), workers_);
    } else {
      rounds = method_->learn(data.front(), workers_);
    }
    note_loss();
    return rounds;
  });
}

// What the processes counted in a pass, added up in the first one.
void FitRun::add_passes() {
  if (together_.alone()) return;
  const std::size_t views = setting_.schema.views.size();
  Archive mine;
  PassSums{.instances = position_.report.instances,
           .chunks = position_.chunks,
           .rounds = position_.report.rounds,
           .fingerprint = position_.fingerprint,
           .order = position_.order,
           .observed = counts_.observed,
           .last = counts_.instances,
           .present = counts_.present,
           .clipped = setting_.clipped}
      .put(mine);
  model_->save_counted(mine);
  together_.reduce(
      [&](const std::string& bytes) {
        merge_passes(mine, Archive::from_bytes(bytes, "what another process counted"), views);
      },
      [&] { return mine.to_bytes(); });
  if (together_.first()) take_pass(mine, *model_, setting_, state_);
}

void FitRun::run_pass() {
  bool complete = true;
  together_.agree([&] { complete = learn_pass(); });
  add_passes();
  report_.stopped = !complete;
  const int next = method_->pass_after(position_.pass);
  together_.agree([&] {
    if (!together_.first()) return;
    check_instances(complete);
    PassReport& result = position_.report;
    const StopWatch clock(result.seconds);
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
    position_ = {};
    position_.pass = next;
    position_.labelling = next > passes_;
    // After the last pass each process knows the places of its own rows, which a checkpoint does not.
    if (complete && (together_.alone() || next <= passes_)) checkpoint();
  });
  position_.pass = next;
  position_.labelling = next > passes_;
  if (next <= passes_) follow_first();
}

void FitRun::check_instances(bool complete) {
  const Index found = position_.report.instances;
  if (complete && again_) check_pass(state_, position_.pass, found, position_.fingerprint, position_.order);
  if (position_.pass > 1) return;
  report_.instances = complete ? found : std::max(report_.instances, found);
  report_.unobserved = found - counts_.observed;
  if (counts_.instances > report_.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the source numbers an instance {} but has only {}: number them from 0 to {}",
                            counts_.instances - 1, report_.instances, report_.instances - 1));
  }
}

// A resumed run that has nothing left to read has to be of these data all the same.
void FitRun::check_data() {
  data_.rewind();
  const FirstLook look = look_at(data_, observer_, workers_);
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
  const bool complete = stream_chunks(std::max(report_.chunk, kLabelRows), [&](std::vector<StreamedChunk>& items) {
    const PreparedChunk data = prepare(items.front().chunk);
    const Timed timed(profile_, Step::learning);
    method_->label(data, workers_);
    return 0;
  });
  report_.stopped = !complete;
  if (complete) check_instances(true);
}

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing) {
  Exchange alone;
  return fit(source, sink, observer, checkpointing, alone);
}

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing,
                      Exchange& exchange) {
  Setting setting{.options = impl_->options, .schema = {}, .scaling = {}, .clipped = {}};
  setting.start(source.schema());
  FitRun run(setting, impl_->workers.get(), source, sink, observer, checkpointing, exchange);
  Report report = run.run();
  if (exchange.rank() > 0) return report;
  impl_->model = std::move(run.model());
  impl_->other = std::move(run.other());
  return report;
}

}  // namespace omvc
