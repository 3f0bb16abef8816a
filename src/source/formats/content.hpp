// What a file begins with.
#pragma once

#include <string>

namespace omvc {

// The first bytes of a regular file, up to 512 and unpacked where it is gzip-compressed; none if it cannot be read. A
// pipe is not touched: what is read from it is gone.
std::string first_bytes(const std::string& path);

}  // namespace omvc
