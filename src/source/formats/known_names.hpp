// Variables of container files that mean something by their name.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace omvc {

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace omvc
