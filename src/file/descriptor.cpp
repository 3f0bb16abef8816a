#include "file/descriptor.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace omvc {
namespace {

// Repeats transfer(done), which moves some bytes from position `done` on, until all are moved.
template <class Transfer>
bool repeat(std::size_t size, const Transfer& transfer) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t moved = transfer(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved == 0) errno = 0;
    if (moved <= 0) return false;
    done += static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

bool write_fully(int descriptor, const void* data, std::size_t size) {
  return repeat(
      size, [&](std::size_t done) { return ::write(descriptor, static_cast<const char*>(data) + done, size - done); });
}

bool write_fully_at(int descriptor, const void* data, std::size_t size, std::int64_t offset) {
  return repeat(size, [&](std::size_t done) {
    return ::pwrite(descriptor, static_cast<const char*>(data) + done, size - done, offset + static_cast<off_t>(done));
  });
}

bool read_fully_at(int descriptor, void* data, std::size_t size, std::int64_t offset) {
  return repeat(size, [&](std::size_t done) {
    return ::pread(descriptor, static_cast<char*>(data) + done, size - done, offset + static_cast<off_t>(done));
  });
}

int open_unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/omvc-rows-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(path.c_str());
  return descriptor;
}

}  // namespace omvc
