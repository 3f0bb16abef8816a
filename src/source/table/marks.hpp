// Numbers with a percent sign or that of a currency: 95.7%, 12 €, $3.50, -£2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace omvc {

struct MarkedText {
  std::string_view mark;  // one of a list that lasts
  std::string number;     // what stands beside it, which need not be a number
};

// Nothing if there is no mark, or nothing beside it.
std::optional<MarkedText> split_mark(std::string_view cell);

}  // namespace omvc
