// Opening data files. The format follows from a file's name and content; see docs/formats.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/source.hpp"

namespace omvc {

struct Input {
  std::unique_ptr<Source> source;
  std::optional<std::vector<int>> truth;  // class labels found in a container file, numbered as they are there
};

// What a file does not tell by itself. Every field has a default that is right for most files.
struct InputOptions {
  std::string format;        // empty: by name and content; else a name of docs/formats.md, such as "svmlight"
  std::string id_column;     // text: the column of sample ids, by name or number from 1; empty: detected; "none"
  bool transpose = false;    // Matrix Market and dense matrices: instances are columns
  std::string layer;         // HDF5: this layer in the place of X
  std::string label_column;  // HDF5: the column of obs that holds the class labels
};

// One container file that holds all views, or one file a view. Files whose rows have sample ids are joined by them: an
// instance is every id that occurs in some file. Others have the same instances in the same rows.
// Throws ErrorKind::io for what cannot be read and ErrorKind::data for what cannot be understood.
Input open_input(const std::vector<std::string>& paths, const InputOptions& options = {});

// Side files of a data set: text, one line an instance. Presence may also be an NPY, NPZ or MAT file with a matrix of 0
// and 1; of a MAT file with several in `folds` the first is read, or that which "FILE.mat:3" names.
std::vector<int> read_labels(const std::string& path);   // one integer or word a line; words are numbered by
                                                         // first appearance
std::vector<Index> read_order(const std::string& path);  // a permutation of 0 .. N-1
std::vector<bool> read_presence(const std::string& path, Index views);  // N x views of 0 and 1, row-major

}  // namespace omvc
