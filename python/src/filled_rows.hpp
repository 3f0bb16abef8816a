// Rows of a view that was filled in, as Python gets them.
#pragma once

#include <vector>

#include "omvc/chunk.hpp"

#include "convert.hpp"

namespace omvc::python {

// Dense, or without what is 0: then memory grows with what is not.
struct FilledRows {
  explicit FilledRows(bool wanted) : sparse(wanted) {}

  bool sparse;
  Index features = 0;
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<Index> offsets{0};

  Index count() const {
    return sparse ? static_cast<Index>(offsets.size()) - 1 : static_cast<Index>(values.size()) / features;
  }

  void add(const std::vector<double>& rows) {
    if (!sparse) {
      values.insert(values.end(), rows.begin(), rows.end());
      return;
    }
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const auto column = static_cast<Index>(at) % features;
      if (rows[at] != 0) {
        values.push_back(rows[at]);
        columns.push_back(static_cast<std::int32_t>(column));
      }
      if (column == features - 1) offsets.push_back(static_cast<Index>(values.size()));
    }
  }

  nb::object take() {
    if (!sparse) {
      const std::size_t rows = static_cast<std::size_t>(count());
      return numpy_array(std::move(values), {rows, static_cast<std::size_t>(features)});
    }
    return nb::make_tuple(numpy_array(std::move(values)), numpy_array(std::move(columns)),
                          numpy_array(std::move(offsets)));
  }
};

}  // namespace omvc::python
