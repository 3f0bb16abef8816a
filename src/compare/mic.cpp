#include "compare/mic.hpp"

#include "compare/offline_factors.hpp"
#include "factorise/steps.hpp"

namespace omvc {
namespace {

constexpr int kSteps = 4;  // updates of V for one product with the data, which costs more than they do

void update_rows(double alpha, double beta, const Matrix& consensus, ViewWork& view) {
  const Matrix above = view.XU + alpha * consensus;
  const TwoRuns w2 = view.X.squared_weights();
  for (int step = 0; step < kSteps; ++step) {
    Matrix below = view.V * view.UtU;
    for (Index i = 0; i < below.rows(); ++i) {
      const double length = view.V.row(i).norm();
      below.row(i) += (alpha + (length > 0 ? beta / (2 * w2[i] * length) : 0)) * view.V.row(i);
    }
    view.V = view.V.cwiseProduct(above).cwiseQuotient(below.cwiseMax(kLeastDenominator));
  }
}

double objective_of(const FactorOptions& options, const State& state, ChunkWork& work, Compute& compute) {
  FactorOptions pull = options;
  pull.beta = {0};
  double objective = penalty(pull, work);
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    ViewWork& view = work.views[v];
    gram(state.views[v].U, view.UtU, compute);
    view.X.sums(view.V, view.share.A, view.share.B, compute);
    objective += reconstruction_error(view.share, state.views[v].U, view.UtU, compute) +
                 of_view(options.beta, v) * view.V.rowwise().norm().sum();
  }
  return objective;
}

}  // namespace

double update_mic_factors(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute) {
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    ViewWork& view = work.views[v];
    Matrix& U = state.views[v].U;
    Sums none;
    none.reset(U.rows(), U.cols());
    refresh_sums(none, view, compute);
    update_basis(options, view, U, compute);
    refresh_products(U, view, compute);
    update_rows(of_view(options.alpha, v), of_view(options.beta, v), consensus_of(work, view), view);
  }
  update_consensus(options, work);
  return objective_of(options, state, work, compute);
}

double update_mic(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute) {
  update_mic_factors(options, state, work, compute);
  rescale_basis(options, state, &work, compute);
  update_consensus(options, work);
  return objective_of(options, state, work, compute);
}

}  // namespace omvc
