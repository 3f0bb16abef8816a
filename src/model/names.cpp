#include "model/names.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace omvc {
namespace {

// Where each prototype of before went: to the one that most of its rows have now.
std::vector<std::int32_t> moves_of(const Membership& before, const Membership& now, const Matrix& shared) {
  Matrix moves = Matrix::Zero(before.prototypes(), now.prototypes());
  for (std::size_t i = 0; i < now.ids.size(); ++i) {
    if (now.ids[i] >= 0 && before.ids[i] >= 0) moves(before.ids[i], now.ids[i]) += 1;
  }
  std::vector<std::int32_t> to;
  for (Index p = 0; p < moves.rows(); ++p) {
    Index at = 0;
    const double most = moves.cols() > 0 ? moves.row(p).maxCoeff(&at) : 0;
    if (!(most > 0)) {
      // No instance of the sample tells: any prototype of the cluster that its own cluster became.
      Index cluster = 0;
      shared.row(before.group[static_cast<std::size_t>(p)]).maxCoeff(&cluster);
      const auto found = std::find(now.group.begin(), now.group.end(), static_cast<int>(cluster));
      at = found == now.group.end() ? 0 : found - now.group.begin();
    }
    to.push_back(static_cast<std::int32_t>(at));
  }
  return to;
}

// The cluster that shares most rows with each of before.
std::vector<int> became_of(const Matrix& shared) {
  std::vector<int> out;
  for (Index k = 0; k < shared.rows(); ++k) {
    Index most = 0;
    out.push_back(shared.cols() > 0 && shared.row(k).maxCoeff(&most) > 0 ? static_cast<int>(most) : -1);
  }
  return out;
}

std::vector<double> sizes_of(const Membership& now, double weight) {
  std::vector<double> sizes(static_cast<std::size_t>(now.count), 0.0);
  for (std::size_t i = 0; i < now.ids.size(); ++i) {
    if (now.cluster(i) >= 0) sizes[static_cast<std::size_t>(now.cluster(i))] += 1;
  }
  for (double& size : sizes) size *= weight;
  return sizes;
}

}  // namespace

Names::Named Names::by_size(const Membership& now, const std::vector<Index>& rows, double weight) {
  std::vector<Index> firsts(static_cast<std::size_t>(now.count), std::numeric_limits<Index>::max());
  for (std::size_t i = 0; i < now.ids.size(); ++i) {
    if (now.cluster(i) < 0) continue;
    Index& first = firsts[static_cast<std::size_t>(now.cluster(i))];
    first = std::min(first, rows[i]);
  }
  return {.naming = name_by_size(sizes_of(now, 1), firsts), .sizes = sizes_of(now, weight), .moves = {}};
}

Names::Named Names::matched(const Membership& before, const Membership& now, double weight) const {
  Matrix shared = Matrix::Zero(before.count, now.count);
  Vector fresh = Vector::Zero(now.count);
  for (std::size_t i = 0; i < now.ids.size(); ++i) {
    if (now.ids[i] < 0) continue;
    // Nothing was known of a row of words alone that were new.
    const bool stranger = before.ids[i] < 0 || (!before.outlier.empty() && before.outlier[i]);
    (stranger ? fresh(now.cluster(i)) : shared(before.cluster(i), now.cluster(i))) += 1;
  }
  return {.naming = match_names(shared * weight, fresh * weight, numbers_, next_),
          .sizes = sizes_of(now, weight),
          .moves = moves_of(before, now, shared),
          .became = became_of(shared)};
}

void Names::take(Named named, double instances) {
  const bool past = !named.moves.empty();
  take(named.naming);
  events_.insert(events_.end(), named.naming.events.begin(), named.naming.events.end());
  if (past || history_.points().empty()) {
    history_.add({.instances = instances,
                  .numbers = named.naming.numbers,
                  .sizes = std::move(named.sizes),
                  .events = std::move(named.naming.events)});
  }
  if (!past) return;
  moves_.push_back(std::move(named.moves));
  became_.push_back(std::move(named.became));
}

void Names::rename(const Naming& naming) {
  const std::vector<int> before = numbers_;
  take(naming);
  history_.rename(before, numbers_);
  events_.clear();
}

std::vector<ClusterEvent> Names::take_events() { return std::exchange(events_, {}); }

Near Names::moved(Near near, Index from) const {
  for (Index g = from; g < generation(); ++g) {
    const std::vector<std::int32_t>& to = moves_[static_cast<std::size_t>(g)];
    for (std::int32_t& id : near.ids) {
      if (id >= 0) id = to[static_cast<std::size_t>(id)];
    }
  }
  return near;
}

int Names::moved(int cluster, Index from) const {
  for (Index g = from; g < generation() && cluster >= 0; ++g) {
    cluster = became_[static_cast<std::size_t>(g)][static_cast<std::size_t>(cluster)];
  }
  return cluster;
}

}  // namespace omvc
