// Matrix Market: sparse "coordinate" matrices (real, integer, pattern) become CSR, "array" matrices dense; general or
// symmetric; plain or gzip-compressed. Rows are instances, or columns where the user or the files beside it say so
// (market_names.hpp). A coordinate file does not say what is absent: an instance without entries is zero, one whose
// entries are all NaN is absent. The file is loaded whole.
#pragma once

#include <memory>
#include <string>

#include "omvc/input.hpp"

#include "source/view_reader.hpp"

namespace omvc {

std::unique_ptr<ViewReader> open_matrix_market(const std::string& path, const std::string& view_name,
                                               const InputOptions& options = {});

}  // namespace omvc
