#include "source/class_labels.hpp"

#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <map>

#include "omvc/error.hpp"

namespace omvc {

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

std::vector<int> labels_from_words(const std::vector<std::string>& words) {
  std::map<std::string, int> numbering;
  std::vector<int> labels;
  labels.reserve(words.size());
  for (const std::string& word : words) {
    labels.push_back(numbering.try_emplace(word, static_cast<int>(numbering.size())).first->second);
  }
  return labels;
}

}  // namespace omvc
