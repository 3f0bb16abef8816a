// The records of a table in text: lines, or several lines where a quoted field has line ends in it. The first of them
// can be looked at before they are read.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/table/line_reader.hpp"
#include "source/table/text_layout.hpp"

namespace omvc {

// Whether the text ends inside a field that begins with a quote. A quote elsewhere may be an inch mark.
bool ends_in_quotes(std::string_view text);

class RecordReader {
 public:
  explicit RecordReader(const std::string& path) : lines_(path) {}

  const std::string& path() const { return lines_.path(); }

  // Reads what comes before the data, and the first records: as many as tell what the file is, fewer where a model says
  // it (`known`), so that the first rows of a pipe do not wait for long. Call it first, and after each rewind.
  void look_ahead(bool known);

  // The records looked at, without empty ones.
  std::vector<TextLine> sample() const;
  // The last comment before the data, without its #.
  const std::optional<std::string>& last_comment() const { return last_comment_; }
  // What the line "sep=;" says, with which Excel starts a file; empty where there is none.
  const std::string& separator() const { return separator_; }

  // Leaves out the first record and the empty lines before it: it was a header.
  void skip_first();
  // Leaves out so many records and all empty lines up to the next: they were titles.
  void skip_titles(std::size_t count);

  // The next record; nothing at the end. Lines that start with # are left out if the file begins with one.
  std::optional<std::string_view> next();
  // The number (from 1) of the line where the record begins that next() returned last.
  Index line_number() const { return line_; }

  bool rewind() { return lines_.rewind(); }
  // Whether the file is as it was when reading it began, as far as that shows (PackedFile::unchanged).
  bool unchanged() const { return lines_.unchanged(); }

 private:
  struct Ahead {
    TextLine line;
    Index empty_before = 0;
    bool ends = false;  // no record, only the empty lines before the end of the file
  };

  std::optional<std::string_view> read();
  std::optional<TextLine> add_ahead();

  LineReader lines_;
  std::deque<Ahead> ahead_;
  std::optional<std::string> last_comment_;
  std::string separator_;
  std::string joined_;  // a record of several lines
  std::string text_;    // a record from ahead_
  Index line_ = 0;
};

}  // namespace omvc
