#include "methods/mic.hpp"

#include "factorise/steps.hpp"
#include "methods/offline_factors.hpp"

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

double objective_of(const FactorOptions& options, const State& state, ChunkWork& work, Workers& workers) {
  FactorOptions pull = options;
  pull.beta = {0};
  double objective = penalty(pull, work);
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    ViewWork& view = work.views[v];
    gram(state.views[v].U, view.UtU, workers);
    view.X.sums(view.V, view.share.A, view.share.B, workers);
    objective += reconstruction_error(view.share, state.views[v].U, view.UtU, workers) +
                 of_view(options.beta, v) * view.V.rowwise().norm().sum();
  }
  return objective;
}

}  // namespace

double update_mic_factors(const FactorOptions& options, State& state, ChunkWork& work, Workers& workers) {
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    ViewWork& view = work.views[v];
    Matrix& U = state.views[v].U;
    Sums none;
    none.reset(U.rows(), U.cols());
    refresh_sums(none, view, workers);
    update_basis(options, view, U, workers);
    refresh_products(U, view, workers);
    update_rows(of_view(options.alpha, v), of_view(options.beta, v), consensus_of(work, view), view);
  }
  update_consensus(options, work);
  return objective_of(options, state, work, workers);
}

double update_mic(const FactorOptions& options, State& state, ChunkWork& work, Workers& workers) {
  update_mic_factors(options, state, work, workers);
  rescale_basis(options, state, &work, workers);
  update_consensus(options, work);
  return objective_of(options, state, work, workers);
}

}  // namespace omvc
