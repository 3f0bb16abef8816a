// What the columns of a text file are: found from its first two lines that are not empty, and from what the user says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/table/line_reader.hpp"

namespace omvc {

struct TextLayout {
  Delimiter delimiter = Delimiter::blanks;
  std::size_t columns = 0;               // of a line of data
  bool header = false;                   // the first line names the columns
  std::optional<std::size_t> id_column;  // the column of sample ids
  std::vector<std::string> names;        // of the columns that are features; empty without a header

  std::size_t features() const { return columns - (id_column ? 1 : 0); }
  bool operator==(const TextLayout&) const = default;
};

struct TextLine {
  Index number = 0;
  std::string text;
};

// `id_column` is InputOptions::id_column. If it is empty, the first of several columns holds ids
//   - if the header is one name shorter than the data (R's write.table),
//   - if its name is empty (pandas, R's write.csv) or one of the usual ones (kUsualIdNames), or
//   - if its field in the first line of data is not a number.
// The first line is a header, where there may be one, if a field besides the id is not a number. Throws ErrorKind::data
// with `path` and a line if the header does not fit the data, and ErrorKind::usage if there is no such id column.
TextLayout detect_text_layout(const std::string& path, const TextLine& first, const std::optional<TextLine>& second,
                              const std::string& id_column, bool may_have_header = true);

// A field as it is meant: in quotes, two double quotes stand for one.
std::string unescape_field(std::string_view field);

}  // namespace omvc
