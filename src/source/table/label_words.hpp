// Class labels from words: whole numbers stay what they are if every word is one, other words are numbered by first
// appearance.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace omvc {

// A whole number that fits an int, also where it is written as 3.0 or 3.0e+00, as numpy.savetxt does.
std::optional<int> parse_label(std::string_view text);

class LabelWords {
 public:
  void add(const std::string& word);
  // An instance without a label: it has this number, and no word.
  void add_none(int number) { words_.push_back(number); }
  std::vector<int> labels() const;
  // The word of each label; none where labels are numbers of their own.
  std::vector<std::string> names() const;

 private:
  bool all_numbers() const;

  std::unordered_map<std::string, int> numbering_;
  std::vector<std::optional<int>> values_;  // of each different word, as a number
  std::vector<int> words_;                  // in order
};

}  // namespace omvc
