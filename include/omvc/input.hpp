// Opening data files. The format follows from a file's name and content; see docs/formats.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/export.hpp"
#include "omvc/source.hpp"

namespace omvc {

struct Input {
  std::unique_ptr<Source> source;
  // Class labels found in a container file, numbered as they are there; kNoClass for an instance without one.
  std::optional<std::vector<int>> truth;
  // What was found in the files that is not obvious, such as columns that were left out: a sentence each, for the user.
  std::vector<std::string> notes;
  // Where files were joined by id: one whose rows are not the instances in their order, so that nothing without ids can
  // be joined to the instances by row; else empty.
  std::string out_of_order = {};
  bool ids_of_some = false;  // joined by row since some of the files have no ids; ids are those of the others
  std::vector<std::string> class_names = {};  // of the truth, by number; none where classes are numbers themselves
};

// How text is read, where it does not show by itself. Where a column is named, it is by its name, a pattern with * and
// ?, or its number from 1; "VIEW=COLUMN" is for the file of one view only.
struct TextOptions {
  std::string separator;  // comma, tab, semicolon, pipe, blanks or a character; empty: found
  std::string decimal;    // the decimal mark, "." or ","; empty: found
  std::string header;     // whether the first line names the columns: yes, no; empty or auto: found
  std::vector<std::string>
      missing_values;                // words of a missing value, in any case; none, or "usual": NA, N/A, null, -, ?
  std::vector<std::string> columns;  // those that are used; none: all
  std::vector<std::string> drop;     // those that are not
};

// What a file does not tell by itself. Every field has a default that is right for most files.
struct InputOptions {
  std::string format;                  // empty: by name and content; else a name of docs/formats.md, such as "svmlight"
  std::vector<std::string> id_column;  // text: the column of sample ids as in TextOptions, or "none"; none: found
  bool transpose = false;              // Matrix Market and dense matrices: instances are columns
  std::string layer;                   // HDF5: this layer in the place of X
  std::vector<std::string> views;      // HDF5: these views only: MODALITY, MODALITY:ENTRY of its obsm, or ENTRY
  std::string label_column;            // HDF5: the column of obs that holds the class labels
  bool allow_disjoint = false;         // accept views that have no sample id in common with the others
  std::vector<std::string> names;      // "VIEW=FILE": the names of its features, one a line of this file
  TextOptions text;
  Schema like;  // the views of a model: categories in text become the features that they are there
};

// One container file that holds all views, or one file per view. Files whose rows have sample ids are joined by them:
// an instance is every id that occurs in some file. Others have the same instances in the same rows. "NAME=FILE" gives
// a view another name than that of its file. An HDF5 file is tried by another process first, which open_input starts;
// the program has to lend itself to that (omvc/trial.hpp). Throws ErrorKind::io for what cannot be read and
// ErrorKind::data for what cannot be understood.
OMVC_API Input open_input(const std::vector<std::string>& paths, const InputOptions& options = {});

// Side files of a data set: text, one line an instance. Presence may also be an NPY, NPZ or MAT file with a matrix of 0
// and 1; of a MAT file with several in `folds` the first is read, or that which "FILE.mat:3" names.
OMVC_API std::vector<int> read_labels(const std::string& path);                  // those of read_label_table
OMVC_API std::vector<Index> read_order(const std::string& path);                 // a permutation of 0 .. N-1
OMVC_API std::vector<bool> read_presence(const std::string& path, Index views);  // N x views of 0 and 1, row-major

// Labels with the sample ids, where the file has them.
struct LabelTable {
  std::vector<std::string> ids;         // each once, or none
  std::vector<int> labels;              // whole numbers as they are; words are numbered by first appearance
  std::vector<std::string> names = {};  // the words; none where labels are whole numbers
  Index unlabelled_line = 0;            // of the first id without a label, which is left out; 0: all have one
  Index unlabelled = 0;             // lines without a label: left out, or a word such as NA, whose label is kNoClass
  std::string guessed_column = {};  // the name of the second of more than two columns, if no name says which has labels
};

// One label a line; or a table with a header, separated by commas, tabs or semicolons, in which the first column has
// the ids and the column `label` (labels, class, classes, truth), or else the second, has the labels; an id without
// one is left out. Words that stand for a missing value in tables (NA, nan, ?) are no label. Throws ErrorKind::data for
// an id that comes twice.
OMVC_API LabelTable read_label_table(const std::string& path);

// The label of each of the ids; kNoClass for an id that the table lacks. Throws ErrorKind::data, naming `where`, if it
// lacks more than half of them.
OMVC_API std::vector<int> labels_of_ids(const LabelTable& table, const std::vector<std::string>& ids,
                                        const std::string& where);

}  // namespace omvc
