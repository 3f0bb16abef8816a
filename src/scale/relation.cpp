#include "scale/relation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "chunk/matrix.hpp"
#include "scale/rows_of_view.hpp"
#include "scale/spread.hpp"

namespace omvc {
namespace {

constexpr std::size_t kRows = 800;       // that are compared with each other: more say the same
constexpr std::size_t kFewestRows = 40;  // that can tell
constexpr std::size_t kMostUnits = 64;   // among more a single one weighs little
constexpr std::size_t kMostFeatures = 512;
constexpr std::size_t kFewValues = 10;      // that make sheets
constexpr std::size_t kFewestMeasured = 2;  // columns of many values
constexpr Index kNeighbours = 10;

class Relations {
 public:
  Relations(const ColumnsLook& look, std::span<const Chunk> rows, std::size_t view) : look_(look) {
    if (look.units.size() > kMostUnits || look.clean.sum.size() > kMostFeatures) return;
    gather(rows, view);
    find_candidates();
  }

  std::vector<double> run() {
    std::vector<double> out(look_.units.size(), 1.0);
    if (static_cast<std::size_t>(scaled_.rows()) < kFewestRows || candidates_.empty()) return out;
    const Matrix apart = distances(0, scaled_.cols());
    for (const std::size_t u : candidates_) out[u] = relation(u, apart);
    return out;
  }

 private:
  // The rows brought to the scale that they are compared by; a missing cell is the mean of its column.
  void gather(std::span<const Chunk> rows, std::size_t view) {
    ViewScaling scaling;
    spread_units(look_, scaling);
    const std::vector<double> means = means_of(look_.clean);
    const std::size_t step = std::max<std::size_t>((count_rows(rows, view) + kRows - 1) / kRows, 1);
    std::vector<double> values;
    std::size_t at = 0;
    for_rows(rows, view, std::numeric_limits<std::size_t>::max(), [&](const std::vector<double>& row) {
      if (!is_looked_at(at++, step)) return;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const bool known = !std::isnan(row[j]) && !is_said_missing(row[j], j);
        known_.push_back(known);
        const double range = std::max(0.0, look_.clean.maximum[j] - scaling.shift[j]);
        const double x = (known ? mapped(row[j], j) : means[j]) - scaling.shift[j];
        values.push_back(std::clamp(x, 0.0, range) * scaling.gain[j]);
      }
    });
    const auto d = static_cast<Index>(means.size());
    scaled_ = Eigen::Map<const Matrix>(values.data(), d > 0 ? static_cast<Index>(values.size()) / d : 0, d);
  }

  bool is_said_missing(double x, std::size_t j) const {
    return !look_.missing_below.empty() && (x <= look_.missing_below[j] || x >= look_.missing_above[j]);
  }

  double mapped(double x, std::size_t j) const {
    const bool log = !look_.unit.empty() && look_.unit[j] > 0;
    return log ? std::log1p(std::max(x, 0.0) / look_.unit[j]) : x;
  }

  bool has_few_values(const ColumnUnit& unit) const {
    if (unit.two_values) return true;
    std::set<double> values;
    for (Index i = 0; i < scaled_.rows() && values.size() <= kFewValues; ++i) {
      if (is_known(i, unit.first)) values.insert(scaled_(i, static_cast<Index>(unit.first)));
    }
    return values.size() > 1 && values.size() <= kFewValues;
  }

  void find_candidates() {
    std::size_t measured = 0;
    for (std::size_t u = 0; u < look_.units.size(); ++u) {
      const ColumnUnit& unit = look_.units[u];
      if (has_few_values(unit)) {
        candidates_.push_back(u);
      } else if (look_.clean.minimum[unit.first] < look_.clean.maximum[unit.first]) {
        ++measured;
      }
    }
    if (measured < kFewestMeasured) candidates_.clear();
  }

  bool is_known(Index row, std::size_t feature) const {
    return known_[static_cast<std::size_t>(row * scaled_.cols()) + feature];
  }

  // Squared, by the features from `first` on.
  Matrix distances(Index first, Index last) const {
    const auto X = scaled_.middleCols(first, last - first);
    Matrix out(X.rows(), X.rows());
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index j = 0; j < X.rows(); ++j) out(i, j) = (X.row(i) - X.row(j)).squaredNorm();
    }
    return out;
  }

  // Numbers for the values that rows have in a unit; -1 where it is missing.
  std::vector<int> values_of(const ColumnUnit& unit) const {
    std::map<std::vector<double>, int> numbers;
    std::vector<int> out;
    for (Index i = 0; i < scaled_.rows(); ++i) {
      std::vector<double> value;
      for (std::size_t j = unit.first; j < unit.last; ++j) value.push_back(scaled_(i, static_cast<Index>(j)));
      const int number = numbers.try_emplace(value, static_cast<int>(numbers.size())).first->second;
      out.push_back(is_known(i, unit.first) ? number : -1);
    }
    return out;
  }

  double relation(std::size_t u, const Matrix& apart) const {
    const ColumnUnit& unit = look_.units[u];
    const std::vector<int> value = values_of(unit);
    const Matrix others = apart - distances(static_cast<Index>(unit.first), static_cast<Index>(unit.last));
    std::vector<Index> known;
    std::map<int, double> sizes;
    for (Index i = 0; i < scaled_.rows(); ++i) {
      if (value[static_cast<std::size_t>(i)] < 0) continue;
      known.push_back(i);
      sizes[value[static_cast<std::size_t>(i)]] += 1;
    }
    if (known.size() < kFewestRows) return 1;
    const auto count = static_cast<double>(known.size());
    double chance = 0;
    for (const auto& [number, size] : sizes) chance += size * (size - 1) / (count * (count - 1));
    double same = 0;
    for (const Index i : known) same += agreeing(i, known, others, value);
    const double share = same / (count * static_cast<double>(kNeighbours));
    return chance < 1 ? std::clamp((share - chance) / (1 - chance), 0.0, 1.0) : 1;
  }

  // Of the nearest rows by all other columns, how many have the value of row i.
  static double agreeing(Index i, const std::vector<Index>& known, const Matrix& others,
                         const std::vector<int>& value) {
    std::vector<std::pair<double, Index>> near;
    for (const Index j : known) {
      if (j != i) near.emplace_back(others(i, j), j);
    }
    std::nth_element(near.begin(), near.begin() + (kNeighbours - 1), near.end());
    return static_cast<double>(std::count_if(near.begin(), near.begin() + kNeighbours, [&](const auto& one) {
      return value[static_cast<std::size_t>(one.second)] == value[static_cast<std::size_t>(i)];
    }));
  }

  const ColumnsLook& look_;
  Matrix scaled_;
  std::vector<bool> known_;  // of each cell of it
  std::vector<std::size_t> candidates_;
};

}  // namespace

std::vector<double> relations(const ColumnsLook& look, std::span<const Chunk> rows, std::size_t view) {
  return Relations(look, rows, view).run();
}

}  // namespace omvc
