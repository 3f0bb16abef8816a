// What a cell of a table says: a number, nothing, or something else.
//
//     1.5   -3e4   +7   .5         plain numbers
//     1,5                          with a decimal comma
//     18,000   1,234.5   18 000    with marks between groups of three digits
//     NA   ?   (empty)             a missing value
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/input.hpp"

namespace omvc {

// 0-9, whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `unknown`: no cell has shown it. Plain numbers are read with a point; what could be either (18,000) is not a number.
// `open`, in a stream, which may yet show it: nor is 1.234.
enum class Decimal { unknown, open, point, comma };

// A number with this decimal mark and, between groups of three digits, the other mark, blanks or apostrophes. Nothing
// if the text is anything else, with `unknown` also if the two marks would give different numbers.
std::optional<double> parse_grouped_number(std::string_view text, Decimal decimal);

// Which decimal mark the text needs to be a number: `unknown` if either will do or neither.
Decimal decimal_of(std::string_view text);

// The words of a missing value that were named, or those that the fit of a model was told where none were. None: the
// usual ones.
std::vector<std::string> missing_words_of(const TextOptions& text, const Schema& model);

class CellFormat {
 public:
  // `missing` are the words of a missing value, in any case, or none for the usual ones, which the word "usual" among
  // them adds. An empty cell and "nan" are always missing. Throws ErrorKind::usage for COLUMN=WORD, which there is not.
  explicit CellFormat(const std::vector<std::string>& missing = {}, Decimal decimal = Decimal::unknown);

  void set_decimal(Decimal decimal) { decimal_ = decimal; }
  Decimal decimal() const { return decimal_; }

  // A number, NaN for a missing value, or nothing. May be infinite.
  std::optional<double> parse(std::string_view cell) const;
  bool is_missing(std::string_view cell) const;

  // Whether digits with a point between them, or none, are the number that they show, whatever else is missing.
  bool reads_plainly() const { return decimal_ != Decimal::comma && numbers_.empty(); }

 private:
  bool is_missing_word(std::string_view cell) const;

  Decimal decimal_;
  bool usual_ = false;              // whether they are the usual ones
  std::vector<std::string> words_;  // lower case
  std::vector<double> numbers_;     // those of the words that are numbers
};

// The text with A-Z in lower case.
std::string lower_case(std::string_view text);

}  // namespace omvc
