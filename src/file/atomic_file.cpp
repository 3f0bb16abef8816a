#include "file/atomic_file.hpp"

#include "omvc/files.hpp"

#include "file/descriptor.hpp"

namespace omvc {
namespace {
constexpr std::size_t kBuffer = 1 << 18;
}

void AtomicFile::write(const void* data, std::size_t size) {
  size_ += size;
  if (size >= kBuffer) {
    flush();
    if (!write_fully(file_.descriptor(), data, size)) file_.fail("cannot write");
    return;
  }
  buffer_.append(static_cast<const char*>(data), size);
  if (buffer_.size() >= kBuffer) flush();
}

void AtomicFile::write_at(std::uint64_t offset, const void* data, std::size_t size) {
  flush();
  if (!write_fully_at(file_.descriptor(), data, size, static_cast<std::int64_t>(offset))) file_.fail("cannot write");
}

void AtomicFile::read_at(std::uint64_t offset, void* data, std::size_t size) {
  flush();
  if (!read_fully_at(file_.descriptor(), data, size, static_cast<std::int64_t>(offset))) file_.fail("cannot read back");
}

std::string AtomicFile::share() {
  flush();
  return file_.share();
}

void AtomicFile::sync() {
  flush();
  file_.sync();
}

void AtomicFile::commit() {
  flush();
  file_.commit();
}

void AtomicFile::flush() {
  if (!write_fully(file_.descriptor(), buffer_.data(), buffer_.size())) file_.fail("cannot write");
  buffer_.clear();
}

void write_whole(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace omvc
