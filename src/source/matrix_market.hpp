// Matrix Market: sparse "coordinate" matrices (real, integer, pattern) become CSR, "array" matrices dense; general or
// symmetric; plain or gzip-compressed. Rows are instances. A coordinate file does not say what is absent: a row without
// entries is zero, a row whose entries are all NaN is absent. The file is loaded whole.
#pragma once

#include <memory>
#include <string>

#include "source/view_reader.hpp"

namespace omvc {

std::unique_ptr<ViewReader> open_matrix_market(const std::string& path, const std::string& view_name);

}  // namespace omvc
