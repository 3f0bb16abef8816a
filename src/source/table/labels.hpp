// Class labels, from words or numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/table/label_words.hpp"
#include "source/view_reader.hpp"

namespace omvc {

// The numbers themselves if all are whole numbers; else words are numbered by first appearance.
std::vector<int> number_labels(const std::vector<std::string>& words);

// Throws ErrorKind::data, naming `where` and the entry (from 1), for what is not a whole number that fits an int.
std::vector<int> labels_from_numbers(const std::vector<double>& values, const std::string& where);

// What one file says about the classes; instances[row] is the instance of its row, or the row itself if null.
struct LabelledRows {
  const ViewLabels* labels = nullptr;
  const std::vector<Index>* instances = nullptr;
};

// The class of every instance, numbered as number_labels does; nothing if two files disagree, an instance has no class,
// or the labels are numbers but not whole ones. The number of instances is that of the longest file, if not given.
// `names` receives the words of the classes; none where they are numbers themselves.
std::optional<std::vector<int>> joined_truth(const std::vector<LabelledRows>& files, Index instances,
                                             std::vector<std::string>& names);

}  // namespace omvc
