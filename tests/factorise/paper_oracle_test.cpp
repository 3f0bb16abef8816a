// Algorithm 1 of the paper written down once more, as plainly as it can be: missing rows are filled in, everything is
// held, and every row searches for its step by itself. The library must find the same factors.
#include <Eigen/LU>
#include <cmath>
#include <gtest/gtest.h>

#include "factorise/factorisation.hpp"
#include "random/philox.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

struct Setting {
  double alpha = 0.05;
  double beta = 1e-3;
  Index rank = 3;
  int rounds = 200;
  double tolerance = 1e-4;
};

// One projected Newton step of one row, step sizes 1, 0.1, 0.01 and 0.001 by Eq. (18), else a projected-gradient step.
RowVectorXd row_step(const RowVectorXd& z, const MatrixXd& G, const RowVectorXd& q, double l) {
  const MatrixXd ridged =
      G + 1e-12 * G.trace() / static_cast<double>(G.rows()) * MatrixXd::Identity(G.rows(), G.rows());
  const RowVectorXd gradient = 2 * (z * G - q) + RowVectorXd::Constant(z.size(), l);
  const RowVectorXd direction = -gradient * (2 * ridged).inverse();
  for (const double gamma : {1.0, 0.1, 0.01, 0.001}) {
    const RowVectorXd step = (z + gamma * direction).cwiseMax(0.0) - z;
    const double slope = gradient.dot(step);
    if (slope < 0 && 0.99 * slope + (step * G).dot(step) <= 0) return (z + step).cwiseMax(0.0);
  }
  const double lipschitz = 2 * G.cwiseAbs().rowwise().sum().maxCoeff();
  const RowVectorXd next = (z - gradient / lipschitz).cwiseMax(0.0);
  return gradient.dot(next - z) < 0 ? next : z;
}

// All data of one view, a row for every instance, and who is present.
struct View {
  MatrixXd X;
  std::vector<bool> present;
};

class Oracle {
 public:
  Oracle(const Setting& setting, std::vector<View> views, std::vector<MatrixXd> start)
      : setting_(setting), views_(std::move(views)), U_(std::move(start)) {
    for (std::size_t v = 0; v < views_.size(); ++v) {
      for (Index k = 0; k < setting_.rank; ++k) U_[v].col(k) /= U_[v].col(k).sum();
      A_.push_back(MatrixXd::Zero(setting_.rank, setting_.rank));
      B_.push_back(MatrixXd::Zero(U_[v].rows(), setting_.rank));
      c_.push_back(0);
    }
  }

  // Learns the instances [first, last): V*, given the instances [0, known) that the means and weights are of.
  MatrixXd learn(Index first, Index last, Index known) {
    fill(first, last, known);
    const Index n = last - first;
    V_.assign(views_.size(), MatrixXd::Zero(n, setting_.rank));
    consensus_ = MatrixXd::Zero(n, setting_.rank);
    for (int round = 0; round < 10; ++round) {
      for (std::size_t v = 0; v < views_.size(); ++v) update_latent(v);
      update_consensus();
    }
    double before = loss();
    for (int round = 0; round < setting_.rounds; ++round) {
      for (std::size_t v = 0; v < views_.size(); ++v) {
        update_basis(v);
        update_latent(v);
      }
      update_consensus();
      const double after = loss();
      const bool converged = std::abs(before - after) <= setting_.tolerance * before;
      before = after;
      if (converged) break;
    }
    leave();
    return consensus_;
  }

  const MatrixXd& basis(std::size_t v) const { return U_[v]; }

 private:
  // Eq. (10) and (11), one mean and one weight for the chunk.
  void fill(Index first, Index last, Index known) {
    X_.clear();
    squared_weight_.clear();
    for (const View& view : views_) {
      RowVectorXd mean = RowVectorXd::Zero(view.X.cols());
      double count = 0;
      for (Index i = 0; i < known; ++i) {
        if (!view.present[static_cast<std::size_t>(i)]) continue;
        mean += view.X.row(i);
        ++count;
      }
      mean /= count;
      MatrixXd X = view.X.middleRows(first, last - first);
      VectorXd squared = VectorXd::Ones(last - first);
      for (Index i = first; i < last; ++i) {
        if (view.present[static_cast<std::size_t>(i)]) continue;
        X.row(i - first) = mean;
        squared(i - first) = std::pow(count / static_cast<double>(known), 2);
      }
      X_.push_back(X);
      squared_weight_.push_back(squared);
    }
  }

  void update_basis(std::size_t v) {  // Eq. (16)
    const MatrixXd weighted = squared_weight_[v].asDiagonal() * V_[v];
    const MatrixXd A = A_[v] + V_[v].transpose() * weighted;
    const MatrixXd B = B_[v] + X_[v].transpose() * weighted;
    for (Index i = 0; i < U_[v].rows(); ++i) U_[v].row(i) = row_step(U_[v].row(i), A, B.row(i), 0);
  }

  void update_latent(std::size_t v) {  // Eq. (22), divided by the squared weight
    const MatrixXd G = U_[v].transpose() * U_[v] + setting_.alpha * MatrixXd::Identity(setting_.rank, setting_.rank);
    const MatrixXd Q = X_[v] * U_[v] + setting_.alpha * consensus_;
    for (Index i = 0; i < V_[v].rows(); ++i) {
      V_[v].row(i) = row_step(V_[v].row(i), G, Q.row(i), setting_.beta / squared_weight_[v](i));
    }
  }

  void update_consensus() {  // Eq. (25), the same alpha in every view
    MatrixXd sum = MatrixXd::Zero(consensus_.rows(), consensus_.cols());
    VectorXd weights = VectorXd::Zero(consensus_.rows());
    for (std::size_t v = 0; v < V_.size(); ++v) {
      sum += squared_weight_[v].asDiagonal() * V_[v];
      weights += squared_weight_[v];
    }
    consensus_ = weights.cwiseInverse().asDiagonal() * sum;
  }

