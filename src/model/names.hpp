// The numbers of clusters, which last: after each cut clusters are matched to those before (cut/names.hpp), what
// happened is told, and the past is kept.
#pragma once

#include <string>
#include <vector>

#include "omvc/report.hpp"

#include "cut/names.hpp"
#include "kernels/near.hpp"
#include "model/history.hpp"

namespace omvc {

// Where the rows of a sample are, and the clusters they are in.
struct Membership {
  std::vector<std::int32_t> ids;   // the prototype of each row; -1: none
  std::vector<int> group;          // the cluster of each prototype
  int count = 0;                   // clusters
  std::vector<bool> outlier = {};  // rows that are far from every prototype; empty: none is
  std::vector<int> clusters = {};  // of each row, where votes decide; empty: that of its prototype

  Index prototypes() const { return static_cast<Index>(group.size()); }
  int cluster(std::size_t row) const {
    if (ids[row] < 0) return -1;
    return clusters.empty() ? group[static_cast<std::size_t>(ids[row])] : clusters[row];
  }
};

class Names {
 public:
  Names() = default;
  Names(std::vector<int> numbers, int next) : numbers_(std::move(numbers)), next_(next) {}
  void set_history(History history) { history_ = std::move(history); }
  const History& history() const { return history_; }

  // Names for the clusters of a cut: their numbers, their sizes in the sample, and the events that led to them.
  struct Named {
    Naming naming;
    std::vector<double> sizes;
    std::vector<std::int32_t> moves;  // for each earlier prototype, the one it became; empty without earlier ones
    std::vector<int> became = {};     // for each earlier cluster, the one that most of its rows are in; -1: none
  };
  // Names for the clusters of `now`, by size, the larger first, and among equals by the row number that comes first.
  // `weight` is how many instances a row stands for.
  static Named by_size(const Membership& now, const std::vector<Index>& rows, double weight);
  // Names for the clusters of `now`: one that goes on from a cluster of `before` keeps its number (cut/names.hpp).
  Named matched(const Membership& before, const Membership& now, double weight) const;

  // Takes these names, after so many instances of the stream.
  void take(Named named, double instances);
  // Takes numbers alone.
  void take(const Naming& naming) {
    numbers_ = naming.numbers;
    next_ = naming.next;
  }
  // Numbers clusters by size, whatever they were called before.
  void rename(const Naming& naming);

  const std::vector<int>& numbers() const { return numbers_; }
  int next() const { return next_; }  // the first number that no cluster has had
  std::vector<ClusterEvent> take_events();

  // Every time prototypes are made again a new generation begins. `moved` gives the prototypes of this generation that
  // those of an earlier one became.
  Index generation() const { return static_cast<Index>(moves_.size()); }
  Index prototypes(Index generation) const {
    return static_cast<Index>(moves_[static_cast<std::size_t>(generation)].size());
  }
  Near moved(Near near, Index generation) const;
  // The same of clusters, which are places in the cut of a generation; -1: it is gone.
  int moved(int cluster, Index generation) const;
  Index clusters(Index generation) const {
    return static_cast<Index>(became_[static_cast<std::size_t>(generation)].size());
  }
  void forget_moves() {  // where nobody will ask for them any more
    moves_.clear();
    became_.clear();
  }

 private:
  std::vector<int> numbers_;
  int next_ = 0;
  std::vector<ClusterEvent> events_;
  History history_;
  std::vector<std::vector<std::int32_t>> moves_;
  std::vector<std::vector<int>> became_;
};

}  // namespace omvc
