#include "source/formats/anndata_frame.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

h5::Group open_table(const h5::Group& owner, const std::string& name) {
  if (!owner.has_group(name)) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there is no table '{}'; the file is not AnnData or MuData, or was written by anndata "
                            "before 0.7: read it with a newer one and write it again",
                            owner.where(), name));
  }
  return owner.group(name);
}

std::string index_name(const h5::Group& table) {
  std::string name = table.text_attribute("_index");
  if (name.empty()) name = table.has("_index") ? "_index" : "index";
  return name;
}

std::vector<std::string> words_of(const h5::Dataset& values, Index first, Index count) {
  if (values.elements() == h5::Elements::text) return values.read_text(first, count);
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(count));
  if (values.elements() == h5::Elements::integer || values.elements() == h5::Elements::boolean) {
    for (const Index number : values.read<Index>(first, count)) words.push_back(fmt::format("{}", number));
  } else {
    for (const double number : values.read<double>(first, count)) {
      words.push_back(number == number ? fmt::format("{}", number) : "");
    }
  }
  return words;
}

}  // namespace

FrameColumn::FrameColumn(const h5::Group& group, const std::string& name) {
  h5::Object object = group.open(name);
  const std::string where = object.where();
  const auto load_categories = [&](const h5::Dataset& categories) {
    categorical_ = true;
    categories_ = words_of(categories, 0, categories.rows());
  };
  if (object.is_dataset()) {
    values_ = h5::Dataset(std::move(object));
    // The way of anndata before 0.8.
    if (group.has_dataset("__categories/" + name)) load_categories(group.dataset("__categories/" + name));
  } else {
    const h5::Group parts(std::move(object));
    if (parts.has_dataset("codes") && parts.has_dataset("categories")) {
      values_ = parts.dataset("codes");
      load_categories(parts.dataset("categories"));
    } else if (parts.has_dataset("values")) {
      values_ = parts.dataset("values");
      if (parts.has_dataset("mask")) missing_ = parts.dataset("mask");
    } else {
      throw Error(ErrorKind::data, fmt::format("{}: the column is stored as '{}', which cannot be read", where,
                                               parts.text_attribute("encoding-type", "a group")));
    }
  }
  if (values_->shape().size() != 1 || (missing_ && missing_->shape() != values_->shape())) {
    throw Error(ErrorKind::data, fmt::format("{}: a column has one dimension", where));
  }
  values_->check_stored();
}

std::vector<std::string> FrameColumn::words(Index first, Index count) const {
  std::vector<std::string> words;
  if (categorical_) {
    words.reserve(static_cast<std::size_t>(count));
    for (const Index code : values_->read<Index>(first, count)) {
      if (code < -1 || code >= static_cast<Index>(categories_.size())) {  // -1: missing
        throw Error(ErrorKind::data, fmt::format("{}: code {} has no category; there are {}", values_->where(), code,
                                                 categories_.size()));
      }
      words.push_back(code < 0 ? "" : categories_[static_cast<std::size_t>(code)]);
    }
  } else {
    words = words_of(*values_, first, count);
  }
  if (missing_) {
    const auto flags = missing_->read<Index>(first, count);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (flags[i] != 0) words[i].clear();
    }
  }
  return words;
}

Frame::Frame(const h5::Group& owner, const std::string& name)
    : group_(open_table(owner, name)), index_name_(index_name(group_)), index_(group_, index_name_) {}

FrameColumn Frame::column(const std::string& name) const {
  FrameColumn column(group_, name);
  if (column.rows() != rows()) {
    throw Error(ErrorKind::data, fmt::format("{}: column '{}' has {} rows, the table has {}", group_.where(), name,
                                             column.rows(), rows()));
  }
  return column;
}

std::vector<std::string> Frame::columns() const {
  std::vector<std::string> names;
  for (const std::string& name : group_.names()) {
    if (name != index_name_ && name != "__categories") names.push_back(name);
  }
  return names;
}

}  // namespace omvc
