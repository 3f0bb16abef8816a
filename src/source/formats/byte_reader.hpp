// Bytes that are read front to back, and again from some place: those of a file, or of a file inside an archive.
#pragma once

#include "omvc/chunk.hpp"

namespace omvc {

class ByteReader {
 public:
  virtual ~ByteReader() = default;

  // How many bytes there are in all.
  virtual Index size() const = 0;

  // The next bytes. Throws an Error that names the file where there are fewer or they are damaged.
  virtual void read(void* to, Index bytes) = 0;

  // Continues at this place, 0 .. size().
  virtual void restart(Index offset) = 0;
};

}  // namespace omvc
