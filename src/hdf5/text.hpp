// Text and truth values as h5py stores them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "omvc/chunk.hpp"

#include "hdf5/handle.hpp"

namespace omvc::h5 {

Handle text_type();     // UTF-8 of variable length
Handle boolean_type();  // an enumeration FALSE = 0, TRUE = 1 over bytes

// Throws ErrorKind::data for text with a NUL byte, at which HDF5 would cut it off.
void check_text(std::string_view text, const std::string& where);

// Room for `size` texts of a type, of fixed or variable length, for the library to read into.
class TextBuffer {
 public:
  TextBuffer(Id type, Index size);
  ~TextBuffer();
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void* data();
  std::vector<std::string> take() const;

 private:
  Id type_;
  bool variable_;
  std::size_t width_;
  std::vector<char*> pointers_;  // variable length: memory of the library
  std::string bytes_;            // fixed length
  std::size_t size_;
};

}  // namespace omvc::h5
