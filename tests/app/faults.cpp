// Loaded before the C library (LD_PRELOAD), this makes the OMVC_FAULT_AT-th call that changes a file fail, and every one
// after it, as on a disk that is full: writes fail with ENOSPC after having written half of what they were asked to;
// syncs, links and renames fail with EIO. Terminals and pipes are left alone. With OMVC_FAULT_AT=0 nothing fails and the
// number of such calls is written to the file OMVC_FAULT_COUNT.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace {

long fault_at() {
  static const long at = [] {
    const char* text = std::getenv("OMVC_FAULT_AT");
    return text != nullptr ? std::atol(text) : 0L;
  }();
  return at;
}

struct Counter {
  ~Counter() {
    const char* path = std::getenv("OMVC_FAULT_COUNT");
    std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) return;
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
  std::atomic<long> calls{0};
};
Counter counter;

bool fails() {
  const long call = ++counter.calls;
  return fault_at() > 0 && call >= fault_at();
}

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* data, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (!is_file(descriptor) || !fails()) return real(descriptor, data, size);
  if (size > 1 && counter.calls == fault_at()) return real(descriptor, data, size / 2);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  if (!is_file(descriptor) || !fails()) return real(descriptor, data, size, offset);
  if (size > 1 && counter.calls == fault_at()) return real(descriptor, data, size / 2, offset);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t offset) {
  return pwrite(descriptor, data, size, offset);
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  if (!is_file(descriptor) || !fails()) return real(descriptor);
  errno = EIO;
  return -1;
}

int fdatasync(int descriptor) {
  static const auto real = next<int (*)(int)>("fdatasync");
  if (!is_file(descriptor) || !fails()) return real(descriptor);
  errno = EIO;
  return -1;
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  if (!fails()) return real(from, to);
  errno = EIO;
  return -1;
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static const auto real = next<int (*)(int, const char*, int, const char*, int)>("linkat");
  if (!fails()) return real(from_folder, from, to_folder, to, flags);
  errno = EIO;
  return -1;
}
}
