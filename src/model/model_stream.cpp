// A model that learns a stream: which rows it takes in, and when prototypes are made again.
#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <tuple>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "model/model.hpp"

namespace omvc {

std::vector<bool> Model::compressed() const {
  std::vector<bool> out;
  for (std::size_t v = 0; v < survey_.views.size(); ++v) {
    ViewScaling scaling = intake_->scaling()[v];
    if (!scaling.known && survey_.views[v].observed > 0) {
      try {
        scaling = omvc::choose_scaling(of_view(options_.scaling, v), survey_.views[v], intake_->schema().views[v].name);
        scaling.log_ratios = false;  // which strange rows may make it look like
      } catch (const Error&) {
        scaling = {};
      }
    }
    out.push_back(scaling.unit_rows || scaling.log_ratios);
  }
  return out;
}

std::vector<StrangeRow> Model::set_aside_from(const Chunk& chunk, const Ranges& ranges, std::vector<bool>& keep) {
  const std::vector<Ranges::Outside> outside = ranges.outside(chunk);
  std::vector<StrangeRow> strange;
  std::vector<Index> out;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    keep.push_back(!(outside[i].reach > 1));
    if (keep.back()) continue;
    out.push_back(static_cast<Index>(i));
    strange.push_back({.row = chunk.rows[i], .view = outside[i].view, .widths = outside[i].widths});
  }
  if (!out.empty()) set_aside_.add(take_instances(chunk, out), tally_.instances, room_aside());
  return strange;
}

// The survey knows the strange rows already, and is made again from those that stay.
std::vector<StrangeRow> Model::set_first_aside(Compute& compute) {
  const Schema& schema = schema_;
  const Ranges ranges(reservoir_.chunks(), schema, compressed());
  std::vector<StrangeRow> strange;
  std::vector<bool> keep;
  for (const Chunk& chunk : reservoir_.chunks()) {
    const std::vector<StrangeRow> found = set_aside_from(chunk, ranges, keep);
    strange.insert(strange.end(), found.begin(), found.end());
  }
  if (strange.empty()) return strange;
  const double each = (survey_.instances - survey_.unobserved) / static_cast<double>(reservoir_.size());
  reservoir_.keep(keep, compute);
  Survey fresh(schema, survey_.totals);
  for (const Chunk& chunk : reservoir_.chunks()) fresh.add(chunk, compute);
  if (each != 1) fresh.decay(each);
  fresh.instances += survey_.unobserved;
  fresh.unobserved = survey_.unobserved;
  survey_ = std::move(fresh);
  follow_survey();
  return strange;
}

// Takes admitted rows into survey, sample and prototypes. Returns where they lie, with a placer.
std::optional<Placed> Model::learn_rows(Chunk chunk, const Placer* now, Compute& compute) {
  survey_.add(chunk, compute);
  follow_survey();
  reservoir_.offer(chunk, tally_.instances, compute);
  if (now == nullptr) return std::nullopt;
  strangers_ += static_cast<double>(drop_features(chunk, intake_->schema()));
  const std::vector<Index> negatives = intake_->prepare(chunk);
  for (std::size_t v = 0; v < negatives.size(); ++v) tally_.negatives[v] += negatives[v];
  const PreparedChunk data(chunk);
  Placed placed = now->place(data, compute);
  mutable_placing().count({&data, 1}, {&placed.near, 1}, options_.seed, compute);
  mutable_placing().settle(compute);
  const auto far = [&](double distance) { return distance > recipe_.stranger_distance; };
  strangers_ += static_cast<double>(std::count_if(placed.distance.begin(), placed.distance.end(), far));
  return placed;
}

