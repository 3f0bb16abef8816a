// How readers refuse what a file holds.
#pragma once

#include <fmt/core.h>
#include <string>
#include <utility>

#include "omvc/error.hpp"

namespace omvc {

// Throws ErrorKind::data with "where: message"; `where` is the file and the place in it.
template <class... Parts>
[[noreturn]] void fail(const std::string& where, fmt::format_string<Parts...> format, Parts&&... parts) {
  throw Error(ErrorKind::data, where + ": " + fmt::format(format, std::forward<Parts>(parts)...));
}

}  // namespace omvc
