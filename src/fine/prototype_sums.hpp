// What the rows near each prototype add up to. Parts of the data are added up apart and then merged. Values are rounded
// to fixed steps, so that sums are exact: neither the order of the rows nor how they are cut into chunks and parts
// changes a bit (until a weight or a half-life multiplies them).
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "file/archive.hpp"
#include "kernels/near.hpp"

namespace omvc {

struct PrototypeSums {
  PrototypeSums() = default;
  PrototypeSums(const Schema& schema, Index prototypes);

  Index size() const { return mass.size(); }

  // Adds the instances of a chunk: each to its nearest prototype, and to the affinity of those it lies between, in one
  // of two halves drawn by row number. Several chunks are counted one after the other. `each` is called after every one
  // of them; then all but the sums of features have counted the chunks so far, and no more. `quantum` is the step of
  // each view.
  void add(std::span<const PreparedChunk> chunks, std::span<const Near> near, const std::vector<double>& quantum,
           std::uint64_t seed, Compute& compute, const std::function<void()>& each = {});
  // Adds instances to the prototypes that are named, without affinity; or, with `sign` -1, takes instances that were
  // added like this out again, which leaves no trace.
  void add(std::span<const Members> members, double sign, const std::vector<double>& quantum, Compute& compute);
  // Adds what was counted of other rows for the same prototypes. Throws ErrorKind::data where they are not the same.
  void merge(const PrototypeSums& other);
  void clear(Compute& compute);  // all sums to zero
  void decay(double factor);     // all sums times this
  void keep(const std::vector<Index>& prototypes);

  double rows(std::size_t view) const { return counts[view].sum(); }
  double mean_distance() const { return mass.sum() > 0 ? spread.sum() / mass.sum() : 0; }
  // The distance that is usual for the members of a prototype, drawn to that of all where members are few.
  Vector usual_distances() const;
  // Of the rows of a view that were added with their affinity: the mean of ||x||^2.
  double mean_square(std::size_t view) const {
    return rows(view) > 0 ? squares(static_cast<Index>(view)) / rows(view) : 0;
  }
  bool complete() const;  // every instance that was added had every view
  Matrix affinity_of_both() const { return affinity[0] + affinity[1]; }

  // Means of groups of prototypes in a view, d x groups, where group[p] is that of prototype p; -1: in none.
  Matrix means(std::size_t view, const std::vector<int>& group, int groups) const;
  // Of each view: the sum over groups g of ||sum of its rows||^2 / their number.
  std::vector<double> between(const std::vector<int>& group, int groups) const;

  // `whole`: also the sums of features and the affinity, without which nothing can be added.
  void put(Archive& archive, const std::string& key, bool whole = true) const;
  // Throws ErrorKind::data where they are not sums of so many prototypes.
  static PrototypeSums get(const Archive& archive, const std::string& key, const Schema& schema, Index prototypes,
                           bool whole = true);

  std::vector<Matrix> sums;        // of each view: d x m
  std::vector<RowVector> counts;   // of each view: rows of each prototype
  std::array<Matrix, 2> affinity;  // of each half: how often instances lie between two prototypes, m x m
  Vector mass;                     // instances whose nearest prototype each is
  Vector spread;                   // sum of the distances of the members
  Vector squares;                  // of each view: sum of ||x||^2 of the rows added with their affinity

 private:
  void add_counts(const Members& of, double sign);
  void add_affinity(const PreparedChunk& chunk, const Near& near, const std::vector<std::int32_t>& nearest,
                    const std::vector<double>& quantum, std::uint64_t seed);
};

}  // namespace omvc
