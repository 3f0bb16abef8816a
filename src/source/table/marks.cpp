#include "source/table/marks.hpp"

#include <array>

#include "source/table/line_reader.hpp"

namespace omvc {

std::optional<MarkedText> split_mark(std::string_view cell) {
  constexpr std::array<std::string_view, 5> kMarks{"%", "€", "$", "£", "¥"};
  constexpr std::string_view kNarrowBlank = "\xE2\x80\xAF";
  constexpr std::string_view kFixedBlank = "\xC2\xA0";
  const auto without_blanks = [&](std::string_view text) {
    text = trim(text);
    for (const std::string_view blank : {kNarrowBlank, kFixedBlank}) {
      if (text.starts_with(blank)) text.remove_prefix(blank.size());
      if (text.ends_with(blank)) text.remove_suffix(blank.size());
    }
    return trim(text);
  };
  const std::string_view text = trim(cell);
  const bool negative = text.starts_with('-');
  for (const std::string_view mark : kMarks) {
    const std::string_view behind_sign = text.substr(negative ? 1 : 0);
    std::string number;
    if (text.ends_with(mark)) {
      number = without_blanks(text.substr(0, text.size() - mark.size()));
    } else if (mark != "%" && behind_sign.starts_with(mark)) {
      number = (negative ? "-" : "") + std::string(without_blanks(behind_sign.substr(mark.size())));
    }
    if (!number.empty()) return MarkedText{mark, std::move(number)};
  }
  return std::nullopt;
}

}  // namespace omvc
