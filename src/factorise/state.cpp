#include "factorise/state.hpp"

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

// Counts are kept as double; those of a sound model are numbers of instances.
double checked_count(double count) {
  constexpr double kMost = 9007199254740992.0;  // 2^53: beyond it a double does not count
  if (!(count >= 0 && count <= kMost)) throw Error(ErrorKind::data, "the model's counters make no sense");
  return count;
}

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

State State::load(const Archive& archive, const Schema& schema, const std::string& prefix) {
  const Vector counters = archive.vector(prefix + "state/counters", 5);
  const std::vector<double>& scale = archive.numbers(prefix + "state/scale");
  const auto rank = static_cast<Index>(scale.size());
  const double passes = counters(4);
  if (rank < 1 || !(passes >= 1 && passes <= 1e9)) throw Error(ErrorKind::data, "the model's counters make no sense");
  // Compared with what is stored before memory is taken for it.
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    archive.matrix(fmt::format("{}view{}/basis", prefix, v), schema.views[v].features, rank);
  }
  State state(schema, rank);
  state.instances = checked_count(counters(0));
  state.pass_instances = checked_count(counters(1));
  state.seen_penalty = counters(2);
  state.pass_penalty = counters(3);
  state.pass = static_cast<int>(counters(4));
  state.scale = archive.vector(prefix + "state/scale", rank);
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string key = fmt::format("{}view{}", prefix, v);
    const Index features = schema.views[v].features;
    state.views[v].U = archive.matrix(key + "/basis", features, rank);
    if (archive.has(key + "/seen/A")) {
      state.views[v].seen = get_sums(archive, key + "/seen", features, rank);
      state.views[v].pass = get_sums(archive, key + "/pass", features, rank);
    }
    state.views[v].row_sum = archive.vector(key + "/row_sum", features);
    state.views[v].observed = checked_count(archive.number(key + "/observed"));
  }
  return state;
}

}  // namespace omvc
