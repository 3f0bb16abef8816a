// Samples for tests of what is done with them, and the same done by plain loops in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "omvc/planted.hpp"

#include "cut/refine.hpp"
#include "fine/sample.hpp"
#include "kernels/naive.hpp"

namespace omvc::test {

inline Sample planted_sample(const PlantedOptions& options, Index piece, bool unit_length = false) {
  std::vector<Chunk> pieces;
  const auto source = make_planted_source(options);
  while (auto chunk = source->next(piece)) pieces.push_back(std::move(*chunk));
  for (Chunk& chunk : pieces) {
    for (ChunkView& view : chunk.views) {
      auto* rows = std::get_if<CsrBlock<float>>(&view.block);
      if (!unit_length || rows == nullptr) continue;
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows->rows); ++i) {
        double square = 0;
        const auto end = static_cast<std::size_t>(rows->offsets[i + 1]);
        for (auto e = static_cast<std::size_t>(rows->offsets[i]); e < end; ++e) {
          square += static_cast<double>(rows->values[e]) * static_cast<double>(rows->values[e]);
        }
        for (auto e = static_cast<std::size_t>(rows->offsets[i]); e < end; ++e) {
          rows->values[e] = static_cast<float>(static_cast<double>(rows->values[e]) / std::sqrt(square));
        }
      }
    }
  }
  return Sample(std::move(pieces));
}

// A view of the first pieces of a sample: a row of every instance, and whether it is there.
struct PlainView {
  Matrix X;
  std::vector<bool> present;
};

inline std::vector<PlainView> plain_views(const Sample& sample, std::size_t pieces) {
  const Index n = pieces < sample.pieces().size() ? sample.first(pieces) : sample.size();
  std::vector<PlainView> views;
  for (std::size_t v = 0; v < sample.pieces().front().views.size(); ++v) {
    views.push_back({Matrix::Zero(n, sample.pieces().front().views[v].cols()),
                     std::vector<bool>(static_cast<std::size_t>(n), false)});
    for (std::size_t p = 0; p < pieces; ++p) {
      const Matrix rows = naive::densify(sample.pieces()[p].chunk->views[v].block);
      for (Index i = 0; i < rows.rows(); ++i) {
        const Index at = sample.first(p) + sample.pieces()[p].present(v)[static_cast<std::size_t>(i)];
        views[v].X.row(at) = rows.row(i);
        views[v].present[static_cast<std::size_t>(at)] = true;
      }
    }
  }
  return views;
}

// The nearest column of P, d_v x K for each view, of every instance: by the mean over its views of squared distances.
inline Assigned plain_assign(const std::vector<PlainView>& views, const std::vector<Matrix>& P) {
  Assigned out;
  for (std::size_t i = 0; i < views[0].present.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    std::int32_t label = -1;
    for (Index k = 0; k < P[0].cols(); ++k) {
      double sum = 0;
      double there = 0;
      for (std::size_t v = 0; v < views.size(); ++v) {
        if (!views[v].present[i]) continue;
        sum += (views[v].X.row(static_cast<Index>(i)).transpose() - P[v].col(k)).squaredNorm();
        there += 1;
      }
      if (there > 0 && sum / there < least) {
        least = sum / there;
        label = static_cast<std::int32_t>(k);
      }
    }
    out.labels.push_back(label);
    if (label >= 0) out.error += least;
  }
  return out;
}

// The mean of the members of each cluster in each view, that of the view where none of them has it; one without members
// stays where it is. Brought to length 1 where `direction` says so.
inline void plain_means(const std::vector<PlainView>& views, const std::vector<std::int32_t>& labels,
                        const std::vector<bool>& direction, std::vector<Matrix>& P) {
  for (std::size_t v = 0; v < views.size(); ++v) {
    Matrix sums = Matrix::Zero(P[v].rows(), P[v].cols());
    Vector counts = Vector::Zero(P[v].cols());
    Vector members = Vector::Zero(P[v].cols());
    for (std::size_t i = 0; i < labels.size() && i < views[v].present.size(); ++i) {
      if (labels[i] < 0) continue;
      members(labels[i]) += 1;
      if (!views[v].present[i]) continue;
      sums.col(labels[i]) += views[v].X.row(static_cast<Index>(i)).transpose();
      counts(labels[i]) += 1;
    }
    for (Index k = 0; k < P[v].cols(); ++k) {
      if (counts(k) > 0) {
        P[v].col(k) = sums.col(k) / counts(k);
      } else if (members(k) > 0 && counts.sum() > 0) {
        P[v].col(k) = sums.rowwise().sum() / counts.sum();
      }
      if (direction[v] && P[v].col(k).norm() > 0) P[v].col(k).normalize();
    }
  }
}

struct PlainRefined {
  std::vector<Matrix> P;
  std::vector<std::int32_t> labels;
  double error = 0;
};

// Means and assignments in turn, `rounds` times or until no label changes, for fewer than 1000 instances.
inline PlainRefined plain_refine(const std::vector<PlainView>& views, int clusters, std::vector<std::int32_t> labels,
                                 const std::vector<bool>& direction, int rounds) {
  PlainRefined out;
  for (const PlainView& view : views) out.P.emplace_back(Matrix::Zero(view.X.cols(), clusters));
  for (int round = 0;; ++round) {
    const bool still = round > 0 && labels == out.labels;
    out.labels = labels;
    plain_means(views, labels, direction, out.P);
    if (round == rounds || still) return out;
    Assigned assigned = plain_assign(views, out.P);
    labels = std::move(assigned.labels);
    out.error = assigned.error;
  }
}

}  // namespace omvc::test