  double penalty() const {
    double sum = 0;
    for (std::size_t v = 0; v < V_.size(); ++v) {
      sum += setting_.alpha * (V_[v] - consensus_).rowwise().squaredNorm().dot(squared_weight_[v]);
      sum += setting_.beta * V_[v].sum();
    }
    return sum;
  }

  double loss() const {  // Eq. (7) over all chunks of all passes: those of the past by their sums
    double sum = past_penalty_ + penalty();
    for (std::size_t v = 0; v < V_.size(); ++v) {
      const MatrixXd error = X_[v] - V_[v] * U_[v].transpose();
      sum += error.rowwise().squaredNorm().dot(squared_weight_[v]);
      sum += c_[v] - 2 * B_[v].cwiseProduct(U_[v]).sum() + A_[v].cwiseProduct(U_[v].transpose() * U_[v]).sum();
    }
    return sum;
  }

  void leave() {  // Eq. (26), (27); then the columns of U to sum 1, and V, A and B with them
    past_penalty_ += penalty();
    for (std::size_t v = 0; v < V_.size(); ++v) {
      const MatrixXd weighted = squared_weight_[v].asDiagonal() * V_[v];
      A_[v] += V_[v].transpose() * weighted;
      B_[v] += X_[v].transpose() * weighted;
      c_[v] += X_[v].rowwise().squaredNorm().dot(squared_weight_[v]);
      for (Index k = 0; k < setting_.rank; ++k) {
        const double size = U_[v].col(k).sum();
        U_[v].col(k) /= size;
        V_[v].col(k) *= size;
        B_[v].col(k) *= size;
        A_[v].col(k) *= size;
        A_[v].row(k) *= size;
      }
    }
    update_consensus();
  }

  Setting setting_;
  std::vector<View> views_;
  std::vector<MatrixXd> U_, A_, B_, X_, V_;
  std::vector<VectorXd> squared_weight_;
  std::vector<double> c_;
  MatrixXd consensus_;
  double past_penalty_ = 0;
};

constexpr Index kInstances = 96;
constexpr Index kChunk = 24;

// Two views of three clusters, which no two of five instances have both; everybody has one.
std::vector<View> masked_views() {
  std::vector<View> views{{test::random_matrix(kInstances, 11, 1), std::vector<bool>(kInstances, true)},
                          {test::random_sparse(kInstances, 26, 0.4, 2), std::vector<bool>(kInstances, true)}};
  for (Index i = 0; i < kInstances; ++i) {
    views[0].X.row(i).segment(i % 3 * 3, 3).array() += 1.5;
    views[1].X.row(i).segment(i % 3 * 8, 8).array() += 1;
    if (i % 5 == 1) views[0].present[static_cast<std::size_t>(i)] = false;
    if (i % 5 == 3) views[1].present[static_cast<std::size_t>(i)] = false;
  }
  return views;
}

Chunk chunk_of(const std::vector<View>& views, Index first) {
  Chunk chunk{test::iota(kChunk, first), {}};
  for (std::size_t v = 0; v < views.size(); ++v) {
    std::vector<Index> present;
    for (Index i = 0; i < kChunk; ++i) {
      if (views[v].present[static_cast<std::size_t>(first + i)]) present.push_back(i);
    }
    const Matrix rows = views[v].X.middleRows(first, kChunk);
    chunk.views.push_back(v == 0 ? test::view_of(rows, present, test::dense_block<double>)
                                 : test::view_of(rows, present, test::csr_block<double>));
  }
  return chunk;
}

TEST(PaperOracle, TenPassesOverMaskedDataFindTheSameFactors) {
  const Setting setting;
  const std::vector<View> views = masked_views();
  std::vector<MatrixXd> start;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const Random random(0, Purpose::basis, static_cast<std::uint32_t>(v));
    Matrix U(views[v].X.cols(), setting.rank);
    for (Index i = 0; i < U.size(); ++i) U.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
    start.emplace_back(U);
  }
  Oracle oracle(setting, views, start);
  const FactorOptions options{.consensus = Consensus::soft,
                              .alpha = {setting.alpha},
                              .beta = {setting.beta},
                              .ridge = 0,
                              .missing = Missing::fill,
                              .statistics = Statistics::accumulate,
                              .start = Start::random,
                              .solver = RowSolver::newton,
                              .rounds = setting.rounds,
                              .tolerance = setting.tolerance,
                              .seed = 0};
  Factorisation library(options, test::schema_of({views[0].X.cols(), views[1].X.cols()}),
                        static_cast<int>(setting.rank));
  Compute compute(1);
  for (int pass = 1; pass <= 10; ++pass) {
    library.begin_pass(pass);
    for (Index first = 0; first < kInstances; first += kChunk) {
      SCOPED_TRACE(testing::Message() << "pass " << pass << ", from instance " << first);
      const Chunk chunk = chunk_of(views, first);
      const LearnedRows found = library.learn(PreparedChunk(chunk), nullptr, compute);
      const MatrixXd expected = oracle.learn(first, first + kChunk, pass == 1 ? first + kChunk : kInstances);
      ASSERT_EQ(found.positions.size(), static_cast<std::size_t>(kChunk));
      EXPECT_LE((MatrixXd(found.values) - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.maxCoeff());
      for (std::size_t v = 0; v < views.size(); ++v) {
        const MatrixXd U = library.state().views[v].U;
        EXPECT_LE((U - oracle.basis(v)).cwiseAbs().maxCoeff(), 1e-10 * U.maxCoeff());
      }
    }
  }
}

}  // namespace
}  // namespace omvc
