#include "file/descriptor.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/random.h>
#include <unistd.h>
#include <vector>

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

bool copy_all(int from, int to) {
  std::vector<char> buffer(std::size_t{1} << 20);
  for (off_t offset = 0;;) {
    const ssize_t got = ::pread(from, buffer.data(), buffer.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    if (!write_fully(to, buffer.data(), static_cast<std::size_t>(got))) return false;
    offset += got;
  }
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  static std::atomic<std::uint64_t> calls{0};
  const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return (now ^ (static_cast<std::uint64_t>(::getpid()) << 32)) * 0x9E3779B97F4A7C15u + ++calls;
}

int open_unnamed_file() {
  const char* set = std::getenv("TMPDIR");
  const std::string folder = set != nullptr && *set != '\0' ? set : "/tmp";
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
  std::string path = folder + "/omvc-rows-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(path.c_str());
  return descriptor;
}

}  // namespace omvc
