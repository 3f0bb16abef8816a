// How well labels agree with the truth. Every score is computed from a table of counts that adds up over chunks, so
// labels of any number of instances can be scored without holding them.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"

namespace omvc {

// The class of an instance of which nobody knows it.
inline constexpr int kNoClass = std::numeric_limits<int>::min();

// Counts of (label, class) pairs. Labels and classes are any integers; a pair whose label is negative is counted apart,
// because -1 marks an instance that was observed in no view and so was not clustered. One without a class is not
// counted.
class OMVC_API Contingency {
 public:
  void add(int label, int truth, Index count = 1);
  void add(std::span<const int> labels, std::span<const int> truth);  // throws ErrorKind::data if lengths differ

  Index scored() const { return scored_; }          // pairs with a label
  Index unlabelled() const { return unlabelled_; }  // pairs without

  // The counts as a dense row-major table, labels in ascending order by classes in ascending order.
  std::vector<std::vector<double>> table() const;
  std::vector<int> labels() const;   // the row heads
  std::vector<int> classes() const;  // the column heads

 private:
  std::map<int, std::map<int, Index>> counts_;
  Index scored_ = 0;
  Index unlabelled_ = 0;
};

struct Scores {
  double nmi_geometric = 0;   // I / sqrt(H(labels) H(truth)): the authors' normalisation, used in all our figures
  double nmi_arithmetic = 0;  // 2 I / (H(labels) + H(truth)): scikit-learn's default
  double accuracy = 0;        // AC: share of instances on the diagonal under the best one-to-one matching
  double ari = 0;             // adjusted Rand index
  double purity = 0;          // share of instances in the majority class of their cluster
};

// Where both partitions have one part, all scores are 1; where one of them has, NMI and ARI are 0.
// Throws ErrorKind::data where nothing was scored.
OMVC_API Scores score(const Contingency& counts);

// For each row of a cost table the column assigned to it, each column at most once, such that as many rows as possible
// are assigned (min of both sizes) and the total *gain* is largest; -1 for a row without a column.
OMVC_API std::vector<int> best_matching(const std::vector<std::vector<double>>& gain);

}  // namespace omvc
