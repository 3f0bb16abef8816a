// Lines of a text file, plain or compressed, and the fields and numbers in them. Text views, Matrix Market and the
// side files are all read through this.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/chunk.hpp"

#include "source/quoted.hpp"
#include "source/table/packed_file.hpp"

namespace omvc {

// Reads line by line with one fixed buffer. A line ends with "\n", "\r\n" (also both in one file) or the end of the
// file; a newline at the very end of the file ends the last line and does not start another. A carriage return
// elsewhere is an error. A UTF-8 byte-order mark is skipped.
class LineReader {
 public:
  // Throws ErrorKind::io if the file cannot be opened. Standard input cannot be read again.
  explicit LineReader(const std::string& path);

  // The next line without its end; nothing at the end of the file. The text stays valid until the next call.
  // Throws ErrorKind::io or ErrorKind::data (damaged compressed data, a line of absurd length).
  std::optional<std::string_view> next();

  // The number (from 1) of the line that next() returned last.
  Index line_number() const { return line_number_; }

  const std::string& path() const { return file_.name(); }

  // Goes back to the first line. Returns false, and changes nothing, where the file is not seekable (a pipe).
  bool rewind();
  // Whether the file is as it was when reading it began, as far as that shows (PackedFile::unchanged).
  bool unchanged() const { return file_.unchanged(); }

  // Throws ErrorKind::data with "file:line: message" for the line returned last.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  bool fill();

  PackedFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // the unread part of the buffer
  std::size_t end_ = 0;
  std::string carry_;  // the start of a line that reached beyond the buffer
  Index line_number_ = 0;
  Index empty_lines_ = 0;  // just before
};

// What separates the fields of a line; any other character can be one, too.
enum class Delimiter : char { blanks = ' ', comma = ',', tab = '\t', semicolon = ';', pipe = '|' };

// The first of comma, tab and semicolon that occurs in the line outside of quotes, else runs of blanks.
Delimiter detect_delimiter(std::string_view line);

// Cuts a line into fields, without surrounding blanks and double quotes. A quoted field may contain the delimiter.
void split_fields(std::string_view line, Delimiter delimiter, std::vector<std::string_view>& fields);

std::string_view trim(std::string_view text);

// A decimal number, "nan", "NA" (any case) or an empty field as NaN, or "inf"; nothing if the text is none of these.
// Too small to represent is 0, too large is infinite.
std::optional<double> parse_number(std::string_view text);

// A whole number with an optional sign; nothing if the text is anything else.
std::optional<Index> parse_index(std::string_view text);

}  // namespace omvc
