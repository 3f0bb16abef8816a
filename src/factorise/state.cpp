#include "factorise/state.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

void put_sums(Archive& archive, const std::string& key, const Sums& sums) {
  archive.put(key + "/A", sums.A);
  archive.put(key + "/B", sums.B);
  archive.put(key + "/c", sums.c);
}

Sums get_sums(const Archive& archive, const std::string& key, Index features, Index rank) {
  return {archive.matrix(key + "/A", rank, rank), archive.matrix(key + "/B", features, rank),
          archive.number(key + "/c")};
}

constexpr Index kMostRank = 4096;  // in an archive: no option allows more

}  // namespace

State::State(const Schema& schema, Index rank) : scale(RowVector::Ones(rank)) {
  for (const ViewSchema& schema_view : schema.views) {
    ViewState view;
    view.U.setZero(schema_view.features, rank);
    view.seen.reset(schema_view.features, rank);
    view.pass.reset(schema_view.features, rank);
    view.row_sum.setZero(schema_view.features);
    views.push_back(std::move(view));
  }
}

void State::begin_pass(int number) {
  pass = number;
  pass_instances = 0;
  pass_penalty = 0;
  for (ViewState& view : views) view.pass.reset(view.U.rows(), view.U.cols());
}

void State::save(Archive& archive, const std::string& prefix, bool sums) const {
  archive.put(prefix + "state/counters",
              std::vector<double>{instances, pass_instances, seen_penalty, pass_penalty, static_cast<double>(pass)});
  archive.put(prefix + "state/scale", std::vector<double>(scale.data(), scale.data() + scale.size()));
  for (std::size_t v = 0; v < views.size(); ++v) {
    const std::string key = fmt::format("{}view{}", prefix, v);
    archive.put(key + "/basis", views[v].U);
    if (sums) {
      put_sums(archive, key + "/seen", views[v].seen);
      put_sums(archive, key + "/pass", views[v].pass);
    }
    archive.put(key + "/row_sum", std::vector<double>(views[v].row_sum.begin(), views[v].row_sum.end()));
    archive.put(key + "/observed", views[v].observed);
  }
}

State State::load(const Archive& archive, const Schema& schema, const std::string& prefix, bool sums) {
  const Vector counters = archive.vector(prefix + "state/counters", 5);
  State state;
  state.scale = archive.vector(prefix + "state/scale",
                               static_cast<Index>(archive.numbers(prefix + "state/scale").size()), {1e-150, 1e150});
  const Index rank = state.scale.size();
  const double passes = counters(4);
  const bool sound = rank >= 1 && rank <= kMostRank && passes >= 1 && passes <= 1e9 && counters.minCoeff() >= 0 &&
                     std::max(counters(0), counters(1)) <= kCount.high;
  if (!sound) throw Error(ErrorKind::data, "the model's counters make no sense");
  state.instances = counters(0);
  state.pass_instances = counters(1);
  state.seen_penalty = counters(2);
  state.pass_penalty = counters(3);
  state.pass = static_cast<int>(passes);
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string key = fmt::format("{}view{}", prefix, v);
    const Index features = schema.views[v].features;
    ViewState view;
    view.U = archive.matrix(key + "/basis", features, rank, {0, kSquarable.high});
    // Without sums none are made up: they take memory that the size of the file says nothing about.
    if (sums || archive.has(key + "/seen/A")) {
      view.seen = get_sums(archive, key + "/seen", features, rank);
      view.pass = get_sums(archive, key + "/pass", features, rank);
    }
    view.row_sum = archive.vector(key + "/row_sum", features, kNonnegative);
    view.observed = archive.number(key + "/observed", kCount);
    state.views.push_back(std::move(view));
  }
  return state;
}

}  // namespace omvc
