// The bytes of a MAT 5 file front to back, as they lie there or unpacked. Only mat_check.cpp uses this.
#pragma once

#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>

#include "omvc/chunk.hpp"

namespace omvc {

// What is wrong with a variable, such as "ends early". check_mat_file adds the place.
struct MatDamage {
  std::string what;
  std::string advice = "the file is truncated or damaged, get it again";
};

class MatBytes {
 public:
  virtual ~MatBytes() = default;

  // Throws MatDamage if there are fewer.
  virtual void read(unsigned char* to, Index count) = 0;

  void skip(Index count);
};

class MatFileBytes final : public MatBytes {
 public:
  explicit MatFileBytes(std::ifstream& file) : file_(file) {}
  void read(unsigned char* to, Index count) override;

 private:
  std::ifstream& file_;
};

// The content of the next `packed_bytes` bytes of a file, which are one zlib stream.
class MatUnpackedBytes final : public MatBytes {
 public:
  MatUnpackedBytes(std::ifstream& file, Index packed_bytes);
  ~MatUnpackedBytes() override { inflateEnd(&stream_); }
  MatUnpackedBytes(const MatUnpackedBytes&) = delete;
  MatUnpackedBytes& operator=(const MatUnpackedBytes&) = delete;

  void read(unsigned char* to, Index count) override;

  // Throws MatDamage unless all has been read and the checksum is right.
  void finish();

 private:
  Index unpack(unsigned char* to, Index count);
  void refill();

  std::ifstream& file_;
  Index left_;
  std::vector<unsigned char> packed_;
  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace omvc
