// What separates the fields of a text file, and which decimal mark its numbers have: found from several lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "source/table/cell.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {

struct Separation {
  Delimiter delimiter = Delimiter::blanks;
  Decimal decimal = Decimal::unknown;
  bool operator==(const Separation&) const = default;
};

// The separator that gives the lines after the first (which may be a header) the same number of fields, and of several
// the one that leaves most numbers. `separator` and `decimal` are those of TextOptions and decide where they are given.
// Throws ErrorKind::usage if they mean nothing.
Separation find_separation(const std::vector<std::string_view>& lines, const std::string& separator,
                           const std::string& decimal, const CellFormat& cells);

// The only one of tab, semicolon, comma and bar that separates fields in this line; nothing if there are several or
// none.
std::optional<Delimiter> shown_separator(std::string_view line);

// A separator by name (comma, tab, semicolon, pipe, blanks) or as the character itself.
Delimiter separator_by_name(const std::string& name);

}  // namespace omvc
