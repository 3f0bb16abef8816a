#include "factorise/steps.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "kernels/tall.hpp"

namespace omvc {
namespace {

// Steps of the row solver for one product with the data. The paper takes one; coordinate descent profits from a few,
// which cost little beside the product.
int steps(const FactorOptions& options) { return options.solver == RowSolver::hals ? 4 : 1; }

void gather(const Matrix& from, const std::vector<Index>& positions, Matrix& out, Compute& compute) {
  out.resize(static_cast<Index>(positions.size()), from.cols());
  for_tall_blocks(compute, out.rows(), out.cols(), [&](Index first, Index count) {
    for (Index i = first; i < first + count; ++i) out.row(i) = from.row(positions[static_cast<std::size_t>(i)]);
  });
}

constexpr std::size_t kRowsAtOnce = 32;  // latent rows that a thread solves for

// How far from 1 the norms of the columns may be before they are brought to 1 again. Nothing but the ridge, which is
// relative to all of them, depends on the scale of a column where the consensus is tight; rescaling runs over all of U
// and B, and after the first chunks there is next to nothing to rescale.
constexpr double kNearOne = 0.1;

// 1 / D for the columns to rescale by; 1 where a column is zero.
RowVector inverse_or_one(const RowVector& D) {
  return D.unaryExpr([](double x) { return x > 0 ? 1 / x : 1.0; });
}

}  // namespace

void update_basis(const FactorOptions& options, ViewWork& work, Matrix& U, Compute& compute) {
  const RowProblem problem(options.solver, work.total.A);
  problem.improve(work.total.B, {}, steps(options), U, compute);
}

RowProblem latent_problem(const FactorOptions& options, std::size_t view, const ViewWork& work) {
  Matrix G = work.UtU;
  G.diagonal().array() += of_view(options.alpha, view);
  return {options.solver, std::move(G)};
}

void update_latent(const FactorOptions& options, std::size_t view, const RowProblem& problem, const Matrix& consensus,
                   ViewWork& work, Compute& compute) {
  const double alpha = of_view(options.alpha, view);
  const std::vector<Index>& positions = work.X.positions();
  Matrix& Q = work.pulled;
  Q.resize(work.XU.rows(), work.XU.cols());
  for_tall_blocks(compute, Q.rows(), Q.cols(), [&](Index first, Index count) {
    const Index r = Q.cols();
    for (Index i = first; i < first + count; ++i) {
      const double* const product = work.XU.data() + i * r;
      const double* const towards = consensus.data() + positions[static_cast<std::size_t>(i)] * r;
      double* const q = Q.data() + i * r;
      for (Index k = 0; k < r; ++k) q[k] = product[k] + alpha * towards[k];
    }
  });
  problem.improve(Q, work.X.lasso(of_view(options.beta, view)), steps(options), work.V, compute);
}

void update_latent(const FactorOptions& options, std::size_t view, const Matrix& consensus, ViewWork& work,
                   Compute& compute) {
  update_latent(options, view, latent_problem(options, view, work), consensus, work, compute);
}

void update_consensus(const FactorOptions& options, ChunkWork& work) {
  const Index r = work.consensus.cols();
  Vector weight = Vector::Zero(work.consensus.rows());
  work.consensus.setZero();
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    const ViewWork& view = work.views[v];
    const TwoRuns w2 = view.X.squared_weights();
    for (Index i = 0; i < view.X.rows(); ++i) {
      const Index at = view.X.positions()[static_cast<std::size_t>(i)];
      const double share = of_view(options.alpha, v) * w2[i];
      const double* const latent = view.V.data() + i * r;
      double* const mean = work.consensus.data() + at * r;
      for (Index k = 0; k < r; ++k) mean[k] += share * latent[k];
      weight(at) += share;
    }
  }
  for (Index i = 0; i < weight.size(); ++i) {
    if (weight(i) > 0) work.consensus.row(i) /= weight(i);
  }
}

void update_joint_latent(const FactorOptions& options, int rounds, double done, ChunkWork& work, Compute& compute) {
  const Index r = work.consensus.cols();
  Matrix& Q = work.products;
  Q.setZero(work.consensus.rows(), r);
  for (const ViewWork& view : work.views) {
    for_tall_blocks(compute, view.X.rows(), r, [&](Index first, Index count) {
      for (Index i = first; i < first + count; ++i) {
        Q.row(view.X.positions()[static_cast<std::size_t>(i)]) += view.XU.row(i);
      }
    });
  }
  // Groups are small: some rows of each are a task, and all of them go side by side.
  struct Task {
    std::size_t problem;
    std::span<const Index> rows;
  };
  std::vector<RowProblem> problems;
  std::vector<Task> tasks;
  for (const PatternGroup& group : work.groups) {
    Matrix G = Matrix::Zero(r, r);
    for (const std::size_t v : group.views) G += work.views[v].UtU;
    G.diagonal().array() += work.ridge;
    const std::span<const Index> rows(group.positions);
    for (std::size_t first = 0; first < rows.size(); first += kRowsAtOnce) {
      tasks.push_back({problems.size(), rows.subspan(first, std::min(kRowsAtOnce, rows.size() - first))});
    }
    problems.emplace_back(options.solver, std::move(G), done);
  }
  const Timed timed(compute.profile(), Step::row_solver);
  for_blocks(compute, static_cast<Index>(tasks.size()), 1, true, [&](Index at, Index) {
    Compute alone;
    const Task& task = tasks[static_cast<std::size_t>(at)];
    problems[task.problem].improve(Q, rounds * steps(options), task.rows, work.consensus, alone);
  });
  for (ViewWork& view : work.views) gather(work.consensus, view.X.positions(), view.V, compute);
}

