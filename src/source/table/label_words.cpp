#include "source/table/label_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "source/table/line_reader.hpp"

namespace omvc {

std::optional<int> parse_label(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || !(*value >= std::numeric_limits<int>::min() && *value <= std::numeric_limits<int>::max()) ||
      *value != std::floor(*value)) {
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

void LabelWords::add(const std::string& word) {
  const auto [place, added] = numbering_.try_emplace(word, static_cast<int>(numbering_.size()));
  if (added) values_.push_back(parse_label(word));
  words_.push_back(place->second);
}

bool LabelWords::all_numbers() const {
  return std::all_of(values_.begin(), values_.end(), [](const auto& value) { return value.has_value(); });
}

std::vector<std::string> LabelWords::names() const {
  if (all_numbers()) return {};
  std::vector<std::string> out(numbering_.size());
  for (const auto& [word, number] : numbering_) out[static_cast<std::size_t>(number)] = word;
  return out;
}

std::vector<int> LabelWords::labels() const {
  if (!all_numbers()) return words_;
  std::vector<int> labels;
  labels.reserve(words_.size());
  for (const int word : words_) labels.push_back(word < 0 ? word : *values_[static_cast<std::size_t>(word)]);
  return labels;
}

}  // namespace omvc
