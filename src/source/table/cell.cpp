#include "source/table/cell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::string_view, 9> kUsualMissing{"na", "n/a", "#n/a", "null", "<na>", "\\n", "-", "?", "."};
constexpr std::string_view kUsual = "usual";  // among the words of a user: those above, too
// As Python writes it. Otherwise "none" is what a category has ("treatment: none, low, high").
constexpr std::string_view kPythonsNone = "None";

// A mark between groups of digits at the start of the text: a blank of any width or an apostrophe; its bytes, else 0.
std::size_t blank_mark(std::string_view text) {
  for (const std::string_view mark : {" ", "'", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"}) {
    if (text.starts_with(mark)) return mark.size();
  }
  return 0;
}

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

// Appends the digits of the whole part and removes it from the text. Returns false if its groups are not of three.
bool take_whole(std::string_view& text, char group, std::string& plain) {
  std::size_t digits = count_digits(text);
  plain.append(text.substr(0, digits));
  const bool may_be_grouped = digits >= 1 && digits <= 3 && text[0] != '0';
  text.remove_prefix(digits);
  std::string_view mark = text.substr(0, !text.empty() && text[0] == group ? 1 : blank_mark(text));
  if (mark.empty()) return true;
  if (!may_be_grouped) return false;
  const std::string_view first = mark;
  while (!first.empty() && text.starts_with(first)) {
    text.remove_prefix(first.size());
    digits = count_digits(text);
    if (digits != 3) return false;
    plain.append(text.substr(0, 3));
    text.remove_prefix(3);
  }
  return true;
}

std::optional<double> parse_marked(std::string_view text, char point, char group) {
  constexpr std::string_view kMinus = "\xE2\x88\x92";
  std::string plain;
  if (text.starts_with(kMinus)) {
    plain = "-";
    text.remove_prefix(kMinus.size());
  } else if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') plain = "-";
    text.remove_prefix(1);
  }
  if (!take_whole(text, group, plain)) return std::nullopt;
  if (!text.empty() && text[0] == point) {
    text.remove_prefix(1);
    const std::size_t digits = count_digits(text);
    plain.append(".").append(text.substr(0, digits));
    text.remove_prefix(digits);
  }
  if (!text.empty() && text[0] != 'e' && text[0] != 'E') return std::nullopt;
  plain.append(text);
  if (plain.empty() || !(is_digit(plain.front()) || plain.front() == '-' || plain.front() == '.')) return std::nullopt;
  return parse_number(plain);
}

// Numbers start with a digit, a mark or a sign; words are told apart from them by this.
bool starts_like_number(std::string_view cell) {
  const char c = cell.front();
  return is_digit(c) || c == '-' || c == '+' || c == '.' || c == ',' || static_cast<unsigned char>(c) == 0xE2;
}

bool is_of_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<double> parse_grouped_number(std::string_view text, Decimal decimal) {
  if (decimal == Decimal::point) return parse_marked(text, '.', ',');
  if (decimal == Decimal::comma) return parse_marked(text, ',', '.');
  const auto by_point = parse_marked(text, '.', ',');
  const auto by_comma = parse_marked(text, ',', '.');
  return by_point && (!by_comma || *by_comma == *by_point) ? by_point : std::nullopt;
}

Decimal decimal_of(std::string_view text) {
  if (text.find_first_of(".,") == std::string_view::npos) return Decimal::unknown;
  const bool by_point = parse_marked(text, '.', ',').has_value();
  const bool by_comma = parse_marked(text, ',', '.').has_value();
  if (by_point == by_comma) return Decimal::unknown;
  return by_point ? Decimal::point : Decimal::comma;
}

std::vector<std::string> missing_words_of(const TextOptions& text, const Schema& model) {
  std::vector<std::string> words = text.missing_values;
  for (const ViewSchema& view : model.views) {
    if (words.empty()) words = view.missing_words;
  }
  return words;
}

CellFormat::CellFormat(const std::vector<std::string>& missing, Decimal decimal) : decimal_(decimal) {
  usual_ = missing.empty() || std::any_of(missing.begin(), missing.end(),
                                          [](const std::string& word) { return lower_case(trim(word)) == kUsual; });
  if (usual_) words_.assign(kUsualMissing.begin(), kUsualMissing.end());
  for (const std::string& word : missing) {
    if (lower_case(trim(word)) == kUsual) continue;
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && equals > 0 && equals + 1 < word.size() && is_of_name(word[equals - 1])) {
      throw Error(ErrorKind::usage,
                  fmt::format("--missing-values {}: words of missing values are those of all columns, and none is said "
                              "for one column; say --missing-values usual,{} if it is missing everywhere, or empty "
                              "these cells in the file",
                              word, word.substr(equals + 1)));
    }
    words_.push_back(lower_case(trim(word)));
    const auto number = parse_number(words_.back());
    if (number && !std::isnan(*number)) numbers_.push_back(*number);
  }
}

bool CellFormat::is_missing_word(std::string_view cell) const {
  constexpr std::size_t kLongest = 32;
  if (cell.empty() || (usual_ && cell == kPythonsNone)) return true;
  if (cell.size() > kLongest) return false;
  const std::string word = lower_case(cell);
  return std::find(words_.begin(), words_.end(), word) != words_.end();
}

std::optional<double> CellFormat::parse(std::string_view cell) const {
  if (cell.empty()) return kNan;
  if (!starts_like_number(cell)) {
    if (is_missing_word(cell)) return kNan;
    const bool word_only = cell.front() == 'n' || cell.front() == 'N' || cell.front() == 'i' || cell.front() == 'I';
    return word_only && lower_case(cell) != "na" ? parse_number(cell) : std::nullopt;
  }
  const bool marked = decimal_ == Decimal::open && cell.find_first_of(".,") != std::string_view::npos;
  auto value = decimal_ == Decimal::comma || marked ? std::nullopt : parse_number(cell);
  if (!value && is_missing_word(cell)) return kNan;
  if (!value) value = parse_grouped_number(cell, decimal_);
  if (value && !numbers_.empty() && std::find(numbers_.begin(), numbers_.end(), *value) != numbers_.end()) return kNan;
  return value;
}

bool CellFormat::is_missing(std::string_view cell) const {
  const auto value = parse(cell);
  return value && std::isnan(*value);
}

}  // namespace omvc
