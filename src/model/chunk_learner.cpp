#include "model/chunk_learner.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <tuple>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr std::uint32_t kStrangers = 1;  // the random numbers that draw rows among which strangers are counted

// Somebody who does not know the features that are new sends sparse rows without them.
void widen_sparse(Chunk& chunk, const Schema& known, const Schema& schema) {
  for (std::size_t v = 0; v < chunk.views.size() && v < schema.views.size(); ++v) {
    Block& block = chunk.views[v].block;
    if (is_sparse(block) && block_cols(block) == known.views[v].features) {
      std::visit([&](auto& X) { X.cols = schema.views[v].features; }, block);
    }
  }
}

// How many of the rows, which are prepared, are far from all that is known. To compare a row with those of the sample
// takes longer than to learn it. So where many strangers are needed for anything to follow, a few rows are drawn that
// stand for the others: as many as leave Recipe::strangers of them to be found.
double strangers_among(const Chunk& rows, const Placer& now, const ModelTally& tally, const Recipe& recipe,
                       std::uint64_t seed, Compute& compute) {
  const double since = tally.instances - tally.built_at;
  const double each = std::max(1.0, std::floor(recipe.stranger_share * since / std::max(1.0, recipe.strangers)));
  const Random random(seed, Purpose::sample, kStrangers);
  std::vector<Index> drawn;
  for (Index i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::uint64_t>(rows.rows[static_cast<std::size_t>(i)]);
    if (random.below(static_cast<std::uint64_t>(each), row) == 0) drawn.push_back(i);
  }
  if (drawn.empty()) return 0;
  const Chunk looked_at = take_instances(rows, drawn);
  const std::vector<double> distances = now.lies(PreparedChunk(looked_at), compute).distance;
  const auto far = [&](double distance) { return distance > recipe.stranger_distance; };
  return each * static_cast<double>(std::count_if(distances.begin(), distances.end(), far));
}

}  // namespace

void ChunkLearner::widen(const Schema& wider) {
  if (model_.prototypes_.factors) {
    throw Error(ErrorKind::usage, "a model that has prototypes gets no more views or features");
  }
  const std::size_t views = wider.views.size();
  model_.seen_.widen(wider);
  model_.intake_ = std::make_shared<const Intake>(wider, std::vector<ViewScaling>(views),
                                                  kinds_of(model_.seen_.survey()), model_.options_.scaling);
  model_.prototypes_.squares.resize(views, 0);
  model_.tally_.negatives.resize(views, 0);
}

// Takes admitted rows into survey, sample and prototypes. Returns where they lie, with a placer.
std::optional<Placed> ChunkLearner::learn_rows(Chunk chunk, const Placer* now, Wants wants, Compute& compute) {
  ModelTally& tally = model_.tally_;
  model_.seen_.add(chunk, tally.instances, compute);
  model_.follow_survey();
  if (now == nullptr) return std::nullopt;
  const Intake& intake = model_.intake();
  tally.strangers += static_cast<double>(drop_features(chunk, intake.schema()));
  const std::vector<Index> negatives = intake.prepare(chunk);
  for (std::size_t v = 0; v < negatives.size(); ++v) tally.negatives[v] += negatives[v];
  const PreparedChunk data(chunk);
  tally.strangers += strangers_among(chunk, *now, tally, model_.recipe_, model_.options_.seed, compute);
  FinePrototypes& placing = model_.mutable_placing();
  const auto learn = [&](const Near& near) {
    placing.count({&data, 1}, {&near, 1}, model_.options_.seed, compute);
    placing.settle(compute);
  };
  if (wants == Wants::nothing) {
    learn(now->near(data, compute));
    return std::nullopt;
  }
  Placed placed = now->place(data, compute);
  learn(placed.near);
  return placed;
}

void ChunkLearner::forget(double rows) {
  if (!(model_.options_.half_life > 0)) return;
  const double factor = std::exp2(-rows / model_.options_.half_life);
  model_.seen_.decay(factor);
  model_.prototypes_.fine.decay(factor);
  if (model_.cut_.round) model_.cut_.round->decay(factor);
}

// Learns the rows of a chunk that are not strange; those that are, are placed beside them and set aside.
void ChunkLearner::learn_usual(Chunk chunk, const Placer* now, Wants wants, Learned& out, Compute& compute) {
  std::vector<bool> keep;
  std::vector<StrangeRow> strange;
  Seen& seen = model_.seen_;
  if (now) strange = seen.set_aside(chunk, *now->ranges(), model_.tally_.instances, keep);
  if (!strange.empty()) {
    out.strange.insert(out.strange.end(), strange.begin(), strange.end());
    if (wants == Wants::places) {
      Chunk whole = chunk;
      model_.intake().prepare(whole);
      out.placed = now->place(PreparedChunk(whole), compute);
      for (std::size_t i = 0, at = 0; i < keep.size(); ++i) {
        if (!keep[i]) out.placed->set_outside(i, strange[at++].outside);
      }
    }
    keep_in_place(chunk, keep);
  }
  if (chunk.size() == 0) return;
  std::optional<Placed> placed = learn_rows(std::move(chunk), now, out.placed ? Wants::nothing : wants, compute);
  if (!out.placed) out.placed = std::move(placed);
}

