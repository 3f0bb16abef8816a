// Comparing what was read: chunks as dense tables, and errors with their messages.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/error.hpp"

namespace omvc::test {

using Rows = std::vector<std::vector<double>>;

inline std::vector<double> dense_row(const Block& block, Index i) {
  return std::visit(
      [&](const auto& typed) {
        std::vector<double> row(static_cast<std::size_t>(typed.cols), 0.0);
        if constexpr (requires { typed.offsets; }) {
          for (Index k = typed.offsets[static_cast<std::size_t>(i)]; k < typed.offsets[static_cast<std::size_t>(i) + 1];
               ++k) {
            row[static_cast<std::size_t>(typed.columns[static_cast<std::size_t>(k)])] =
                typed.values[static_cast<std::size_t>(k)];
          }
        } else {
          const auto values = typed.row(i);
          row.assign(values.begin(), values.end());
        }
        return row;
      },
      block);
}

// One row for each instance; an absent instance is an empty row.
inline Rows dense_rows(const ChunkView& view, Index instances) {
  Rows rows(static_cast<std::size_t>(instances));
  for (std::size_t i = 0; i < view.present.size(); ++i) {
    rows[static_cast<std::size_t>(view.present[i])] = dense_row(view.block, static_cast<Index>(i));
  }
  return rows;
}

inline double sum(const Block& block) {
  return std::visit(
      [](const auto& typed) {
        double total = 0.0;
        for (const auto value : typed.values) total += static_cast<double>(value);
        return total;
      },
      block);
}

// Runs the action, which must throw an Error of this kind whose message contains all the parts.
template <class Action>
void expect_error(ErrorKind kind, const std::vector<std::string>& parts, Action action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown; expected: " << (parts.empty() ? "an error" : parts.front());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "no '" << part << "' in: " << error.what();
    }
  }
}

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace omvc::test
