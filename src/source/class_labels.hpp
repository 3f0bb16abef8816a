// Class labels from what files hold: numbers or words.
#pragma once

#include <string>
#include <vector>

namespace omvc {

// Throws ErrorKind::data, naming `where` and the entry (from 1), for what is not a whole number that fits an int.
std::vector<int> labels_from_numbers(const std::vector<double>& values, const std::string& where);

// Words are numbered from 0 by first appearance.
std::vector<int> labels_from_words(const std::vector<std::string>& words);

}  // namespace omvc