Learned ChunkLearner::learn(Chunk chunk, Compute& compute, Wants wants) {
  Learned out;
  std::exception_ptr interrupted;
  try {
    if (refresh_due()) out.not_built = try_refresh(out.strange, compute);
  } catch (const Error&) {
    interrupted = std::current_exception();
  }
  Seen& seen = model_.seen_;
  widen_sparse(chunk, model_.intake().schema(), seen.schema());
  model_.intake().admit(chunk, seen.schema());
  const auto rows = static_cast<double>(chunk.size());
  // Rows are judged by what was known before any of it is forgotten: a half-life may be shorter than a chunk.
  const std::shared_ptr<const Placer> now = model_.placer();
  forget(rows);
  model_.cut_.rows.clear();
  model_.tally_.sizes.clear();
  learn_usual(std::move(chunk), now.get(), wants, out, compute);
  if (now && seen.aside().size() > 0) {
    Chunk released = seen.release(*model_.ranges(), model_.tally_.instances + rows, model_.recipe_);
    out.accepted = released.size();
    model_.intake().match(released);
    if (out.accepted > 0) learn_rows(std::move(released), now.get(), Wants::nothing, compute);
  }
  model_.tally_.instances += rows;
  if (interrupted) std::rethrow_exception(interrupted);
  if (out.accepted > 0 || time_to_build()) out.not_built = try_refresh(out.strange, compute);
  return out;
}

Index ChunkLearner::first_rows() const {
  const Recipe& recipe = model_.recipe_;
  return std::max(recipe.first_rows, recipe.first_per_cluster * model_.options_.clusters);
}

void ChunkLearner::check_room() const {
  const Reservoir& sample = model_.seen_.reservoir();
  const Index held = sample.size();
  if (model_.prototypes_.factors || !sample.full() || held >= first_rows()) return;
  const double memory = model_.options_.memory;
  throw Error(ErrorKind::usage,
              fmt::format("prototypes are made from {} rows at least, and a sample of {} MB holds {} of these rows: "
                          "give --memory {:.2g} or more",
                          first_rows(), memory, held,
                          2 * memory * static_cast<double>(first_rows()) / static_cast<double>(held)));
}

bool ChunkLearner::time_to_build() const {
  const Recipe& recipe = model_.recipe_;
  const Reservoir& sample = model_.seen_.reservoir();
  const ModelTally& tally = model_.tally_;
  const double since = tally.instances - tally.built_at;
  if (!model_.prototypes_.factors) {
    // After one that failed it waits for more rows.
    return sample.size() >= first_rows() && tally.instances >= recipe.growth * tally.built_at;
  }
  // What a stream that forgets was made of has given way to other rows by half.
  const double half_life = std::max(model_.options_.half_life, static_cast<double>(recipe.first_rows));
  if (model_.options_.half_life > 0 && since >= half_life) return true;
  return tally.instances >= (sample.whole() ? recipe.growth : recipe.sampled_growth) * tally.built_at ||
         tally.strangers >= std::max(recipe.strangers, recipe.stranger_share * since);
}

std::vector<StrangeRow> ChunkLearner::refresh(Compute& compute) {
  std::vector<StrangeRow> strange;
  if (!model_.prototypes_.factors && model_.seen_.reservoir().size() > 0) {
    strange = model_.seen_.set_first_aside(model_.compressed(), model_.tally_.instances, compute);
    model_.follow_survey();
  }
  auto now = std::tie(model_.intake_, model_.prototypes_, model_.cut_, model_.names_, model_.tally_);
  auto before = std::tuple(model_.intake_, model_.prototypes_, model_.cut_, model_.names_, model_.tally_);
  refreshing_ = true;
  try {
    model_.make_again(compute);
    refreshing_ = false;
    model_.refresh_due_ = false;
  } catch (...) {
    refreshing_ = false;
    now = std::move(before);
    model_.rest();
    throw;
  }
  return strange;
}

std::string ChunkLearner::try_refresh(std::vector<StrangeRow>& strange, Compute& compute) {
  try {
    const std::vector<StrangeRow> found = refresh(compute);
    strange.insert(strange.end(), found.begin(), found.end());
    return {};
  } catch (const Error& error) {
    model_.refresh_due_ = error.kind() == ErrorKind::interrupted;
    if (model_.refresh_due_) throw;
    // As if it had been made, so that it is tried again in time and not with every chunk.
    model_.tally_.built_at = model_.tally_.instances;
    model_.tally_.strangers = 0;
    return error.what();
  }
}

}  // namespace omvc