void refresh_products(const Matrix& U, ViewWork& work, Compute& compute) {
  work.X.times(U, work.XU, compute);
  gram(U, work.UtU, compute);
}

void refresh_small_sums(const Sums& past, ViewWork& work, Compute& compute) {
  gram(work.V, work.X.observed(), work.X.squared_weights().rest, work.total.A, compute);
  work.total.A += past.A;
  work.total.c = past.c + work.share.c;
}

void refresh_fit(const Sums& past, const Matrix& U, ViewWork& work, Compute& compute) {
  work.fit = inner_product(past.B, U, compute) + work.X.weighted_product(work.V, work.XU);
}

void refresh_large_sum(const Sums& past, ViewWork& work, Compute& compute) {
  Sums& total = work.total;
  total.B.resize(past.B.rows(), past.B.cols());
  for_tall_blocks(compute, past.B.rows(), past.B.cols(), [&](Index first, Index count) {
    total.B.middleRows(first, count) = past.B.middleRows(first, count);
  });
  work.X.add_to(work.V, total.B, compute);
}

void keep_sums(ViewWork& work, ViewState& view, Compute& compute) {
  view.pass.A += work.total.A - view.seen.A;
  view.pass.c += work.share.c;
  for_tall_blocks(compute, view.U.rows(), view.U.cols(), [&](Index first, Index count) {
    view.pass.B.middleRows(first, count) +=
        work.total.B.middleRows(first, count) - view.seen.B.middleRows(first, count);
  });
  std::swap(view.seen, work.total);
}

void rescale_basis(const FactorOptions& options, State& state, ChunkWork* work, Compute& compute) {
  const auto rescale_view = [&](std::size_t v, const RowVector& D) {
    ViewState& view = state.views[v];
    const RowVector shrink = inverse_or_one(D);
    const RowVector safe = inverse_or_one(shrink);
    scale_columns(shrink, view.U, compute);
    scale_columns(safe, view.seen.B, compute);
    scale_columns(safe, view.pass.B, compute);
    view.seen.A = safe.asDiagonal() * view.seen.A * safe.asDiagonal();
    view.pass.A = safe.asDiagonal() * view.pass.A * safe.asDiagonal();
    if (work != nullptr) work->views[v].V *= safe.asDiagonal();
  };
  if (options.consensus == Consensus::soft) {
    for (std::size_t v = 0; v < state.views.size(); ++v) rescale_view(v, column_sums(state.views[v].U, compute));
    return;
  }
  RowVector D = RowVector::Zero(state.scale.size());
  for (const ViewState& view : state.views) D += column_sums(view.U, compute);
  D /= static_cast<double>(state.views.size());
  if ((D.array() > 1 - kNearOne).all() && (D.array() < 1 + kNearOne).all()) return;
  for (std::size_t v = 0; v < state.views.size(); ++v) rescale_view(v, D);
  const RowVector safe = inverse_or_one(inverse_or_one(D));
  state.scale = state.scale.cwiseProduct(safe);
  if (work != nullptr) work->consensus *= safe.asDiagonal();
}

std::vector<PatternGroup> group_by_pattern(const ChunkWork& work) {
  std::vector<std::vector<std::size_t>> views_of(static_cast<std::size_t>(work.consensus.rows()));
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    for (const Index at : work.views[v].X.positions()) views_of[static_cast<std::size_t>(at)].push_back(v);
  }
  std::map<std::vector<std::size_t>, std::vector<Index>> by_pattern;
  for (std::size_t i = 0; i < views_of.size(); ++i) {
    if (!views_of[i].empty()) by_pattern[views_of[i]].push_back(static_cast<Index>(i));
  }
  std::vector<PatternGroup> groups;
  for (auto& [views, positions] : by_pattern) groups.push_back({views, std::move(positions)});
  return groups;
}

double penalty(const FactorOptions& options, const ChunkWork& work) {
  if (options.consensus == Consensus::tight) return work.ridge * work.consensus.squaredNorm();
  double sum = 0;
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    const ViewWork& view = work.views[v];
    const TwoRuns w2 = view.X.squared_weights();
    double disagreement = 0;
    for (Index i = 0; i < view.X.rows(); ++i) {
      const Index at = view.X.positions()[static_cast<std::size_t>(i)];
      disagreement += w2[i] * (view.V.row(i) - work.consensus.row(at)).squaredNorm();
    }
    sum += of_view(options.alpha, v) * disagreement + of_view(options.beta, v) * view.V.sum();
  }
  return sum;
}

namespace {

double error_of(const Sums& sums, double fit, const Matrix& UtU) {
  const double error = sums.c - 2 * fit + sums.A.cwiseProduct(UtU).sum();
  return error < 0 ? 0 : error;
}

}  // namespace

double reconstruction_error(const Sums& sums, const Matrix& U, const Matrix& UtU, Compute& compute) {
  return error_of(sums, inner_product(sums.B, U, compute), UtU);
}

double objective(const FactorOptions& options, const State& state, const ChunkWork& work) {
  double loss = state.seen_penalty + penalty(options, work);
  for (const ViewWork& view : work.views) loss += error_of(view.total, view.fit, view.UtU);
  return loss;
}

}  // namespace omvc