Learned Model::learn(Chunk chunk, Compute& compute) {
  Learned out;
  std::exception_ptr interrupted;
  try {
    if (refresh_due_) out.not_built = try_refresh(out.strange, compute);
  } catch (const Error&) {
    interrupted = std::current_exception();
  }
  for (std::size_t v = 0; v < chunk.views.size() && v < schema_.views.size(); ++v) {
    Block& block = chunk.views[v].block;  // of somebody who does not know the new features
    if (is_sparse(block) && block_cols(block) == intake_->schema().views[v].features) {
      std::visit([&](auto& X) { X.cols = schema_.views[v].features; }, block);
    }
  }
  intake_->admit(chunk, schema_);
  const auto rows = static_cast<double>(chunk.size());
  if (options_.half_life > 0) {
    const double factor = std::exp2(-rows / options_.half_life);
    survey_.decay(factor);
    prototypes_.fine.decay(factor);
    if (cut_.round) cut_.round->decay(factor);
  }
  cut_.rows.clear();
  tally_.sizes.clear();
  const std::shared_ptr<const Placer> now = placer();
  std::vector<bool> keep;
  std::vector<StrangeRow> strange;
  if (now) strange = set_aside_from(chunk, Ranges(survey_, compressed()), keep);
  if (!strange.empty()) {
    out.strange.insert(out.strange.end(), strange.begin(), strange.end());
    Chunk whole = chunk;
    intake_->prepare(whole);
    out.placed = now->place(PreparedChunk(whole), compute);
    keep_in_place(chunk, keep);
  }
  if (chunk.size() > 0) {
    std::optional<Placed> placed = learn_rows(std::move(chunk), now.get(), compute);
    if (!out.placed) out.placed = std::move(placed);
  }
  if (now && set_aside_.size() > 0) {
    Chunk released = set_aside_.release(Ranges(survey_, compressed()), tally_.instances + rows, recipe_, schema_);
    out.accepted = released.size();
    intake_->match(released);
    if (out.accepted > 0) learn_rows(std::move(released), now.get(), compute);
  }
  tally_.instances += rows;
  if (interrupted) std::rethrow_exception(interrupted);
  if (out.accepted > 0 || time_to_build()) out.not_built = try_refresh(out.strange, compute);
  return out;
}

Index Model::first_rows() const { return std::max(recipe_.first_rows, recipe_.first_per_cluster * options_.clusters); }

void Model::check_room() const {
  const Index held = reservoir_.size();
  if (prototypes_.factors || !reservoir_.full() || held >= first_rows()) return;
  throw Error(ErrorKind::usage,
              fmt::format("prototypes are made from {} rows at least, and a sample of {} MB holds {} of these rows: "
                          "give --memory {:.2g} or more",
                          first_rows(), options_.memory, held,
                          2 * options_.memory * static_cast<double>(first_rows()) / static_cast<double>(held)));
}

bool Model::time_to_build() const {
  const double since = tally_.instances - built_at_;
  if (!prototypes_.factors) {
    const Index wanted = first_rows();
    // After one that failed it waits for more rows.
    return reservoir_.size() >= wanted && tally_.instances >= recipe_.growth * built_at_;
  }
  // What a stream that forgets was made of has given way to other rows by half.
  const double half_life = std::max(options_.half_life, static_cast<double>(recipe_.first_rows));
  if (options_.half_life > 0 && since >= half_life) return true;
  return tally_.instances >= (reservoir_.whole() ? recipe_.growth : recipe_.sampled_growth) * built_at_ ||
         strangers_ >= std::max(recipe_.strangers, recipe_.stranger_share * since);
}

std::vector<StrangeRow> Model::refresh(Compute& compute) {
  std::vector<StrangeRow> strange;
  if (!prototypes_.factors && reservoir_.size() > 0) strange = set_first_aside(compute);
  auto before = std::tuple(intake_, prototypes_, cut_, names_, tally_, built_at_, strangers_);
  refreshing_ = true;
  try {
    make_again(compute);
    refreshing_ = false;
    refresh_due_ = false;
  } catch (...) {
    refreshing_ = false;
    std::tie(intake_, prototypes_, cut_, names_, tally_, built_at_, strangers_) = std::move(before);
    rest();
    throw;
  }
  return strange;
}

std::string Model::try_refresh(std::vector<StrangeRow>& strange, Compute& compute) {
  try {
    const std::vector<StrangeRow> found = refresh(compute);
    strange.insert(strange.end(), found.begin(), found.end());
    return {};
  } catch (const Error& error) {
    refresh_due_ = error.kind() == ErrorKind::interrupted;
    if (refresh_due_) throw;
    // As if it had been made, so that it is tried again in time and not with every chunk.
    built_at_ = tally_.instances;
    strangers_ = 0;
    return error.what();
  }
}

}  // namespace omvc
