// Which lists of a table an instance looks into.
#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/cpu_forms.hpp"

namespace omvc {
namespace {

// Which prototypes are the nearest to a row.
class Nearby {
 public:
  Nearby(const RowTable& rows, Index probes)
      : rows_(rows), probes_(probes), chosen_(static_cast<std::size_t>(rows.lists()), false) {}

  void choose(const RowVector& distances) {
    nearest_.assign(static_cast<std::size_t>(probes_), {std::numeric_limits<double>::infinity(), -1});
    for (Index p = 0; p < distances.size(); ++p) {
      if (!(distances(p) < nearest_.back().first)) continue;
      auto at = nearest_.end() - 1;
      for (; at != nearest_.begin() && distances(p) < (at - 1)->first; --at) *at = *(at - 1);
      *at = {distances(p), static_cast<std::int32_t>(p)};
    }
    for (const auto& [distance, p] : nearest_) {
      if (p >= 0) chosen_[static_cast<std::size_t>(rows_.list_of[static_cast<std::size_t>(p)])] = true;
    }
  }

  std::vector<Index> lists() const {
    std::vector<Index> out;
    for (std::size_t list = 0; list < chosen_.size(); ++list) {
      if (chosen_[list]) out.push_back(static_cast<Index>(list));
    }
    return out;
  }

 private:
  const RowTable& rows_;
  Index probes_;
  std::vector<bool> chosen_;
  std::vector<std::pair<double, std::int32_t>> nearest_;  // prototypes, ascending
};

}  // namespace

// The lists of the prototypes that are nearest by each view, and by all of them.
std::vector<std::vector<Index>> cpu::lists_for(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                                               const PrototypeTable& prototypes, const RowTable& rows,
                                               const RowSearch& search, Index first, Index last) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(last - first));
  if (rows.lists() == 1) {
    out.assign(out.size(), {0});
    return out;
  }
  if (search.lists != nullptr) {
    out.assign(search.lists->begin() + first, search.lists->begin() + last);
    return out;
  }
  std::vector<std::vector<std::pair<std::size_t, Index>>> own(out.size());  // view and row
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const std::vector<Index>& present = chunk.present(v);
    for (auto at = std::lower_bound(present.begin(), present.end(), first); at != present.end() && *at < last; ++at) {
      own[static_cast<std::size_t>(*at - first)].emplace_back(v, at - present.begin());
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index share = search.probes / (static_cast<Index>(own[i].size()) + 1);
    Nearby nearby(rows, std::min(search.apart ? std::max(share, kLeastProbes) : search.probes, prototypes.size()));
    RowVector all = RowVector::Zero(prototypes.size());
    for (const auto& [v, row] : own[i]) {
      const RowVector distances = prototypes.norms[v] - 2 * products[v].row(row).cast<double>();
      if (search.apart && own[i].size() > 1) nearby.choose(distances);
      all += distances;
    }
    if (!own[i].empty()) nearby.choose(all);
    out[i] = nearby.lists();
  }
  return out;
}

}  // namespace omvc
