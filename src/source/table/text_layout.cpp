#include "source/table/text_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

constexpr std::array<std::string_view, 13> kUsualIdNames{"id",       "ids",       "index",     "sample",  "sample_id",
                                                         "sampleid", "barcode",   "cell",      "cell_id", "obs_names",
                                                         "rownames", "row_names", "unnamed: 0"};

using Fields = std::vector<std::string_view>;

bool is_usual_id_name(std::string_view field) {
  std::string lower(field);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::find(kUsualIdNames.begin(), kUsualIdNames.end(), lower) != kUsualIdNames.end();
}

bool is_number(std::string_view field) { return parse_number(field).has_value(); }

bool all_numbers(const Fields& fields, std::optional<std::size_t> except) {
  for (std::size_t j = 0; j < fields.size(); ++j) {
    if (j != except && !is_number(fields[j])) return false;
  }
  return true;
}

// Whether `first` names the columns of the data in `second`, where `id` is the column that may hold ids.
bool is_header(const Fields& first, const Fields* second, std::size_t id, bool none) {
  if (none) return !all_numbers(first, std::nullopt);
  if (second != nullptr && first.size() + 1 == second->size()) return !all_numbers(first, std::nullopt);
  if (!all_numbers(first, id)) return true;
  if (id >= first.size()) return false;
  if (first.size() == 1) return !is_number(first[0]);
  if (first[id].empty()) {
    // A line that is NaN in part cannot be data, but one that is NaN throughout is an absent instance.
    return std::any_of(first.begin(), first.end(), [](auto field) { return !std::isnan(*parse_number(field)); });
  }
  if (is_number(first[id])) return false;
  return is_usual_id_name(first[id]) || (second != nullptr && id < second->size() && is_number((*second)[id]));
}

class Detection {
 public:
  Detection(const std::string& path, const TextLine& first, const std::optional<TextLine>& second,
            const std::string& id_column, bool may_have_header)
      : path_(path), first_(first), second_(second), asked_(id_column), may_have_header_(may_have_header) {}

  TextLayout run() {
    const bool none = asked_ == "none";
    // A line is judged by its own delimiter; names are told apart by that of the data.
    Fields own;
    const Delimiter own_delimiter = detect_delimiter(first_.text);
    split_fields(first_.text, own_delimiter, own);
    layout_.delimiter = second_ ? detect_delimiter(second_->text) : own_delimiter;
    split_fields(first_.text, layout_.delimiter, head_);
    if (second_) split_fields(second_->text, layout_.delimiter, data_);
    const auto asked = asked_.empty() || none ? std::nullopt : asked_column();
    layout_.header =
        may_have_header_ && (asked_by_name_ || is_header(own, second_ ? &data_ : nullptr, asked.value_or(0), none));
    if (layout_.header && !second_) return layout_;
    if (!layout_.header) {
      layout_.delimiter = own_delimiter;
      data_ = own;
    }
    layout_.columns = data_.size();
    layout_.id_column = asked ? asked : none ? std::nullopt : detected_id();
    if (asked && *asked >= layout_.columns) fail_no_column();
    if (layout_.id_column && layout_.columns < 2) {
      fail(layout_.header ? second_->number : first_.number,
           "the only column holds the sample ids, so there are no features; for a feature say --id-column none");
    }
    if (layout_.header) name_features();
    return layout_;
  }

 private:
  [[noreturn]] void fail(Index line, const std::string& message) const {
    throw Error(ErrorKind::data, fmt::format("{}:{}: {}", path_, line, message));
  }
  [[noreturn]] void fail_no_column() const {
    throw Error(ErrorKind::usage,
                fmt::format("{}: there is no column {} for the sample ids; give a name of the header, "
                            "a number from 1, or none",
                            path_, omvc::quoted(asked_)));
  }

  std::optional<std::size_t> asked_column() {
    if (const auto number = parse_index(asked_)) {
      if (*number < 1) fail_no_column();
      return static_cast<std::size_t>(*number - 1);
    }
    for (std::size_t j = 0; j < head_.size(); ++j) {
      if (unescape_field(head_[j]) != asked_) continue;
      asked_by_name_ = true;
      return j;
    }
    fail_no_column();
  }

  std::optional<std::size_t> detected_id() const {
    if (layout_.columns < 2) return std::nullopt;
    if (layout_.header && head_.size() + 1 == layout_.columns) return 0;
    if (layout_.header && (head_[0].empty() || is_usual_id_name(head_[0]))) return 0;
    if (!is_number(data_[0])) return 0;
    return std::nullopt;
  }

  void name_features() {
    // One column has no delimiter to show, so its name may contain blanks.
    if (layout_.columns == 1) head_ = {trim(first_.text)};
    const bool shorter = layout_.id_column == 0 && !asked_by_name_ && head_.size() + 1 == layout_.columns;
    if (!shorter && head_.size() != layout_.columns) {
      fail(first_.number, fmt::format("the header names {} columns but line {} has {}; every column needs one name",
                                      head_.size(), second_->number, layout_.columns));
    }
    for (std::size_t j = 0; j < head_.size(); ++j) {
      if (!shorter && layout_.id_column == j) continue;
      layout_.names.push_back(unescape_field(head_[j]));
    }
  }

  const std::string& path_;
  const TextLine& first_;
  const std::optional<TextLine>& second_;
  const std::string& asked_;
  bool may_have_header_;
  bool asked_by_name_ = false;
  Fields head_;  // of the first line
  Fields data_;  // of the first line of data
  TextLayout layout_;
};

}  // namespace

TextLayout detect_text_layout(const std::string& path, const TextLine& first, const std::optional<TextLine>& second,
                              const std::string& id_column, bool may_have_header) {
  return Detection(path, first, second, id_column, may_have_header).run();
}

std::string unescape_field(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return text;
}

}  // namespace omvc
