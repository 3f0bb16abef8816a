#include "source/table/line_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "file/reading_limits.hpp"

namespace omvc {
namespace {

// A compressed file of a few kilobytes can hold one line of gigabytes, or of a number in every other byte; no real
// instance is that long.
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 26;
constexpr std::int64_t kMaxEmptyLines = 10'000'000;  // one after the other: kilobytes can hold any number
constexpr std::ptrdiff_t kMaxColumns = std::ptrdiff_t{1} << 23;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

// Two quotes inside a quoted field close and reopen it, so counting quotes finds the end of the field.
template <class IsSeparator>
std::size_t end_of_quoted(std::string_view line, std::size_t at, IsSeparator is_separator) {
  bool open = false;
  for (; at < line.size() && (open || !is_separator(line[at])); ++at) open ^= line[at] == '"';
  return at;
}

void split_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t first = at;
    if (line[at] == '"') {
      at = end_of_quoted(line, at, is_blank);
    } else {
      while (at < line.size() && !is_blank(line[at])) ++at;
    }
    fields.push_back(unquoted(line.substr(first, at - first)));
  }
}

}  // namespace

LineReader::LineReader(const std::string& path) : file_(path), buffer_(reading_limits().text_buffer) {}

bool LineReader::fill() {
  begin_ = 0;
  end_ = file_.read(buffer_.data(), buffer_.size());
  return end_ != 0;
}

std::optional<std::string_view> LineReader::next() {
  carry_.clear();
  std::string_view line;
  while (true) {
    if (begin_ == end_ && !fill()) {
      if (carry_.empty()) return std::nullopt;
      line = carry_;
      break;
    }
    const std::string_view unread(buffer_.data() + begin_, end_ - begin_);
    const std::size_t newline = unread.find('\n');
    const std::string_view part = unread.substr(0, newline);
    begin_ += part.size() + (newline != std::string_view::npos ? 1 : 0);
    if (newline != std::string_view::npos && carry_.empty()) {
      line = part;
      break;
    }
    if (carry_.size() + part.size() > kMaxLineBytes) {
      ++line_number_;
      fail(fmt::format("the line is longer than {} bytes; a view has one instance a line", kMaxLineBytes));
    }
    carry_.append(part);
    if (newline != std::string_view::npos) {
      line = carry_;
      break;
    }
  }
  ++line_number_;
  empty_lines_ = line.empty() ? empty_lines_ + 1 : 0;
  if (empty_lines_ > kMaxEmptyLines)
    fail(fmt::format("more than {} empty lines; there are no data here", kMaxEmptyLines));
  if (line.size() > static_cast<std::size_t>(kMaxColumns)) {
    for (const char separator : {',', '\t', ';', ' '}) {
      if (std::count(line.begin(), line.end(), separator) < kMaxColumns) continue;
      fail(fmt::format("the line has more than {} columns; a view has one instance a line", kMaxColumns));
    }
  }
  if (line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\r') != std::string_view::npos) {
    fail("there is a carriage return inside the line; if lines end with it, convert them with tr '\\r' '\\n'");
  }
  return line;
}

bool LineReader::rewind() {
  if (!file_.rewind()) return false;
  begin_ = end_ = 0;
  line_number_ = 0;
  return true;
}

void LineReader::fail(const std::string& message) const {
  throw Error(ErrorKind::data, fmt::format("{}:{}: {}", path(), line_number_, message));
}

Delimiter detect_delimiter(std::string_view line) {
  // A single quote may be an inch mark.
  const bool balanced = std::count(line.begin(), line.end(), '"') % 2 == 0;
  for (const Delimiter delimiter : {Delimiter::comma, Delimiter::tab, Delimiter::semicolon}) {
    bool open = false;
    for (const char c : line) {
      open ^= c == '"' && balanced;
      if (!open && c == static_cast<char>(delimiter)) return delimiter;
    }
  }
  return Delimiter::blanks;
}

void split_fields(std::string_view line, Delimiter delimiter, std::vector<std::string_view>& fields) {
  fields.clear();
  if (delimiter == Delimiter::blanks) return split_blanks(line, fields);
  const char separator = static_cast<char>(delimiter);
  std::size_t first = 0;
  while (true) {
    std::size_t at = first;
    while (at < line.size() && is_blank(line[at]) && line[at] != separator) ++at;
    if (at < line.size() && line[at] == '"') {
      at = end_of_quoted(line, at, [separator](char c) { return c == separator; });
    } else {
      at = std::min(line.find(separator, at), line.size());
    }
    fields.push_back(unquoted(trim(line.substr(first, at - first))));
    if (at == line.size()) return;
    first = at + 1;
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

namespace {

// Whether a number that no double holds is too small for it, and not too large: by the place of its first digit that is
// not 0, after the point below 0, and the exponent.
bool is_tiny(std::string_view digits) {
  const std::string_view mantissa = digits.substr(0, std::min(digits.find_first_of("eE"), digits.size()));
  const auto point = static_cast<double>(std::min(mantissa.find('.'), mantissa.size()));
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  std::string_view power = digits.substr(std::min(mantissa.size() + 1, digits.size()));
  if (power.starts_with('+')) power.remove_prefix(1);
  double exponent = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec == std::errc::result_out_of_range) {
    return power.starts_with('-');
  }
  return point - static_cast<double>(first) + exponent < 0;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.empty() || equal_ignoring_case(text, "na")) return std::numeric_limits<double>::quiet_NaN();
  std::string_view digits = text;
  if (digits.front() == '+') {
    digits.remove_prefix(1);
    if (digits.empty() || digits.front() == '-') return std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    return is_tiny(digits) ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return value;
}

std::optional<Index> parse_index(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace omvc
