// The one optimisation problem of OMVC. Many independent rows z share one r x r matrix G, symmetric and positive
// semidefinite:
//
//     minimise   J(z) = z G z' - 2 z q' + l 1'z      over z >= 0                 gradient 2 (z G - q) + l, Hessian 2 G
//
// Latent step (Eq. 19):  G = U'U + alpha I,  q = x U + alpha v*,  l = beta / w^2.      J is Eq. (19) divided by w^2.
// Basis step  (Eq. 12):  G = A,              q = a row of B,      l = 0.
//
// Steps are taken per row: a result depends neither on how rows are grouped nor on threads. No step raises J.
#pragma once

#include <span>

#include "omvc/options.hpp"

#include "chunk/matrix.hpp"
#include "parallel/compute.hpp"

namespace omvc {

// A value a row, given as two runs: rows [0, first) have `head`, the others `rest`.
struct TwoRuns {
  Index first = 0;
  double head = 0;
  double rest = 0;

  double operator[](Index row) const { return row < first ? head : rest; }
};

class RowProblem {
 public:
  // `done`: see improve.
  RowProblem(RowSolver solver, Matrix G, double done = 0);

  // Improves every row of Z (m x r), given the rows q of Q and l, by `steps` steps of
  //   newton    z <- P[z - gamma grad H^-1] (Eq. 16, 22); gamma = 1, eta, eta^2 ... until Eq. (18) holds. The projected
  //             Newton step need not descend; where no gamma does, a projected-gradient step with 1 / Lipschitz
  //             constant is taken, which always satisfies Eq. (18).
  //   diagonal  the same with diag(H) for H (Section IV-B).
  //   hals      cyclic coordinate descent: every coordinate to its minimum given the others. A row takes no
  //             more steps after one that moves none of its entries by more than `done` times its largest one.
  void improve(const MatrixIn& Q, const TwoRuns& l, int steps, MatrixOut Z, Compute& compute) const;

  // The same with l = 0 for some rows alone, which have the same numbers in Q and Z.
  void improve(const MatrixIn& Q, int steps, std::span<const Index> rows, MatrixOut Z, Compute& compute) const;

  // J of one row, and how far the row is from satisfying the KKT conditions: max over k of |min(z_k, grad_k)|.
  double objective(const RowVector& z, const RowVector& q, double l) const;
  double kkt_residual(const RowVector& z, const RowVector& q, double l) const;

  const Matrix& G() const { return G_; }

 private:
  // Rows `first` to `last`, of all rows or of those listed.
  struct Some {
    Index first;
    Index last;
    const Index* rows;

    Index size() const { return last - first; }
    Index operator[](Index i) const { return rows == nullptr ? first + i : rows[first + i]; }
  };
  void improve_some(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z,
                    Compute& compute) const;
  // Calls solve(q, l, count, room, z) for kLane rows at a time that lie side by side, so that the lanes of a vector are
  // rows; the last time for what is left of them.
  template <class Solve>
  void in_lanes(const MatrixIn& Q, const TwoRuns& l, const Some& some, MatrixOut Z, const Solve& solve) const;
  void newton(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z) const;
  void descend(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z) const;

  RowSolver solver_;
  Matrix G_;
  double done_;
  Matrix inverse_;        // of G, ridged where it is singular (newton), or of its diagonal (diagonal)
  double lipschitz_ = 0;  // an upper bound on the largest eigenvalue of G
};

}  // namespace omvc
