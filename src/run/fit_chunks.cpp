// How the chunks of a pass come: read ahead, scaled, and placed where that is possible, from where the position stands.
#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "run/fit_run.hpp"

namespace omvc {

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
bool FitRun::stream_chunks(Index rows, const std::function<int(std::vector<StreamedChunk>&)>& use) {
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

}  // namespace omvc
