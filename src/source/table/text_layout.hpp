// What the columns of a text file are: found from its first lines that are not empty, and from what the user says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/input.hpp"

#include "source/table/cell.hpp"
#include "source/table/line_reader.hpp"
#include "source/table/separator.hpp"

namespace omvc {

struct TextLayout {
  Separation separation;
  std::size_t columns = 0;               // of a line of data
  bool header = false;                   // the first line names the columns
  bool trailing = false;                 // every line ends with a separator, behind which there is nothing
  std::optional<std::size_t> id_column;  // the column of sample ids
  std::vector<std::string> names;        // of all columns, each once; empty without a header
  std::vector<std::string> notes;        // what was found that is not obvious

  bool operator==(const TextLayout&) const = default;
};

struct TextLine {
  Index number = 0;
  std::string text;
  bool operator==(const TextLine&) const = default;
};

// What the user says of one file.
struct LayoutWishes {
  std::string path;
  std::string id_column;  // a name or a number from 1; "none"; empty: to be found
  TextOptions text;
  bool may_have_header = true;
  std::optional<std::string> names_line;  // a comment before the data that may name the columns
  bool streamed = false;                  // there is one line of data, and it cannot wait for the next
};

// If no id column is asked for, one that is called "id" holds ids wherever it is, and else the first of several columns
//   - if the header is one name shorter than the data (R's write.table),
//   - if its name is empty (pandas, R's write.csv), one of the usual ones, or, where its values are whole numbers and
//     all different, one that ends in "id" or means a person or a record, or
//   - if its fields are not numbers and (nearly) all different.
// The first line is a header if a column of numbers does not start with one, if its words occur nowhere below them, or
// if it counts 0, 1, 2, ... . Throws ErrorKind::data with a line if the header does not fit the data, and
// ErrorKind::usage if there is no such id column.
TextLayout detect_text_layout(const LayoutWishes& wishes, const std::vector<TextLine>& lines, const CellFormat& cells);

// A field as it is meant: in quotes, two double quotes stand for one.
std::string unescape_field(std::string_view field);

}  // namespace omvc
