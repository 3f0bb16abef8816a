// What a run has learned. The sums add up over chunks, so they describe everything seen so far without holding it, and
// with them the exact loss of the past for any basis U:   ||W (X - V U')||^2 = c - 2 <B, U> + <A, U'U>.
#pragma once

#include <vector>

#include "chunk/matrix.hpp"
#include "file/archive.hpp"

namespace omvc {

// The running sums of one view.
struct Sums {
  Matrix A;      // r x r, sum over chunks of V' W^2 V (Eq. 26)
  Matrix B;      // d x r, sum over chunks of X' W^2 V (Eq. 27)
  double c = 0;  // sum over chunks of ||W X||^2

  void reset(Index features, Index rank) {
    A.setZero(rank, rank);
    B.setZero(features, rank);
    c = 0;
  }
  // Follows V <- V diag(D).
  void rescale(const RowVector& D) {
    A = D.asDiagonal() * A * D.asDiagonal();
    B = B * D.asDiagonal();
  }
};

struct ViewState {
  Matrix U;             // d x r, the basis
  Sums seen;            // what the basis is learned from
  Sums pass;            // this pass only: what the average loss of Eq. (28) is made of
  Vector row_sum;       // d, sum of the observed rows (Eq. 10); zero where missing instances are ignored
  double observed = 0;  // their number (Eq. 10, 11)
};

struct State {
  State() = default;
  State(const Schema& schema, Index rank);  // nothing learned yet, every basis zero

  void begin_pass(int number);

  // `prefix` tells several states of one archive apart.
  // Without `sums` the state can embed but not go on learning: much smaller where the rank is.
  void save(Archive& archive, const std::string& prefix = "", bool sums = true) const;
  // Throws ErrorKind::data where `sums` are needed and are not there.
  static State load(const Archive& archive, const Schema& schema, const std::string& prefix = "", bool sums = false);

  std::vector<ViewState> views;
  double instances = 0;       // learned in the first pass, without those that have no view (Eq. 11)
  double pass_instances = 0;  // the same for this pass (Eq. 28)
  double seen_penalty = 0;    // the terms of the loss that do not involve the data, over what `seen` covers
  double pass_penalty = 0;    // and over this pass
  RowVector scale;            // r, product of all rescalings of V so far; tight consensus only, else ones
  int pass = 1;
};

}  // namespace omvc
