#include "solver/steps.hpp"

#include <map>

namespace omvc {
namespace {

// Steps of the row solver for one product with the data. The paper takes one; coordinate descent profits from a few,
// which cost little beside the product.
int steps(const Options& options) { return options.solver == RowSolver::hals ? 4 : 1; }

Matrix gather(const Matrix& from, const std::vector<Index>& positions) {
  Matrix out(static_cast<Index>(positions.size()), from.cols());
  for (std::size_t i = 0; i < positions.size(); ++i) out.row(static_cast<Index>(i)) = from.row(positions[i]);
  return out;
}

// 1 / D for the columns to rescale by; 1 where a column is zero.
RowVector inverse_or_one(const RowVector& D) {
  return D.unaryExpr([](double x) { return x > 0 ? 1 / x : 1.0; });
}

}  // namespace

void update_basis(const Options& options, ViewWork& work, Matrix& U, Workers& workers) {
  const RowProblem problem(options.solver, work.total.A);
  problem.improve(work.total.B, {}, steps(options), U, workers);
}

void update_latent(const Options& options, std::size_t view, const Matrix& consensus, ViewWork& work,
                   Workers& workers) {
  const double alpha = of_view(options.alpha, view);
  Matrix G = work.UtU;
  G.diagonal().array() += alpha;
  const Matrix Q = work.XU + alpha * gather(consensus, work.X.positions());
  const RowProblem problem(options.solver, std::move(G));
  problem.improve(Q, work.X.lasso(of_view(options.beta, view)), steps(options), work.V, workers);
}

void update_consensus(const Options& options, ChunkWork& work) {
  Vector weight = Vector::Zero(work.consensus.rows());
  work.consensus.setZero();
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    const ViewWork& view = work.views[v];
    const TwoRuns w2 = view.X.squared_weights();
    for (Index i = 0; i < view.X.rows(); ++i) {
      const Index at = view.X.positions()[static_cast<std::size_t>(i)];
      const double share = of_view(options.alpha, v) * w2[i];
      work.consensus.row(at) += share * view.V.row(i);
      weight(at) += share;
    }
  }
  for (Index i = 0; i < weight.size(); ++i) {
    if (weight(i) > 0) work.consensus.row(i) /= weight(i);
  }
}

void update_joint_latent(const Options& options, ChunkWork& work, Workers& workers) {
  const Index r = work.consensus.cols();
  Matrix Q = Matrix::Zero(work.consensus.rows(), r);
  for (const ViewWork& view : work.views) {
    for (Index i = 0; i < view.X.rows(); ++i) Q.row(view.X.positions()[static_cast<std::size_t>(i)]) += view.XU.row(i);
  }
  for (const PatternGroup& group : work.groups) {
    Matrix G = Matrix::Zero(r, r);
    for (const std::size_t v : group.views) G += work.views[v].UtU;
    G.diagonal().array() += work.ridge;
    Matrix V = gather(work.consensus, group.positions);
    const RowProblem problem(options.solver, std::move(G));
    problem.improve(gather(Q, group.positions), {}, steps(options), V, workers);
    for (std::size_t i = 0; i < group.positions.size(); ++i) {
      work.consensus.row(group.positions[i]) = V.row(static_cast<Index>(i));
    }
  }
  for (ViewWork& view : work.views) view.V = gather(work.consensus, view.X.positions());
}

void refresh_products(const Matrix& U, ViewWork& work, Workers& workers) {
  work.X.times(U, work.XU, workers);
  gram(U, work.UtU, workers);
}

void refresh_sums(const Sums& past, ViewWork& work, Workers& workers) {
  work.X.sums(work.V, work.share.A, work.share.B, workers);
  work.total.A = past.A + work.share.A;
  work.total.B = past.B + work.share.B;
  work.total.c = past.c + work.share.c;
}

void rescale_basis(const Options& options, State& state, ChunkWork* work) {
  const auto rescale_view = [&](std::size_t v, const RowVector& D) {
    ViewState& view = state.views[v];
    view.U = view.U * inverse_or_one(D).asDiagonal();
    const RowVector safe = inverse_or_one(inverse_or_one(D));
    view.seen.rescale(safe);
    view.pass.rescale(safe);
    if (work != nullptr) work->views[v].V = work->views[v].V * safe.asDiagonal();
  };
  if (options.consensus == Consensus::soft) {
    for (std::size_t v = 0; v < state.views.size(); ++v) rescale_view(v, state.views[v].U.colwise().sum());
    return;
  }
  RowVector D = RowVector::Zero(state.scale.size());
  for (const ViewState& view : state.views) D += view.U.colwise().sum();
  D /= static_cast<double>(state.views.size());
  for (std::size_t v = 0; v < state.views.size(); ++v) rescale_view(v, D);
  const RowVector safe = inverse_or_one(inverse_or_one(D));
  state.scale = state.scale.cwiseProduct(safe);
  if (work != nullptr) work->consensus = work->consensus * safe.asDiagonal();
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

double penalty(const Options& options, const ChunkWork& work) {
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

double objective(const Options& options, const State& state, const ChunkWork& work) {
  double loss = state.seen_penalty + penalty(options, work);
  for (std::size_t v = 0; v < state.views.size(); ++v) {
    loss += work.views[v].total.reconstruction_error(state.views[v].U, work.views[v].UtU);
  }
  return loss;
}

}  // namespace omvc
