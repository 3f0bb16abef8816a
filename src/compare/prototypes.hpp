// Clusters in data space: a prototype for every cluster and view, and each instance with the prototype that is nearest
// over the views it has:
//
//     minimise   sum over instances i, observed views v of   || x_iv - p_{l(i), v} ||^2
//
// In a view whose rows have length 1 (text, counts) the direction says what an instance is about, and a mean is the
// shorter the more mixed its cluster, which makes large clusters look near to everything. There the last assignments go
// by the direction of the prototype alone, as in spherical k-means (Dhillon, Modha 2001); learning by means first and
// by directions last finds better clusters than either alone (docs/quality.md).
//
// This is the factorisation with one-hot latent rows (A becomes counts, B sums), learned from the stream in the same
// way: its sums add up over chunks, and a later pass takes the old share of a chunk out before it adds the new one. Its
// value is exactly known from the sums, so clusterings that started differently can be compared without labels and the
// best one kept. Several of them ("candidates") are learned at a time, for the price of one wider product.
#pragma once

#include <vector>

#include "factorise/seed_instances.hpp"
#include "file/archive.hpp"
#include "kernels/data_block.hpp"
#include "random/philox.hpp"

namespace omvc {

// A label of every instance (row) for every candidate (column); -1 for an instance without any view.
using CandidateLabels = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

enum class Nearest { by_mean, by_direction };

// How prototypes follow from the rows assigned to them. By default they are the means of the observed rows.
struct PrototypeRule {
  double ridge = 0;  // the objective above plus ridge ||p||^2, so that a prototype is sum / (count + ridge)
  Absent absent = Absent::varied;  // of seeds
  std::vector<Vector>
      fill;  // of each view: what stands in for a missing row, in full; none: missing views are left out
};

class CandidatePrototypes {
 public:
  CandidatePrototypes() = default;
  // `unit` says of every view whether its rows have length 1.
  CandidatePrototypes(const Schema& schema, int clusters, const std::vector<bool>& unit, PrototypeRule rule = {});

  int clusters() const { return clusters_; }
  int candidates() const { return static_cast<int>(frozen_.size()); }

  // Adds a candidate seeded by instances of a chunk, or one with given prototypes, d_v x clusters for every view. The
  // latter keeps these while a whole pass is counted, and only then becomes the mean of what was assigned to it.
  void add_seeded(const PreparedChunk& chunk, const Random& random, Compute& compute);
  void add_given(const std::vector<Matrix>& prototypes);

  // Assigns the chunk and moves the prototypes, `rounds` times or until nothing changes. `previous` holds the labels
  // that the last pass left: their share is taken out. It has -1 where there is none. Returns the labels.
  CandidateLabels learn(const PreparedChunk& chunk, const CandidateLabels& previous, int rounds, Nearest by,
                        Compute& compute);

  // Counts labels in the place of others without moving the prototypes.
  void recount(const PreparedChunk& chunk, const CandidateLabels& before, const CandidateLabels& after,
               Compute& compute);

  // Lets candidates that were given follow their sums from now on (thaw), and all move to where their sums are.
  void thaw() { frozen_.assign(frozen_.size(), false); }
  void end_pass(Compute& compute);

  // Assigns by direction with the prototypes as they are, and adds to `error`, which has one entry per candidate, the
  // least value of the objective above.
  CandidateLabels assign(const PreparedChunk& chunk, RowVector& error, Compute& compute) const;

  // The objective of every candidate over what its sums cover, but for a constant that they share. Infinite for a
  // candidate whose sums cover nothing yet.
  RowVector error() const;
  // The same for the prototypes as they are, without the ridge.
  RowVector squared_distance() const;

  // Keeps only this candidate.
  void keep(int candidate);

  // The prototypes of one view, d_v x (candidates * clusters), one candidate after the other.
  const Matrix& prototypes(std::size_t view) const { return views_[view].prototypes; }
  // Share of the variance of a view about its mean that the clusters of a candidate explain, given ||X||^2 of all that
  // was counted.
  double explained(std::size_t view, int candidate, double squares) const;
  // Rows of a view that are counted, for one candidate.
  double counted(std::size_t view, int candidate) const {
    return views_[view].counts.segment(candidate * clusters_, clusters_).sum();
  }

  // Without `sums` they label but do not go on learning.
  void save(Archive& archive, bool sums = true) const;
  static CandidatePrototypes load(const Archive& archive, const Schema& schema, int clusters,
                                  const std::vector<bool>& unit);

 private:
  struct View {
    Matrix sums;            // d x (candidates * clusters), of the rows assigned to each prototype
    RowVector counts;       // of those rows
    Matrix prototypes;      // d x (candidates * clusters)
    bool unit = false;      // rows have length 1
    RowVector filled = {};  // rows of each prototype that are filled in; they are neither in sums nor in counts
    Vector fill = {};       // what they are; empty where missing rows are left out

    // Sum and number of all rows of a prototype.
    Vector sum(Index k) const { return fill.size() > 0 ? Vector(sums.col(k) + filled(k) * fill) : Vector(sums.col(k)); }
    double count(Index k) const { return fill.size() > 0 ? counts(k) + filled(k) : counts(k); }
  };
  void widen();
  void follow_sums(Compute& compute);
  // Squared distances of every instance (row) from every prototype (column), without the squared norm of the instance,
  // for one product with the data; those that nobody wants are null.
  void distances(const PreparedChunk& chunk, Matrix* by_mean, Matrix* by_direction, Compute& compute) const;
  CandidateLabels nearest(const Matrix& distances, const PreparedChunk& chunk) const;

  int clusters_ = 0;
  double ridge_ = 0;
  Absent absent_ = Absent::varied;
  std::vector<View> views_;
  std::vector<bool> frozen_;  // by candidate: keeps its prototypes until the pass ends
};

}  // namespace omvc
