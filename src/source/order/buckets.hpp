// Bytes sorted into buckets, in one temporary file without a name: each bucket is a list of extents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

class Buckets {
 public:
  static constexpr Index kBufferBytes = 1 << 25;  // of all buckets together, while they are filled
  static constexpr Index kSmallestBuffer = 1 << 14;
  static constexpr Index kMost = kBufferBytes / kSmallestBuffer;

  // Throws ErrorKind::io, as the other functions do, where the file cannot be made, written or read.
  explicit Buckets(Index count);
  ~Buckets();
  Buckets(const Buckets&) = delete;
  Buckets& operator=(const Buckets&) = delete;

  std::size_t count() const { return parts_.size(); }
  void add(std::size_t bucket, const std::string& bytes);
  // To be called when all is added, before the first read.
  void finish();
  std::string read(std::size_t bucket) const;

 private:
  struct Extent {
    std::int64_t offset;
    std::size_t size;
  };
  struct Part {
    std::string buffer;
    std::vector<Extent> extents;
  };

  void flush(Part& part);

  std::vector<Part> parts_;
  std::size_t buffer_ = 0;
  int descriptor_;
  std::int64_t end_ = 0;
};

}  // namespace omvc
