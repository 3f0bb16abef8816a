// One view in one file. A new format that has one file per view is a class derived from ViewReader and one line in the
// table of formats/open.cpp; joining views and numbering rows are done elsewhere (join/join.hpp).
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

// Some consecutive instances of one view. Positions in view.present count from the first of them.
struct ViewRows {
  ChunkView view;
  Index instances = 0;           // consumed, whether present or not
  std::vector<std::string> ids;  // one per instance, where the reader has ids
};

// The class of every instance of a file that tells it along with the data.
struct ViewLabels {
  std::vector<std::string> words;  // each class once
  std::vector<int> of_row;         // numbers of words; -1 where a row has no class
};

// Instances whose place in the file is taken, to be read by any thread (Source::begin_next).
struct ViewDelivery {
  Index instances = 0;
  std::function<ViewRows()> read;
};

// What the names of a table's columns say of sample ids.
struct IdColumns {
  bool expected = false;            // a table may have ids, and the user does not say that it has none
  std::string used;                 // the column of the ids; empty without a name
  std::vector<std::string> unused;  // columns that are called like ids and are features or left out
  std::vector<std::string> words;   // columns that are left out since they hold text that hardly comes again
};

class ViewReader {
 public:
  virtual ~ViewReader() = default;

  virtual const std::string& path() const = 0;
  virtual const ViewSchema& schema() const = 0;

  // The number of instances, where it is known without reading them all.
  virtual std::optional<Index> rows() const { return std::nullopt; }

  // The next instances: max_rows >= 1 of them, fewer only at the end of the file, none after it.
  virtual ViewRows read(Index max_rows) = 0;

  // The same in two steps. A reader that is not written for this does all work in the first.
  virtual ViewDelivery begin_read(Index max_rows) {
    auto rows = std::make_shared<ViewRows>(read(max_rows));
    return {rows->instances, [rows] { return std::move(*rows); }};
  }

  // Passes over the next instances.
  virtual void skip(Index rows) {
    constexpr Index kAtOnce = 256;
    while (rows > 0) {
      const Index read_now = read(std::min(rows, kAtOnce)).instances;
      if (read_now == 0) return;
      rows -= read_now;
    }
  }

  // Goes back to the first instance. Returns false where the file cannot be read again (a pipe).
  virtual bool rewind() = 0;

  // Whether every instance has a sample id.
  virtual bool has_ids() const { return false; }

  // The ids of all instances, in order, however often they occur. Leaves the reader at the first instance; only of a
  // reader that has ids and can rewind.
  virtual std::vector<std::string> all_ids() { return {}; }

  // A block as read() delivers them, without rows, where it is known without reading. Throws what reading the first
  // instance would throw.
  virtual std::optional<Block> no_rows() { return std::nullopt; }

  // Where an instance is in the file, for messages: the file and the line, if that can still be found out.
  virtual std::string place(Index row) { return path() + ": instance " + std::to_string(row + 1); }

  virtual const ViewLabels* labels() const { return nullptr; }

  // What was found in the file that the user should know.
  virtual std::vector<std::string> notes() const { return {}; }

  // The name of a column of data that may hold ids: it does, if all files have it. Empty if there is none.
  virtual std::string possible_id_column() const { return {}; }

  virtual IdColumns id_columns() const { return {}; }
  // The cells of a column of that name, those that are not there empty: one for each instance. Leaves the reader at the
  // first instance; only of one that can rewind.
  virtual std::vector<std::string> cells_of(const std::string& /*column*/) { return {}; }

  // Takes that column for the ids. Returns false, and changes nothing, where the file has to be opened again for this.
  virtual bool take_possible_ids() { return false; }
  // Makes it a feature again.
  virtual void drop_possible_ids() {}
  // Whether no id occurs twice; under the conditions of all_ids(), which may be asked for then.
  virtual bool has_unique_ids() {
    std::vector<std::string> ids = all_ids();
    std::sort(ids.begin(), ids.end());
    return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
  }
};

}  // namespace omvc
