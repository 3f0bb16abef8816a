#include "model/telling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace omvc {

std::vector<Telling> telling_features(const Matrix& profiles, Index cluster, Index count) {
  const Vector own = profiles.col(cluster);
  Vector others = profiles.rowwise().sum() - own;
  if (profiles.cols() > 1) others /= static_cast<double>(profiles.cols() - 1);
  const Vector differ = (own - others).cwiseAbs();
  std::vector<Index> order(static_cast<std::size_t>(own.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto shown = static_cast<std::ptrdiff_t>(std::min(count, own.size()));
  std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                    [&](Index a, Index b) { return std::pair(-differ(a), a) < std::pair(-differ(b), b); });
  std::vector<Telling> out;
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const Index j = order[static_cast<std::size_t>(i)];
    if (!(differ(j) > 0)) break;
    out.push_back({j, own(j), others(j)});
  }
  return out;
}

}  // namespace omvc
