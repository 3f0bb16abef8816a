#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "run/first_look.hpp"
#include "run/fit_run.hpp"
#include "run/impl.hpp"
#include "run/living_steps.hpp"
#include "run/results.hpp"
#include "source/ahead/chunk_stream.hpp"

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

// Scales a chunk of a stream that is read once, choosing first the scaling of views that it is the first to show.
std::vector<Index> FitRun::scale(Chunk& chunk) {
  std::optional<Survey> survey;
  for (std::size_t v = 0; v < setting_.scaling.size(); ++v) {
    if (setting_.scaling[v].known || chunk.views[v].present.empty()) continue;
    if (!survey) {
      survey.emplace(setting_.schema);
      survey->add(chunk, workers_);
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

// How the chunks of a pass are read. Where instances are is found by the readers, for a living model of data that it
// has looked at, and the chunks that are ready are counted together by the threads that are left, a quarter of all.
ReadAhead FitRun::reading() {
  const int threads = workers_.threads();
  if (!places_ahead()) return {.readers = readers_beside(threads)};
  return {.readers = std::min((3 * threads + 3) / 4, kMostReaders),
          .work = [this](const Chunk& chunk) { return std::any(living_fit().place(chunk)); }};
}

// Passes over the chunks before the one where the position stands.
void FitRun::skip_chunks(ChunkStream& stream) {
  std::uint64_t skipped = 0;
  std::uint64_t order = 0;
  Index place = rows_.first;
  bool complete = true;
  for (Index i = 0; i < position_.chunks && complete; ++i) {
    const std::optional<StreamedChunk> item = stream.next();
    complete = item.has_value();
    if (!item) break;
    skipped += item->fingerprint;
    order += order_hash(place, item->chunk);
    place += item->chunk.size();
  }
  if (complete && skipped == position_.fingerprint && order == position_.order) return;
  throw Error(ErrorKind::data,
              "the data are not those that the checkpoint was made with, or come in another order; resume with the "
              "same data, or start again without --resume");
}

// The next chunks, ready to be learned: several where they are counted together. None at the end.
std::vector<StreamedChunk> FitRun::next_chunks(ChunkStream& stream) {
  std::vector<StreamedChunk> items;
  {
    const Timed timed(profile_, Step::waiting);
    if (places_ahead()) {
      items = stream.next_ready();
    } else if (std::optional<StreamedChunk> item = stream.next()) {
      items.push_back(std::move(*item));
    }
  }
  for (StreamedChunk& item : items) {
    profile_.add(Step::reading, item.seconds);
    if (!again_) check_magnitudes(item.chunk, setting_.schema);
    const bool first_pass = position_.pass == 1 && !position_.labelling;
    if (!again_ && !model_) {
      const Timed timed(profile_, Step::prepare);
      item.negatives = scale(item.chunk);
    }
    for (std::size_t v = 0; v < item.negatives.size() && first_pass; ++v) setting_.clipped[v] += item.negatives[v];
    position_.order += order_hash(rows_.first + position_.report.instances, item.chunk);
    position_.report.instances += item.chunk.size();
  }
  return items;
}

// Tells the observer of chunks that were learned. Returns false where it wants the run to end.
bool FitRun::tell_chunks(const std::vector<StreamedChunk>& items, int rounds) {
  Index instances = position_.report.instances;
  for (const StreamedChunk& item : items) instances -= item.chunk.size();
  bool go_on = true;
  for (const StreamedChunk& item : items) {
    instances += item.chunk.size();
    go_on = go_on && observer_.on_chunk({.pass = position_.pass,
                                         .chunk = ++position_.chunks,
                                         .instances = instances,
                                         .loss = position_.report.loss,
                                         .rounds = rounds,
                                         .labelling = position_.labelling});
  }
  return go_on;
}

// Calls use(chunks) for the chunks of the stream from where the position stands, one or more at a time; it returns the
// rounds of each. Returns false if the observer stopped it.
template <class F>
bool FitRun::stream_chunks(Index rows, const F& use) {
  const StopWatch clock(position_.report.seconds);
  if (again_) source_->rewind();
  // A stream that is read once is scaled here: a view's first chunk decides.
  ChunkStream stream(*source_, setting_.schema, rows, again_ ? &setting_.scaling : nullptr, reading());
  skip_chunks(stream);
  const double waited_before = position_.report.waited;
  const auto note_time = [&] {
    position_.report.seconds = clock.seconds();
    position_.report.waited = waited_before + stream.waited();
  };
  for (std::vector<StreamedChunk> items = next_chunks(stream); !items.empty(); items = next_chunks(stream)) {
    const int rounds = use(items);
    take_products();
    bool due = false;
    for (const StreamedChunk& item : items) {
      position_.fingerprint += item.fingerprint;
      position_.report.rounds += rounds;
      due = due_.due() || due;
    }
    note_time();
    const bool go_on = tell_chunks(items, rounds);
    if (!go_on && !together_.alone()) throw Error(ErrorKind::interrupted, interruption());
    if (!go_on && !keep_.file.empty()) {
      checkpoint();
      throw Error(ErrorKind::interrupted,
                  fmt::format("interrupted; {} holds everything so far: run the same command with --resume to go on",
                              keep_.file));
    }
    if (!go_on) return false;
    if (due && together_.alone()) checkpoint();
  }
  note_time();
  return true;
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
      std::vector<const LivingFit::PlacedAhead*> placed;
      for (const StreamedChunk& item : items) placed.push_back(std::any_cast<LivingFit::PlacedAhead>(&item.done));
      const Timed counting(profile_, Step::prototypes);
      living_fit().learn(data, placed, *left, note_loss);
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
