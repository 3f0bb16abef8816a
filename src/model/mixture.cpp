#include "model/mixture.hpp"

#include <algorithm>
#include <cmath>

namespace omvc {
namespace {

constexpr int kMoves = 1000;       // of weight from one to another, at most
constexpr double kEnough = 1e-10;  // a difference of slopes, relative to the errors, that is worth a move

}  // namespace

Mixture::Mixture(Index tellers, const Vector& variance) : variance_(variance), tellers_(tellers) {
  sums_.assign(static_cast<std::size_t>(tellers * tellers), Vector::Zero(variance.size()));
  cells_ = sums_;
}

void Mixture::add(const Matrix& told, const RowVector& truth) {
  ++rows_;
  const Matrix errors = told.rowwise() - truth;
  for (Index a = 0; a < tellers_; ++a) {
    for (Index b = 0; b <= a; ++b) {
      const auto pair = static_cast<std::size_t>(a * tellers_ + b);
      for (Index j = 0; j < truth.size(); ++j) {
        const double product = errors(a, j) * errors(b, j);
        if (std::isnan(product)) continue;
        sums_[pair](j) += product;
        cells_[pair](j) += 1;
      }
    }
  }
}

double Mixture::error(Index one, Index other) const {
  const auto [low, high] = std::minmax(one, other);
  const auto pair = static_cast<std::size_t>(high * tellers_ + low);
  double sum = 0;
  double cells = 0;
  for (Index j = 0; j < variance_.size(); ++j) {
    if (!(variance_(j) > 0)) continue;
    sum += sums_[pair](j) / variance_(j);
    cells += cells_[pair](j);
  }
  if (cells > 0) return sum / cells;
  // Two that never told of the same cell may err alike; one that nobody has tried is not believed.
  if (one == other) return 1e6;
  return std::sqrt(error(one, one) * error(other, other));
}

Matrix Mixture::errors(const std::vector<Index>& who) const {
  Matrix out(std::ssize(who), std::ssize(who));
  for (Index a = 0; a < out.rows(); ++a) {
    for (Index b = 0; b <= a; ++b) {
      out(a, b) = out(b, a) = error(who[static_cast<std::size_t>(a)], who[static_cast<std::size_t>(b)]);
    }
  }
  return out;
}

// Weight moves from the one where it costs most to the one where it costs least, as far as that gains.
RowVector Mixture::weights(const std::vector<bool>& known) const {
  std::vector<Index> who;
  for (std::size_t t = 0; t < known.size(); ++t) {
    if (known[t]) who.push_back(static_cast<Index>(t));
  }
  const Matrix G = errors(who);
  const Index count = G.rows();
  const double usual = G.trace() / static_cast<double>(count);
  Vector w = Vector::Constant(count, 1.0 / static_cast<double>(count));
  for (int move = 0; move < kMoves; ++move) {
    const Vector slope = G * w;
    Index to = 0;
    slope.minCoeff(&to);
    Index from = -1;
    for (Index a = 0; a < count; ++a) {
      if (w(a) > 0 && (from < 0 || slope(a) > slope(from))) from = a;
    }
    const double gain = slope(from) - slope(to);
    if (!(gain > kEnough * usual)) break;
    const double curve = G(from, from) + G(to, to) - 2 * G(from, to);
    const double step = curve > 0 ? std::min(w(from), gain / curve) : w(from);
    w(from) = step < w(from) ? w(from) - step : 0;
    w(to) += step;
  }
  RowVector out = RowVector::Zero(tellers_);
  for (Index a = 0; a < count; ++a) out(who[static_cast<std::size_t>(a)]) = w(a);
  return out;
}

RowVector Mixture::spread(const RowVector& weights) const {
  RowVector out(variance_.size());
  for (Index j = 0; j < out.size(); ++j) {
    double sum = 0;
    for (Index a = 0; a < tellers_; ++a) {
      for (Index b = 0; b < tellers_; ++b) {
        const double both = weights(a) * weights(b);
        if (!(both > 0)) continue;
        const auto [low, high] = std::minmax(a, b);
        const auto pair = static_cast<std::size_t>(high * tellers_ + low);
        const double cells = cells_[pair](j);
        sum += both * (cells > 0 ? sums_[pair](j) / cells : variance_(j) * error(a, b));
      }
    }
    out(j) = rows_ > 0 ? std::sqrt(std::max(sum, 0.0)) : kNan;
  }
  return out;
}

}  // namespace omvc
