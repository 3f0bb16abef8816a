#include "scale/log_ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace omvc {
namespace {

// Most counts are small, and looking a logarithm up is ten times as fast as computing it.
class LogTable {
 public:
  LogTable() {
    for (std::size_t n = 0; n < logs_.size(); ++n) logs_[n] = std::log1p(static_cast<double>(n));
  }
  double operator()(double x) const {
    if (!(x > 0)) return 0;
    if (x >= static_cast<double>(logs_.size())) return std::log1p(x);
    const auto n = static_cast<std::size_t>(x);
    return static_cast<double>(n) == x ? logs_[n] : std::log1p(x);
  }

 private:
  std::array<double, 4096> logs_;
};

// The logarithms of zeros are zeros: a sum that leaves them out has the same bits, so that storage changes no result.
template <class T>
void centre(const LogTable& log_of, const DenseBlock<T>& X, Index row, double* out) {
  const auto values = X.row(row);
  double sum = 0;
  double known = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto x = static_cast<double>(values[j]);
    out[j] = std::isnan(x) ? x : log_of(x);
    if (std::isnan(x)) continue;
    sum += out[j];
    known += 1;
  }
  const double mean = known > 0 ? sum / known : 0;
  for (std::size_t j = 0; j < values.size(); ++j) out[j] -= mean;
}

template <class T>
void centre(const LogTable& log_of, const CsrBlock<T>& X, Index row, double* out) {
  const auto begin = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row)]);
  const auto end = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row) + 1]);
  double sum = 0;
  auto known = static_cast<double>(X.cols);
  for (std::size_t e = begin; e < end; ++e) {
    const auto x = static_cast<double>(X.values[e]);
    if (std::isnan(x)) {
      known -= 1;
    } else {
      sum += log_of(x);
    }
  }
  const double mean = known > 0 ? sum / known : 0;
  std::fill(out, out + X.cols, 0 - mean);
  for (std::size_t e = begin; e < end; ++e) {
    const auto x = static_cast<double>(X.values[e]);
    out[X.columns[e]] = (std::isnan(x) ? x : log_of(x)) - mean;
  }
}

}  // namespace

template <class B>
void log_ratios(const B& block, Index first, Index last, double* out) {
  static const LogTable kLogOf;
  for (Index i = first; i < last; ++i) centre(kLogOf, block, i, out + (i - first) * block.cols);
}

template void log_ratios(const DenseBlock<float>& block, Index first, Index last, double* out);
template void log_ratios(const DenseBlock<double>& block, Index first, Index last, double* out);
template void log_ratios(const CsrBlock<float>& block, Index first, Index last, double* out);
template void log_ratios(const CsrBlock<double>& block, Index first, Index last, double* out);

}  // namespace omvc
