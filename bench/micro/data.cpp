#include "data.hpp"

#include <algorithm>

#include "random/philox.hpp"

namespace omvc::bench {
namespace {

constexpr std::uint64_t kSeed = 1;

std::uint64_t number(Index i) { return static_cast<std::uint64_t>(i); }

}  // namespace

Matrix random_factor(Index rows, Index cols, double zeros) {
  const Random random(kSeed, Purpose::basis);
  const Random zero(kSeed, Purpose::mask);
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = zero.uniform(number(i)) < zeros ? 0 : random.uniform(number(i));
  }
  return out;
}

template <class T>
DenseBlock<T> random_dense(Index rows, Index cols) {
  const Random random(kSeed, Purpose::planted_data);
  DenseBlock<T> out{.rows = rows, .cols = cols, .values = std::vector<T>(static_cast<std::size_t>(rows * cols))};
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = static_cast<T>(random.uniform(i));
  return out;
}

template <class T>
CsrBlock<T> random_csr(Index rows, Index cols, double density) {
  const Random value(kSeed, Purpose::planted_data);
  const Random place(kSeed, Purpose::planted_mask);
  const Index each = std::max<Index>(1, static_cast<Index>(density * static_cast<double>(cols)));
  CsrBlock<T> out{.rows = rows, .cols = cols};
  out.columns.reserve(static_cast<std::size_t>(rows * each));
  out.values.reserve(static_cast<std::size_t>(rows * each));
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < each; ++k) {  // one entry in each of as many runs of columns
      const Index first = k * cols / each;
      const Index run = (k + 1) * cols / each - first;
      const auto entry = number(i * each + k);
      out.columns.push_back(static_cast<std::int32_t>(first + static_cast<Index>(place.below(number(run), entry))));
      out.values.push_back(static_cast<T>(value.uniform(entry)));
    }
    out.offsets.push_back(static_cast<Index>(out.values.size()));
  }
  return out;
}

template DenseBlock<float> random_dense(Index, Index);
template DenseBlock<double> random_dense(Index, Index);
template CsrBlock<float> random_csr(Index, Index, double);
template CsrBlock<double> random_csr(Index, Index, double);

}  // namespace omvc::bench
