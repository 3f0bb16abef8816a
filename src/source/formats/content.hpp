// What a file begins with.
#pragma once

#include <string>

namespace omvc {

// The first bytes of a regular file, up to 512 and unpacked where it is compressed; none if it cannot be read. A
// pipe is not touched: what is read from it is gone.
std::string first_bytes(const std::string& path);

// What a file is that no reader here reads, and what to do with it, such as "an Excel workbook; save it as CSV"; empty
// if it does not start like any of these.
std::string foreign_content(const std::string& start);

}  // namespace omvc
