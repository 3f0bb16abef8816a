// Which column of a stream's table names the rows, and which view each of the others belongs to. The header and the
// model decide it alone, so that a stream that starts again reads its lines as before.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "omvc/rows.hpp"

namespace omvc {

struct ColumnPlace {
  std::string view;     // none: the column is left out
  std::string feature;  // its name in the view; that of a category is followed by =VALUE there
  bool extra = false;   // a model whose features the other columns are lacks it
};

// Throws ErrorKind::usage: a line is no header.
[[noreturn]] void refuse_header();

class ColumnViews {
 public:
  // `like` must outlive it.
  explicit ColumnViews(const RowsLike& like);

  // The column of ids: a number from 1, or "none".
  std::string id_column(const std::vector<std::string>& names) const;
  // The place of each column: by the names of the model's features, else VIEW:FEATURE (or with a point, a slash or an
  // underscore, in all of them), else all in one view. A header that has all features of a view is the model's whatever
  // else is in it. Throws ErrorKind::usage if that is not possible.
  std::vector<ColumnPlace> places(const std::vector<std::string>& names, std::optional<std::size_t> id) const;

  // Whether a column is a feature of the model, by its name or as VIEW:FEATURE.
  bool knows(const std::string& name) const;
  // Whether the fit of the model had the column and left it out.
  bool was_left_out(const std::string& name) const;

 private:
  const ViewSchema* only_view() const;
  bool has_a_view(const std::vector<std::string>& names) const;

  const RowsLike& like_;
  std::unordered_map<std::string, std::vector<std::string>> views_of_;  // views that have a column of this name
};

}  // namespace omvc
