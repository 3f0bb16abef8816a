// Ids that nobody told and that were not recognised: files that have them must not be joined by row unasked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "source/view_reader.hpp"

namespace omvc {

// Throws ErrorKind::data where several files have a column of one name that means ids (table/id_names.hpp), which is
// not used to join them and whose values are ids: words or whole numbers that (nearly) all differ in every file, or in
// one that takes them for its ids. Also where each file has a column of words, under whatever name, that (nearly) all
// differ and are mostly those of the other files, and rows that differ in them would be joined. Files that cannot be
// read twice are not looked at.
void check_unused_ids(const std::vector<std::unique_ptr<ViewReader>>& readers);

// Throws ErrorKind::data where the ids by which files would be joined only number the rows of every file, as pandas
// writes them unasked (they ascend, with gaps where rows were filtered), and all files have a column of one name that
// means ids and whose values are ids, or such columns of words as above.
void check_numbered_rows(const std::vector<std::unique_ptr<ViewReader>>& readers);

// What to tell of tables without ids, of which several are joined by row.
std::optional<std::string> note_by_row(const std::vector<std::unique_ptr<ViewReader>>& readers);

}  // namespace omvc
