// Writing small files whole.
#pragma once

#include <string>
#include <string_view>

#include "omvc/export.hpp"

namespace omvc {

// Writes text as a file that appears under its name whole or not at all, and replaces what was there. Throws
// ErrorKind::io, naming the path and the reason, if that fails.
OMVC_API void write_whole(const std::string& path, std::string_view text);

}  // namespace omvc
