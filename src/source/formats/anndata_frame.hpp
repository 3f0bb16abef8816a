// The tables of AnnData files (obs and var): their index, which names samples or features, and their columns as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hdf5/object.hpp"

namespace omvc {

// A column as words: text, numbers, booleans, or categories; what is missing is an empty word.
class FrameColumn {
 public:
  // `group` is the table. Throws ErrorKind::data for a column that is stored in a way we do not know.
  FrameColumn(const h5::Group& group, const std::string& name);

  Index rows() const { return values_->rows(); }
  std::vector<std::string> words(Index first, Index count) const;

 private:
  std::optional<h5::Dataset> values_;    // or codes of the categories
  std::optional<h5::Dataset> missing_;   // flags
  std::vector<std::string> categories_;  // none: values are what they are
  bool categorical_ = false;
};

class Frame {
 public:
  // Throws ErrorKind::data if there is no such table in `owner`.
  Frame(const h5::Group& owner, const std::string& name);

  Index rows() const { return index_.rows(); }
  std::vector<std::string> index(Index first, Index count) const { return index_.words(first, count); }
  bool has(const std::string& column) const { return group_.has(column); }
  FrameColumn column(const std::string& name) const;
  std::vector<std::string> columns() const;

 private:
  h5::Group group_;
  std::string index_name_;
  FrameColumn index_;
};

}  // namespace omvc
