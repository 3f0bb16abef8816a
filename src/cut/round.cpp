#include "cut/round.hpp"

#include <algorithm>
#include <array>

namespace omvc {
namespace {

// Rows whose residuals are multiplied: E (r_i . r_j)^2 = tr C^2 for two that are independent.
constexpr std::array<Index, 8> kApart = {1, 2, 3, 5, 8, 13, 21, 34};

// What one piece says of one view.
struct Residuals {
  double products = 0;  // squares of r_i . r_j
  double pairs = 0;
  Vector features;  // squares in every feature
  Vector squares;   // of the rows of every cluster
  Vector rows;

  Residuals(Index features_, Index clusters)
      : features(Vector::Zero(features_)), squares(Vector::Zero(clusters)), rows(Vector::Zero(clusters)) {}
  void merge(const Residuals& other) {
    products += other.products;
    pairs += other.pairs;
    features += other.features;
    squares += other.squares;
    rows += other.rows;
  }
};

// The rows of a dense view without the means of their clusters; those of no cluster are left out.
Matrix residuals(const PreparedChunk& piece, std::size_t view, Index first, const std::vector<int>& labels,
                 const NarrowMatrix& means, std::vector<int>& clusters) {
  const Block& block = piece.chunk->views[view].block;
  Matrix out(block_rows(block), block_cols(block));
  Index count = 0;
  for (Index i = 0; i < block_rows(block); ++i) {
    const auto at = static_cast<std::size_t>(first + piece.present(view)[static_cast<std::size_t>(i)]);
    if (at >= labels.size() || labels[at] < 0) continue;
    std::visit(
        [&](const auto& rows) {
          if constexpr (requires { rows.row(i); }) {
            for (Index j = 0; j < rows.cols; ++j) {
              out(count, j) = static_cast<double>(rows.row(i)[static_cast<std::size_t>(j)]) -
                              static_cast<double>(means(j, labels[at]));
            }
          }
        },
        block);
    clusters.push_back(labels[at]);
    ++count;
  }
  return out.topRows(count);
}

Residuals measure(const Matrix& left, const std::vector<int>& clusters, Index most) {
  Residuals out(left.cols(), most);
  out.features = left.colwise().squaredNorm();
  for (Index i = 0; i < left.rows(); ++i) {
    const int cluster = clusters[static_cast<std::size_t>(i)];
    out.squares(cluster) += left.row(i).squaredNorm();
    out.rows(cluster) += 1;
    for (const Index apart : kApart) {
      if (i + apart >= left.rows()) break;
      const double product = left.row(i).dot(left.row(i + apart));
      out.products += product * product;
      out.pairs += 1;
    }
  }
  return out;
}

bool is_dense(const Sample& sample, std::size_t pieces, std::size_t view) {
  const auto dense = [&](const PreparedChunk& piece) {
    return std::visit(
        [](const auto& rows) {
          return requires { rows.row(0); };
        },
        piece.chunk->views[view].block);
  };
  return std::all_of(sample.pieces().begin(), sample.pieces().begin() + static_cast<std::ptrdiff_t>(pieces), dense);
}

}  // namespace

Shape shape_of(const Sample& sample, std::size_t pieces, const std::vector<int>& labels, const PrototypeTable& means,
               Compute& compute) {
  double round = 0;
  double spread = 0;
  Vector alike = Vector::Zero(means.size());
  Vector views = Vector::Zero(means.size());
  for (std::size_t v = 0; v < means.columns.size(); ++v) {
    if (!is_dense(sample, pieces, v)) return {};
    std::vector<Residuals> of(pieces, Residuals(means.columns[v].rows(), means.size()));
    for_pieces(pieces, compute, [&](std::size_t p, Compute&) {
      std::vector<int> clusters;
      const Matrix left = residuals(sample.pieces()[p], v, sample.first(p), labels, means.columns[v], clusters);
      of[p] = measure(left, clusters, means.size());
    });
    Residuals all(means.columns[v].rows(), means.size());
    for (const Residuals& piece : of) all.merge(piece);
    const double trace = all.squares.sum() / std::max(all.rows.sum(), 1.0);
    const auto varied = static_cast<double>((all.features.array() > 1e-9 * all.features.maxCoeff()).count());
    if (all.products == 0) continue;
    round += trace * (trace * trace * all.pairs / all.products) / varied;
    spread += trace;
    for (Index k = 0; k < means.size(); ++k) {
      if (all.rows(k) == 0) continue;
      alike(k) += all.squares(k) / all.rows(k) / trace;
      views(k) += 1;
    }
  }
  if (spread == 0 || views.minCoeff() == 0) return {};
  alike.array() /= views.array();
  return {.roundness = round / spread, .tightest = alike.minCoeff(), .loosest = alike.maxCoeff()};
}

bool round_and_alike(const Shape& shape, const Recipe& recipe) {
  return shape.roundness >= recipe.round_from && shape.tightest >= 1 - recipe.unlike &&
         shape.loosest <= 1 + recipe.unlike;
}

}  // namespace omvc
