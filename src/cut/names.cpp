#include "cut/names.hpp"

#include <algorithm>
#include <numeric>

#include "omvc/evaluation.hpp"

namespace omvc {
namespace {

constexpr double kMost = 0.5;  // share of a cluster that says where it comes from or went

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
  std::vector<std::vector<double>> gain;
  for (Index i = 0; i < old_count; ++i) gain.emplace_back(shared.row(i).begin(), shared.row(i).end());
  const std::vector<int> match = best_matching(gain);  // the new cluster of each last one, or -1
  for (Index i = 0; i < old_count; ++i) {
    const Index j = match[static_cast<std::size_t>(i)];
    // A match that shares next to nothing is none.
    if (j >= 0 && shared(i, j) > 0.1 * std::min(old_mass(i), new_mass(j))) {
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
