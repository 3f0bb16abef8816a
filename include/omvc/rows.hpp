// Rows of a stream as lines of text, one instance a line, as they come from a log or a message queue.
//
// JSON Lines: a key is a view, a list is a dense row, an object a sparse one; `id` is the name of the instance. An
// absent key, or null, is a missing view; null in a list is a missing value.
//
//     {"id": "p17", "text": {"goal": 2, "match": 1}, "image": [0.1, 0.7]}
//
// A table in text, as files have them (docs/formats.md): the first line names the columns, by the features of the
// model, or as VIEW:FEATURE (or VIEW.FEATURE, VIEW/FEATURE, VIEW_FEATURE); a column `id`, or one that is no feature in
// the first place, names the instance. A view whose cells are all empty is missing.
//
//     id,text:goal,text:match,image:1,image:2        id;height;eyes
//     p17,2,1,0.1,0.7                                p17;1,80;blue
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"
#include "omvc/input.hpp"

namespace omvc {

enum class RowFormat { automatic, json, csv };  // csv: any table; automatic: JSON where { comes first

// What the rows of a stream are held against.
struct RowsLike {
  Schema schema;
  std::vector<bool> sparse;   // of each view
  bool grows = false;         // views, and features of sparse views, that the schema lacks are added to it
  bool new_names = false;     // later, too, features of sparse views that have names are added
  Index max_features = 0;     // of a view: names beyond are left out, and longer lists refused; 0: any number
  bool ignore_extra = false;  // those that it lacks, and may not have, are left out rather than refused
  TextOptions text;           // of a table: what its lines do not show; there is always a header
  std::string id_column;      // of a table: by name or number from 1, or "none"; empty: found
};

// Brings lines into chunks. Features are found by name where the view has names, else by number from 0 (objects) or by
// place (lists, CSV). A feature that an object leaves out is 0 in a sparse view and missing in a dense one. Hostile
// lines are refused; memory is bounded by the longest line and by the rows that wait to be taken.
class OMVC_API RowReader {
 public:
  explicit RowReader(RowsLike like, RowFormat format = RowFormat::automatic);
  ~RowReader();
  RowReader(RowReader&&) noexcept;
  RowReader& operator=(RowReader&&) noexcept;

  // Adds the row that a line (without its end) describes; false where it describes none: it is empty, a comment, or
  // names the columns. Throws ErrorKind::data for a line that cannot be used, and ErrorKind::usage for columns of a
  // table that do not fit the model, after which no line can be read; what was added before stays either way.
  bool add(std::string_view line);
  // The id of the line given to add() last, as JSON: a text, a whole number, or null where there is none.
  const std::string& id() const;

  // What the first row of a table showed that is not obvious, for the user, such as columns that are left out.
  const std::vector<std::string>& notes() const;

  Index size() const;  // rows that wait
  // Those rows, numbered from 0, with the views and features of schema(); none wait then.
  Chunk take();

  const Schema& schema() const;
  const std::vector<bool>& sparse() const;
  Index growth() const;    // how often the schema has grown
  void freeze();           // the schema grows no more, but for new names
  Index left_out() const;  // entries whose names found no room

 private:
  struct OMVC_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace omvc
