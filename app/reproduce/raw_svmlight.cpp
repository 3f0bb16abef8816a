#include "reproduce/raw_svmlight.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <zlib.h>

#include "omvc/error.hpp"

namespace omvc::app {
namespace {

class GzipLines {
 public:
  explicit GzipLines(std::string path) : path_(std::move(path)), file_(::gzopen(path_.c_str(), "rbe")) {
    if (file_ == nullptr) throw Error(ErrorKind::io, fmt::format("{}: cannot open", path_));
    ::gzbuffer(file_, 1 << 18);
  }
  ~GzipLines() { ::gzclose(file_); }
  GzipLines(const GzipLines&) = delete;
  GzipLines& operator=(const GzipLines&) = delete;

  // The next line without its end, until the next call; nothing after the last.
  std::optional<std::string_view> next() {
    line_.clear();
    char piece[1 << 14];
    while (line_.empty() || line_.back() != '\n') {
      if (::gzgets(file_, piece, sizeof piece) == nullptr) {
        int code = Z_OK;
        const char* reason = ::gzerror(file_, &code);
        if (code != Z_OK) throw Error(ErrorKind::data, fmt::format("{}: {}; get it anew", path_, reason));
        if (line_.empty()) return std::nullopt;
        break;
      }
      line_ += piece;
    }
    ++number_;
    std::string_view line = line_;
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    return line;
  }

  Index number() const { return number_; }
  std::string place() const { return fmt::format("{}:{}", path_, number_); }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::data, fmt::format("{}: {}", place(), message));
  }

 private:
  std::string path_;
  gzFile file_;
  std::string line_;
  Index number_ = 0;
};

// The next word between blanks, which is taken off the text; empty at its end.
std::string_view take_word(std::string_view& text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

template <class T>
std::optional<T> parse(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  T value{};
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

using Entry = std::pair<std::int32_t, double>;  // a feature as it is written, and its value

class SvmlightView {
 public:
  SvmlightView(std::string where, const std::string& name) : where_(std::move(where)) { view_.schema.name = name; }

  void read(const SvmlightPart& part) {
    GzipLines lines(part.path);
    std::string id;
    while (auto line = lines.next()) {
      std::string_view text = *line;
      const std::size_t start = text.find_first_not_of(" \t");
      if (start != std::string_view::npos && text[start] == '#') {
        if (!part.id_prefix.empty() && take_word(text) == "#I") id = part.id_prefix + std::string(take_word(text));
        continue;
      }
      add(lines, text.substr(0, text.find('#')), std::exchange(id, {}));
    }
  }

  RawView finish() {
    if (values_.empty()) throw Error(ErrorKind::data, fmt::format("{}: there are no data in it", where_));
    if (with_id_ != 0 && with_id_ != view_.instances) {
      throw Error(ErrorKind::data, fmt::format("{}: {} of {} instances have an id (#I); give it to all or to none",
                                               where_, with_id_, view_.instances));
    }
    CsrBlock<double>& block = view_.block;
    const auto [lowest, highest] = std::minmax_element(block.columns.begin(), block.columns.end());
    const std::int32_t base = *lowest == 0 ? 0 : 1;
    block.cols = view_.schema.features = *highest - base + 1;
    for (std::int32_t& column : block.columns) column -= base;
    block.values = std::move(values_);
    return std::move(view_);
  }

 private:
  // A line that is empty stands for an instance that the view lacks.
  void add(const GzipLines& lines, std::string_view text, std::string id) {
    const Index place = view_.instances++;
    if (!id.empty()) {
      ++with_id_;
      const auto [found, is_new] = seen_.try_emplace(id, lines.place());
      if (!is_new) lines.fail(fmt::format("the id '{}' is also at {}; keep one of them", id, found->second));
    }
    const std::string_view label = take_word(text);
    if (label.empty()) return;
    if (label.find(':') != std::string_view::npos) lines.fail("the line starts with no class");
    view_.classes.emplace_back(label);
    view_.places.push_back(place);
    if (!id.empty()) view_.ids.push_back(std::move(id));
    add_entries(lines, text);
  }

  void add_entries(const GzipLines& lines, std::string_view text) {
    entries_.clear();
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
      if (word.starts_with("qid:")) continue;
      const std::size_t colon = std::min(word.find(':'), word.size());
      const auto feature = parse<std::int32_t>(word.substr(0, colon));
      const auto value = parse<double>(word.substr(std::min(colon + 1, word.size())));
      if (!feature || *feature < 0 || *feature == std::numeric_limits<std::int32_t>::max() || !value ||
          !std::isfinite(*value)) {
        lines.fail(fmt::format("'{}' is not of the form feature:value", word));
      }
      entries_.emplace_back(*feature, *value);
    }
    std::sort(entries_.begin(), entries_.end());
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      if (k > 0 && entries_[k].first == entries_[k - 1].first) {
        lines.fail(fmt::format("feature {} is given twice", entries_[k].first));
      }
      view_.block.columns.push_back(entries_[k].first);
      values_.push_back(entries_[k].second);
    }
    view_.block.offsets.push_back(static_cast<Index>(values_.size()));
    ++view_.block.rows;
  }

  std::string where_;
  RawView view_;
  std::vector<double> values_;
  Index with_id_ = 0;
  std::unordered_map<std::string, std::string> seen_;  // ids, and where they are
  std::vector<Entry> entries_;
};

}  // namespace

RawView read_svmlight(const std::string& where, const std::vector<SvmlightPart>& parts, const std::string& view_name) {
  SvmlightView view(where, view_name);
  for (const SvmlightPart& part : parts) view.read(part);
  return view.finish();
}

Index count_lines(const std::string& path) {
  GzipLines lines(path);
  while (lines.next()) continue;
  return lines.number();
}

}  // namespace omvc::app
