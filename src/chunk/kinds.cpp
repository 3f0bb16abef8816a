#include "chunk/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

namespace omvc {
namespace {

template <class To, class From>
std::vector<To> converted(const Buffer<From>& values) {
  std::vector<To> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<To>(values[i]);
  return out;
}

bool fits_float(const Buffer<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return fits_single(x); });
}

}  // namespace

bool fits_single(double x) {
  return std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max()) &&
         static_cast<double>(static_cast<float>(x)) == x;
}

bool fits_single(const Block& block) {
  const auto* dense = std::get_if<DenseBlock<double>>(&block);
  const auto* sparse = std::get_if<CsrBlock<double>>(&block);
  return (dense == nullptr || fits_float(dense->values)) && (sparse == nullptr || fits_float(sparse->values));
}

Block narrowed(Block block) {
  if (auto* dense = std::get_if<DenseBlock<double>>(&block); dense != nullptr && fits_float(dense->values)) {
    return DenseBlock<float>{dense->rows, dense->cols, converted<float>(dense->values)};
  }
  if (auto* sparse = std::get_if<CsrBlock<double>>(&block); sparse != nullptr && fits_float(sparse->values)) {
    return CsrBlock<float>{sparse->rows, sparse->cols, std::move(sparse->offsets), std::move(sparse->columns),
                           converted<float>(sparse->values)};
  }
  return block;
}

Block widened(Block block) {
  if (auto* dense = std::get_if<DenseBlock<float>>(&block)) {
    return DenseBlock<double>{dense->rows, dense->cols, converted<double>(dense->values)};
  }
  if (auto* sparse = std::get_if<CsrBlock<float>>(&block)) {
    return CsrBlock<double>{sparse->rows, sparse->cols, std::move(sparse->offsets), std::move(sparse->columns),
                            converted<double>(sparse->values)};
  }
  return block;
}

bool is_sparse(const Block& block) {
  return std::holds_alternative<CsrBlock<float>>(block) || std::holds_alternative<CsrBlock<double>>(block);
}

Block as_dense(Block block) {
  return std::visit(
      [](auto& typed) -> Block {
        if constexpr (requires { typed.offsets; }) {
          using T = typename std::decay_t<decltype(typed)>::Scalar;
          DenseBlock<T> out{typed.rows, typed.cols, std::vector<T>(static_cast<std::size_t>(typed.rows * typed.cols))};
          for (std::size_t i = 0; i < static_cast<std::size_t>(typed.rows); ++i) {
            for (auto k = static_cast<std::size_t>(typed.offsets[i]);
                 k < static_cast<std::size_t>(typed.offsets[i + 1]); ++k) {
              out.values[i * static_cast<std::size_t>(typed.cols) + static_cast<std::size_t>(typed.columns[k])] =
                  typed.values[k];
            }
          }
          return out;
        } else {
          return std::move(typed);
        }
      },
      block);
}

Block as_sparse(Block block) {
  return std::visit(
      [](auto& typed) -> Block {
        if constexpr (requires { typed.offsets; }) {
          return std::move(typed);
        } else {
          CsrBlock<typename std::decay_t<decltype(typed)>::Scalar> out;
          out.rows = typed.rows;
          out.cols = typed.cols;
          for (Index i = 0; i < typed.rows; ++i) {
            const auto row = typed.row(i);
            for (std::size_t j = 0; j < row.size(); ++j) {
              if (row[j] == 0) continue;
              out.columns.push_back(static_cast<std::int32_t>(j));
              out.values.push_back(row[j]);
            }
            out.offsets.push_back(out.nonzeros());
          }
          return out;
        }
      },
      block);
}

void check_same_kind(const Block& block, const Block& more, const std::string& where) {
  if (block.index() == more.index()) return;
  throw Error(ErrorKind::data,
              fmt::format("{}: a later chunk stores the view in another way (dense or sparse, float or double) than "
                          "the first; a source must keep to one",
                          where));
}

}  // namespace omvc
