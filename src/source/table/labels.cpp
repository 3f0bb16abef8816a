#include "source/table/labels.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <unordered_map>

#include "omvc/error.hpp"

#include "source/table/line_reader.hpp"

namespace omvc {

std::vector<int> number_labels(const std::vector<std::string>& words) {
  LabelWords labels;
  for (const std::string& word : words) labels.add(word);
  return labels.labels();
}

std::vector<int> labels_from_numbers(const std::vector<double>& values, const std::string& where) {
  std::vector<int> labels;
  labels.reserve(values.size());
  for (const double value : values) {
    if (!(std::abs(value) <= std::numeric_limits<int>::max()) || value != std::floor(value)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: entry {} is {}; a class label is a whole number", where, labels.size() + 1, value));
    }
    labels.push_back(static_cast<int>(value));
  }
  return labels;
}

std::optional<std::vector<int>> joined_truth(const std::vector<LabelledRows>& files, Index instances,
                                             std::vector<std::string>& names) {
  for (const LabelledRows& file : files)
    instances = std::max(instances, static_cast<Index>(file.labels->of_row.size()));
  std::unordered_map<std::string_view, int> classes;  // numbered as they come
  std::vector<std::string> words;
  std::vector<int> truth(static_cast<std::size_t>(instances), -1);
  for (const LabelledRows& file : files) {
    std::vector<int> class_of_word;
    for (const std::string& word : file.labels->words) {
      const auto [found, is_new] = classes.try_emplace(word, static_cast<int>(words.size()));
      if (is_new) words.push_back(word);
      class_of_word.push_back(found->second);
    }
    for (std::size_t row = 0; row < file.labels->of_row.size(); ++row) {
      const int word = file.labels->of_row[row];
      if (word < 0) continue;
      int& known = truth[file.instances != nullptr ? static_cast<std::size_t>((*file.instances)[row]) : row];
      const int label = class_of_word[static_cast<std::size_t>(word)];
      if (known >= 0 && known != label) return std::nullopt;
      known = label;
    }
  }
  if (truth.empty() || std::find(truth.begin(), truth.end(), -1) != truth.end()) return std::nullopt;
  for (const std::string& word : words) {
    if (parse_number(word) && !parse_label(word)) return std::nullopt;
  }
  LabelWords labels;
  for (const std::string& word : words) labels.add(word);
  names = labels.names();
  const std::vector<int> numbers = labels.labels();
  for (int& label : truth) label = numbers[static_cast<std::size_t>(label)];
  return truth;
}

}  // namespace omvc
