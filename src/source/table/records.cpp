#include "source/table/records.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

#ifdef OMVC_FUZZING
constexpr std::size_t kSampleLines = 5;  // so that small files, too, go on behind the sample
#else
constexpr std::size_t kSampleLines = 1000;
#endif
constexpr std::size_t kKnownLines = 100;
constexpr std::size_t kSampleBytes = std::size_t{1} << 18;
constexpr std::size_t kLongestQuote = std::size_t{1} << 16;

bool separates(char c) { return c == ',' || c == ';' || c == '\t' || c == '|'; }

}  // namespace

bool ends_in_quotes(std::string_view text) {
  bool at_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && at_start) {
      ++i;
      while (i < text.size() && (text[i] != '"' || (i + 1 < text.size() && text[i + 1] == '"'))) {
        i += text[i] == '"' ? 2 : 1;
      }
      if (i >= text.size()) return true;
      at_start = false;
    } else {
      at_start = separates(text[i]) || (at_start && text[i] == ' ');
    }
  }
  return false;
}

std::optional<std::string_view> RecordReader::read() {
  auto line = lines_.next();
  if (!line) return line;
  line_ = lines_.line_number();
  if (line->find('"') == std::string_view::npos || !ends_in_quotes(*line)) return line;
  joined_ = *line;
  while (ends_in_quotes(joined_)) {
    line = lines_.next();
    if (!line || joined_.size() + line->size() > kLongestQuote) {
      throw Error(ErrorKind::data, fmt::format("{}:{}: a field begins with a quote that is not closed; close it, or "
                                               "double the quote if it belongs to the text",
                                               path(), line_));
    }
    joined_.append("\n").append(*line);
  }
  return joined_;
}

// The next record that is not empty, to be returned by next() later.
std::optional<TextLine> RecordReader::add_ahead() {
  Ahead found;
  while (const auto record = read()) {
    if (!trim(*record).empty()) {
      found.line = {line_, std::string(*record)};
      ahead_.push_back(found);
      return found.line;
    }
    ++found.empty_before;
    found.line.number = line_ + 1;
  }
  found.ends = true;
  if (found.empty_before > 0) ahead_.push_back(found);
  return std::nullopt;
}

void RecordReader::look_ahead(bool known) {
  ahead_.clear();
  last_comment_.reset();
  separator_.clear();
  line_ = 0;
  std::optional<TextLine> first = add_ahead();
  if (first && first->number == 1 && first->text.size() == 5 && first->text.starts_with("sep=")) {
    separator_ = first->text.substr(4);
    ahead_.clear();
    first = add_ahead();
  }
  while (first && first->text.starts_with('#')) {
    last_comment_ = std::string(trim(std::string_view(first->text).substr(1)));
    // Empty lines between comments are no instances.
    ahead_.clear();
    first = add_ahead();
  }
  std::size_t bytes = first ? first->text.size() : 0;
  const std::size_t most = known ? std::min(kKnownLines, kSampleLines) : kSampleLines;
  while (first && ahead_.size() < most && (ahead_.size() < 2 || bytes < kSampleBytes)) {
    const auto line = add_ahead();
    if (!line) break;
    bytes += line->text.size();
    if (last_comment_ && line->text.starts_with('#')) ahead_.pop_back();
  }
}

std::vector<TextLine> RecordReader::sample() const {
  std::vector<TextLine> lines;
  for (const Ahead& one : ahead_) {
    if (!one.ends) lines.push_back(one.line);
  }
  return lines;
}

void RecordReader::skip_first() { ahead_.pop_front(); }

void RecordReader::skip_titles(std::size_t count) {
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(std::min(count, ahead_.size())));
  if (count > 0 && !ahead_.empty()) ahead_.front().empty_before = 0;
}

std::optional<std::string_view> RecordReader::next() {
  while (ahead_.empty()) {
    const auto record = read();
    if (!record || !last_comment_ || !record->starts_with('#')) return record;
  }
  Ahead& first = ahead_.front();
  if (first.empty_before > 0) {
    line_ = first.line.number - first.empty_before--;
    if (first.ends && first.empty_before == 0) ahead_.pop_front();
    return std::string_view();
  }
  line_ = first.line.number;
  text_ = std::move(first.line.text);
  ahead_.pop_front();
  return text_;
}

}  // namespace omvc
