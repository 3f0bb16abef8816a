#include "source/line_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

namespace omvc {
namespace {

#ifdef OMVC_FUZZING
constexpr std::size_t kBufferBytes = 61;  // so that the lines of small files, too, reach beyond it
#else
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
#endif

// A compressed file of a few megabytes can hold one line of gigabytes; no real instance is that long.
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 28;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

void split_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t first = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    fields.push_back(line.substr(first, at - first));
  }
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

LineReader::LineReader(std::string path) : path_(std::move(path)), buffer_(kBufferBytes) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) {
    throw Error(ErrorKind::io, fmt::format("{}: is a folder; name a file", path_));
  }
  seekable_ = std::filesystem::is_regular_file(status);
  errno = 0;
  file_.reset(gzopen(path_.c_str(), "rb"));
  if (!file_) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path_, std::strerror(errno != 0 ? errno : ENOMEM)));
  }
}

bool LineReader::fill() {
  errno = 0;
  const int got = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  const int system_error = errno;
  if (got < static_cast<int>(buffer_.size())) {
    int code = Z_OK;
    const char* reason = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) {
      throw Error(ErrorKind::io, fmt::format("{}: cannot read: {}", path_, std::strerror(system_error)));
    }
    if (code == Z_BUF_ERROR) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the compressed data end early after line {}; the file is truncated, "
                              "get it again",
                              path_, line_number_));
    }
    if (code != Z_OK && code != Z_STREAM_END) {
      throw Error(ErrorKind::data, fmt::format("{}: the compressed data are damaged after line {} ({}); get the file "
                                               "again",
                                               path_, line_number_, reason));
    }
  }
  begin_ = 0;
  end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
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
  if (line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool LineReader::rewind() {
  if (!seekable_) return false;
  if (gzrewind(file_.get()) != 0) throw Error(ErrorKind::io, fmt::format("{}: cannot go back to its start", path_));
  begin_ = end_ = 0;
  line_number_ = 0;
  return true;
}

void LineReader::fail(const std::string& message) const {
  throw Error(ErrorKind::data, fmt::format("{}:{}: {}", path_, line_number_, message));
}

Delimiter detect_delimiter(std::string_view line) {
  for (const Delimiter delimiter : {Delimiter::comma, Delimiter::tab, Delimiter::semicolon}) {
    if (line.find(static_cast<char>(delimiter)) != std::string_view::npos) return delimiter;
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
      // Two quotes inside a quoted field close and reopen it, so counting quotes finds the end of the field.
      bool open = false;
      for (; at < line.size() && (open || line[at] != separator); ++at) open ^= line[at] == '"';
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
    const bool tiny = digits.find("e-") != std::string_view::npos || digits.find("E-") != std::string_view::npos ||
                      digits.starts_with("0.") || digits.starts_with("-0.") || digits.starts_with('.');
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
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

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return out + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace omvc
