#include "source/formats/mat_bytes.hpp"

#include <algorithm>
#include <array>

#include "omvc/error.hpp"

namespace omvc {

void MatBytes::skip(Index count) {
  std::array<unsigned char, 4096> ignored;
  for (; count > 0; count -= static_cast<Index>(ignored.size())) {
    read(ignored.data(), std::min(count, static_cast<Index>(ignored.size())));
  }
}

void MatFileBytes::read(unsigned char* to, Index count) {
  file_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count));
  if (!file_) throw MatDamage{"cannot be read"};
}

MatUnpackedBytes::MatUnpackedBytes(std::ifstream& file, Index packed_bytes)
    : file_(file), left_(packed_bytes), packed_(static_cast<std::size_t>(std::min(packed_bytes, Index{1} << 16))) {
  if (inflateInit(&stream_) != Z_OK) throw Error(ErrorKind::io, "zlib cannot be started: out of memory");
}

void MatUnpackedBytes::read(unsigned char* to, Index count) {
  if (unpack(to, count) != count) throw MatDamage{"ends early"};
}

void MatUnpackedBytes::finish() {
  unsigned char beyond = 0;
  if (unpack(&beyond, 1) != 0) throw MatDamage{"is longer than it says"};
}

// Up to `count` bytes, fewer only at the end of the stream.
Index MatUnpackedBytes::unpack(unsigned char* to, Index count) {
  stream_.next_out = to;
  stream_.avail_out = static_cast<unsigned>(count);
  while (stream_.avail_out > 0 && !ended_) {
    if (stream_.avail_in == 0) refill();
    const int status = inflate(&stream_, Z_NO_FLUSH);
    ended_ = status == Z_STREAM_END;
    if (!ended_ && status != Z_OK) throw MatDamage{"cannot be unpacked"};
  }
  return count - static_cast<Index>(stream_.avail_out);
}

void MatUnpackedBytes::refill() {
  const Index count = std::min(left_, static_cast<Index>(packed_.size()));
  file_.read(reinterpret_cast<char*>(packed_.data()), static_cast<std::streamsize>(count));
  if (count == 0 || !file_) throw MatDamage{"cannot be unpacked"};
  left_ -= count;
  stream_.next_in = packed_.data();
  stream_.avail_in = static_cast<unsigned>(count);
}

}  // namespace omvc
