#include "compare/multinmf.hpp"

#include "compare/offline_factors.hpp"
#include "factorise/steps.hpp"

namespace omvc {
namespace {

void update_view(double lambda, const Matrix& consensus, Matrix& U, ViewWork& view, Compute& compute) {
  refresh_products(U, view, compute);
  Matrix below = view.V * view.UtU + lambda * view.V;
  view.V = view.V.cwiseProduct(view.XU + lambda * consensus).cwiseQuotient(below.cwiseMax(kLeastDenominator));

  view.X.sums(view.V, view.share.A, view.share.B, compute);
  const RowVector pull = lambda * view.V.cwiseProduct(consensus).colwise().sum();
  const RowVector hold = lambda * U.colwise().sum().cwiseProduct(view.share.A.diagonal().transpose());
  Matrix above = view.share.B;
  above.rowwise() += pull;
  below.noalias() = U * view.share.A;
  below.rowwise() += hold;
  U = U.cwiseProduct(above).cwiseQuotient(below.cwiseMax(kLeastDenominator));

  const RowVector Q = U.colwise().sum().cwiseMax(kLeastDenominator);
  U = U * Q.cwiseInverse().asDiagonal();
  view.V = view.V * Q.asDiagonal();
  view.share.rescale(Q);
}

}  // namespace

double update_multinmf(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute) {
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    update_view(of_view(options.alpha, v), consensus_of(work, work.views[v]), state.views[v].U, work.views[v], compute);
  }
  update_consensus(options, work);
  double objective = penalty(options, work);
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    gram(state.views[v].U, work.views[v].UtU, compute);
    objective += reconstruction_error(work.views[v].share, state.views[v].U, work.views[v].UtU, compute);
  }
  return objective;
}

}  // namespace omvc
