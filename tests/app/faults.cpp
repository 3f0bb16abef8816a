// Loaded before the C library (LD_PRELOAD), this makes the OMVC_FAULT_AT-th call that changes a file fail, and every
// one after it, as on a disk that is full: writes fail with ENOSPC after having written half of what they were asked
// to; syncs, links and renames fail with EIO. With OMVC_KILL_AT the process is killed at that call instead, as by kill
// -9, a write after half of its bytes. Terminals and pipes are left alone. The number of such calls is written to the
// file OMVC_FAULT_COUNT when the process ends.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace {

long number(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atol(text) : 0L;
}

long fault_at() {
  static const long at = number("OMVC_FAULT_AT");
  return at;
}

long kill_at() {
  static const long at = number("OMVC_KILL_AT");
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

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// What a call is to do, and whether it is the first to do so.
enum class Fate { succeed, fail_first, fail, die };

Fate fate() {
  const long call = ++counter.calls;
  if (kill_at() > 0 && call == kill_at()) return Fate::die;
  if (fault_at() == 0 || call < fault_at()) return Fate::succeed;
  return call == fault_at() ? Fate::fail_first : Fate::fail;
}

// For a call that either happens or not.
bool fails() {
  const Fate what = fate();
  if (what == Fate::die) ::raise(SIGKILL);
  if (what != Fate::succeed) errno = EIO;
  return what != Fate::succeed;
}

// For a write: `part(size)` writes that many bytes.
template <class F>
ssize_t write_some(int descriptor, size_t size, const F& part) {
  if (!is_file(descriptor)) return part(size);
  const Fate what = fate();
  if (what == Fate::succeed) return part(size);
  if (what == Fate::die) {
    part(size / 2);
    ::raise(SIGKILL);
  }
  if (what == Fate::fail_first && size > 1) return part(size / 2);
  errno = ENOSPC;
  return -1;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* data, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return write_some(descriptor, size, [&](size_t part) { return real(descriptor, data, part); });
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return write_some(descriptor, size, [&](size_t part) { return real(descriptor, data, part, offset); });
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t offset) {
  return pwrite(descriptor, data, size, offset);
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  return is_file(descriptor) && fails() ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  static const auto real = next<int (*)(int)>("fdatasync");
  return is_file(descriptor) && fails() ? -1 : real(descriptor);
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails() ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static const auto real = next<int (*)(int, const char*, int, const char*, int)>("linkat");
  return fails() ? -1 : real(from_folder, from, to_folder, to, flags);
}
}
