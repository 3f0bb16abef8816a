#include "source/order/buckets.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <unistd.h>

#include "omvc/error.hpp"

#include "file/descriptor.hpp"

namespace omvc {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorKind::io,
              fmt::format("cannot {} the temporary file of reordered rows: {}; set TMPDIR to a folder with more room",
                          what, errno != 0 ? std::strerror(errno) : "it is shorter than expected"));
}

}  // namespace

Buckets::Buckets(Index count)
    : parts_(static_cast<std::size_t>(count)),
      buffer_(static_cast<std::size_t>(std::max(kBufferBytes / count, kSmallestBuffer))),
      descriptor_(open_unnamed_file()) {
  if (descriptor_ < 0) fail("create");
}

Buckets::~Buckets() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Buckets::add(std::size_t bucket, const std::string& bytes) {
  std::string& buffer = parts_[bucket].buffer;
  buffer += bytes;
  if (buffer.size() >= buffer_) flush(parts_[bucket]);
}

void Buckets::finish() {
  for (Part& part : parts_) {
    flush(part);
    part.buffer.shrink_to_fit();
  }
}

std::string Buckets::read(std::size_t bucket) const {
  std::size_t size = 0;
  for (const Extent& extent : parts_[bucket].extents) size += extent.size;
  std::string bytes(size, '\0');
  std::size_t at = 0;
  for (const Extent& extent : parts_[bucket].extents) {
    if (!read_fully_at(descriptor_, bytes.data() + at, extent.size, extent.offset)) fail("read");
    at += extent.size;
  }
  return bytes;
}

void Buckets::flush(Part& part) {
  if (part.buffer.empty()) return;
  if (!write_fully_at(descriptor_, part.buffer.data(), part.buffer.size(), end_)) fail("write");
  part.extents.push_back({end_, part.buffer.size()});
  end_ += static_cast<std::int64_t>(part.buffer.size());
  part.buffer.clear();
}

}  // namespace omvc
