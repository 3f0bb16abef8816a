#include <algorithm>
#include <cmath>
#include <numeric>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

namespace omvc {
namespace {

using Table = std::vector<std::vector<double>>;

struct Margins {
  std::vector<double> rows;
  std::vector<double> columns;
  double total = 0;
};

Margins margins_of(const Table& table) {
  Margins margins;
  margins.columns.assign(table.front().size(), 0.0);
  for (const std::vector<double>& row : table) {
    margins.rows.push_back(std::accumulate(row.begin(), row.end(), 0.0));
    for (std::size_t j = 0; j < row.size(); ++j) margins.columns[j] += row[j];
  }
  margins.total = std::accumulate(margins.rows.begin(), margins.rows.end(), 0.0);
  return margins;
}

double entropy(const std::vector<double>& counts, double total) {
  double sum = 0;
  for (const double count : counts) sum -= count / total * std::log(count / total);
  return sum;
}

double mutual_information(const Table& table, const Margins& margins) {
  double sum = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < table[i].size(); ++j) {
      const double count = table[i][j];
      if (count == 0) continue;
      // Two quotients instead of one, because the product of the margins outgrows the exact integers of a double first.
      sum += count / margins.total * std::log(count / margins.rows[i] * (margins.total / margins.columns[j]));
    }
  }
  return sum;
}

double pairs(double count) { return count * (count - 1) / 2; }

double pairs_within(const std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts) sum += pairs(count);
  return sum;
}

double adjusted_rand(const Table& table, const Margins& margins) {
  double together = 0;
  for (const std::vector<double>& row : table) together += pairs_within(row);
  const double in_labels = pairs_within(margins.rows);
  const double in_classes = pairs_within(margins.columns);
  // All instances alone in both partitions: they agree, and the quotient below would be 0 / 0.
  if (in_labels + in_classes == 0) return 1;
  const double expected = in_labels / pairs(margins.total) * in_classes;
  return (together - expected) / ((in_labels + in_classes) / 2 - expected);
}

double matched(const Table& table) {
  const std::vector<int> columns = best_matching(table);
  double sum = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (columns[i] >= 0) sum += table[i][static_cast<std::size_t>(columns[i])];
  }
  return sum;
}

double majority(const Table& table) {
  double sum = 0;
  for (const std::vector<double>& row : table) sum += *std::max_element(row.begin(), row.end());
  return sum;
}

}  // namespace

Scores score(const Contingency& counts) {
  if (counts.scored() == 0) {
    throw Error(ErrorKind::data, "no instance has both a label and a class: there is nothing to score");
  }
  const Table table = counts.table();
  const Margins margins = margins_of(table);
  Scores scores;
  scores.accuracy = matched(table) / margins.total;
  scores.purity = majority(table) / margins.total;
  const bool one_label = margins.rows.size() == 1;
  const bool one_class = margins.columns.size() == 1;
  if (one_label || one_class) {
    scores.nmi_geometric = scores.nmi_arithmetic = scores.ari = one_label && one_class ? 1 : 0;
    return scores;
  }
  const double in_labels = entropy(margins.rows, margins.total);
  const double in_classes = entropy(margins.columns, margins.total);
  const double shared = mutual_information(table, margins);
  // Rounding may carry the quotients past their range by a few units in the last place.
  scores.nmi_geometric = std::clamp(shared / std::sqrt(in_labels * in_classes), 0.0, 1.0);
  scores.nmi_arithmetic = std::clamp(2 * shared / (in_labels + in_classes), 0.0, 1.0);
  scores.ari = adjusted_rand(table, margins);
  return scores;
}

}  // namespace omvc
