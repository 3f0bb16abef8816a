#include "cut/names.hpp"

#include <algorithm>
#include <numeric>

#include "omvc/evaluation.hpp"

namespace omvc {
namespace {

constexpr double kMost = 0.5;      // share of a cluster that says where it comes from or went
constexpr double kThird = 1 / 3.;  // share of both clusters that lets one carry on the other

// Which cluster may carry on which: those that are most of each other, or at least a third. A matching by shared mass
// alone gives the number of half a cluster, whose halves are one again, to another cluster that took a few of its rows.
std::vector<std::vector<double>> carried_on(const Matrix& shared, const Vector& old_mass, const Vector& new_mass) {
  std::vector<std::vector<double>> gain;
  for (Index i = 0; i < shared.rows(); ++i) {
    std::vector<double>& row = gain.emplace_back(static_cast<std::size_t>(shared.cols()), 0.0);
    for (Index j = 0; j < shared.cols(); ++j) {
      const double both = shared(i, j);
      const bool most = both == shared.row(i).maxCoeff() && both == shared.col(j).maxCoeff();
      if (most || both >= kThird * std::max(old_mass(i), new_mass(j))) row[static_cast<std::size_t>(j)] = both;
    }
  }
  return gain;
}

}  // namespace

Naming name_by_size(const std::vector<double>& sizes, const std::vector<Index>& firsts) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (sizes[a] != sizes[b] || firsts.empty()) return sizes[a] > sizes[b];
    return firsts[a] < firsts[b];
  });
  Naming out{.numbers = std::vector<int>(sizes.size()), .next = static_cast<int>(sizes.size()), .events = {}};
  for (std::size_t i = 0; i < order.size(); ++i) out.numbers[order[i]] = static_cast<int>(i);
  return out;
}

Naming match_names(const Matrix& shared, const Vector& fresh, const std::vector<int>& last, int next) {
  const Index old_count = shared.rows();
  const Index new_count = shared.cols();
  const Vector old_mass = shared.rowwise().sum();
  const Vector new_mass = shared.colwise().sum().transpose() + fresh;
  Naming out{.numbers = std::vector<int>(static_cast<std::size_t>(new_count), -1), .next = next, .events = {}};
  const std::vector<std::vector<double>> gain = carried_on(shared, old_mass, new_mass);
  const std::vector<int> match = best_matching(gain);  // the new cluster of each last one, or -1
  for (Index i = 0; i < old_count; ++i) {
    const Index j = match[static_cast<std::size_t>(i)];
    if (j >= 0 && gain[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] > 0) {
      out.numbers[static_cast<std::size_t>(j)] = last[static_cast<std::size_t>(i)];
    }
  }
  for (Index j = 0; j < new_count; ++j) {
    int& number = out.numbers[static_cast<std::size_t>(j)];
    if (number >= 0) continue;
    number = out.next++;
    Index from = 0;
    const double most = old_count > 0 ? shared.col(j).maxCoeff(&from) : 0;
    const bool split = most > kMost * new_mass(j);
    out.events.push_back({.kind = split ? ClusterEvent::Kind::split : ClusterEvent::Kind::born,
                          .cluster = number,
                          .other = split ? last[static_cast<std::size_t>(from)] : -1,
                          .instances = new_mass(j)});
  }
  for (Index i = 0; i < old_count; ++i) {
    const int number = last[static_cast<std::size_t>(i)];
    if (std::find(out.numbers.begin(), out.numbers.end(), number) != out.numbers.end()) continue;
    Index into = 0;
    const double most = new_count > 0 ? shared.row(i).maxCoeff(&into) : 0;
    const bool merged = old_mass(i) > 0 && most > kMost * old_mass(i);
    out.events.push_back({.kind = merged ? ClusterEvent::Kind::merged : ClusterEvent::Kind::gone,
                          .cluster = number,
                          .other = merged ? out.numbers[static_cast<std::size_t>(into)] : -1,
                          .instances = old_mass(i)});
  }
  return out;
}

}  // namespace omvc
