// The rows of one view of some chunks, as plain rows of numbers.
#pragma once

#include <algorithm>
#include <span>
#include <variant>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

inline std::size_t count_rows(std::span<const Chunk> chunks, std::size_t view) {
  std::size_t count = 0;
  for (const Chunk& chunk : chunks) count += chunk.views[view].present.size();
  return count;
}

// Calls use(row of numbers) for the rows of a view, all of them or the first `most`.
template <class F>
void for_rows(std::span<const Chunk> chunks, std::size_t view, std::size_t most, const F& use) {
  std::vector<double> row;
  std::size_t count = 0;
  for (const Chunk& chunk : chunks) {
    std::visit(
        [&](const auto& X) {
          row.resize(static_cast<std::size_t>(X.cols));
          for (Index i = 0; i < X.rows && count < most; ++i, ++count) {
            if constexpr (requires { X.offsets; }) {
              std::fill(row.begin(), row.end(), 0.0);
              for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
                   e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
                row[static_cast<std::size_t>(X.columns[e])] = static_cast<double>(X.values[e]);
              }
            } else {
              const auto values = X.row(i);
              std::copy(values.begin(), values.end(), row.begin());
            }
            use(row);
          }
        },
        chunk.views[view].block);
  }
}

// Whether row `at` is one of those that are looked at, one of every `step`: not at equal distances, since rows may come
// in a rhythm.
inline bool is_looked_at(std::size_t at, std::size_t step) {
  constexpr std::size_t kRhythm = 7919;
  return step <= 1 || at % step == at / step * kRhythm % step;
}

}  // namespace omvc
