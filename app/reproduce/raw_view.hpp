// A view of a raw archive in memory, and several of them as one data set.
#pragma once

#include <string>
#include <vector>

#include "omvc/input.hpp"

namespace omvc::app {

struct RawView {
  ViewSchema schema;
  CsrBlock<double> block;            // a row for each instance that the view has
  std::vector<std::string> classes;  // of each row, as written
  std::vector<std::string> ids;      // of each row, each once; none: the next two say which instance a row is
  std::vector<Index> places;         // of each row, ascending
  Index instances = 0;
};

// Joins views by their ids, in the order of first appearance, or row by row where no view has ids. A view that is
// hardly sparse becomes dense. The truth is that of the classes: whole numbers as they are, words by first appearance;
// none, with a note, where views disagree. Throws ErrorKind::data if the views do not fit together.
Input join_views(std::vector<RawView> views);

}  // namespace omvc::app
