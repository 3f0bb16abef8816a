#include "hdf5/text.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <hdf5.h>

namespace omvc::h5 {

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Handle boolean_type() {
  Handle type(H5Tenum_create(H5T_NATIVE_INT8));
  const std::int8_t no = 0;
  const std::int8_t yes = 1;
  H5Tenum_insert(type.get(), "FALSE", &no);
  H5Tenum_insert(type.get(), "TRUE", &yes);
  return type;
}

void check_text(std::string_view text, const std::string& where) {
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos) return;
  throw Error(ErrorKind::data,
              fmt::format("{}: the name '{}' goes on after a NUL byte, which HDF5 cannot hold: rename it", where,
                          std::string(text.substr(0, std::min<std::size_t>(at, 80)))));
}

TextBuffer::TextBuffer(Id type, Index size)
    : type_(type),
      variable_(H5Tis_variable_str(type) > 0),
      width_(H5Tget_size(type)),
      size_(static_cast<std::size_t>(size)) {
  if (variable_) {
    pointers_.assign(size_, nullptr);
  } else {
    bytes_.assign(size_ * width_, '\0');
  }
}

TextBuffer::~TextBuffer() {
  if (!variable_) return;
  const Call call;
  const auto count = static_cast<hsize_t>(size_);
  const Handle space(H5Screate_simple(1, &count, nullptr));
  H5Dvlen_reclaim(type_, space.get(), H5P_DEFAULT, pointers_.data());
}

void* TextBuffer::data() { return variable_ ? static_cast<void*>(pointers_.data()) : bytes_.data(); }

std::vector<std::string> TextBuffer::take() const {
  std::vector<std::string> texts;
  texts.reserve(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    if (variable_) {
      texts.emplace_back(pointers_[i] == nullptr ? "" : pointers_[i]);
      continue;
    }
    std::string text = bytes_.substr(i * width_, width_);
    if (const auto end = text.find('\0'); end != std::string::npos) text.resize(end);
    if (H5Tget_strpad(type_) == H5T_STR_SPACEPAD) text.resize(text.find_last_not_of(' ') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace omvc::h5
