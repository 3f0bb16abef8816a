// Loaded before the C library (LD_PRELOAD), this makes the OMVC_FAULT_AT-th call of a kind fail, and every one after
// it, as on a disk that is full; with OMVC_FAULT_ONCE that one alone. OMVC_FAULT_KIND says which calls are counted:
//
//     files    (where nothing is said) those that change files: writes fail with ENOSPC after having written half of
//     what
//              they were asked to; syncs, truncations, links, renames and new folders fail with EIO
//     open     opening files, with EMFILE
//     memory   malloc and its kin and mmap, with ENOMEM
//
// With OMVC_KILL_AT the process is killed at that call instead, as by kill -9, a write after half of its bytes.
// Terminals and pipes are left alone, and so are programs that the process starts. The number of such calls is written
// to the file OMVC_FAULT_COUNT when the process ends.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
}

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

enum class Kind { files, open, memory };

Kind wanted_kind() {
  static const Kind kind = [] {
    const char* text = std::getenv("OMVC_FAULT_KIND");
    if (text != nullptr && std::strcmp(text, "open") == 0) return Kind::open;
    return text != nullptr && std::strcmp(text, "memory") == 0 ? Kind::memory : Kind::files;
  }();
  return kind;
}

bool once() {
  static const bool value = std::getenv("OMVC_FAULT_ONCE") != nullptr;
  return value;
}

std::atomic<long> calls{0};
std::atomic<bool> ready{false};  // main() has begun

struct Counter {
  ~Counter() {
    ready = false;
    const char* path = std::getenv("OMVC_FAULT_COUNT");
    std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) return;
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
};
Counter counter;

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// What a call is to do, and whether it is the first to do so.
enum class Fate { succeed, fail_first, fail, die };

Fate fate(Kind kind) {
  if (!ready || kind != wanted_kind()) return Fate::succeed;
  const long call = ++calls;
  if (kill_at() > 0 && call == kill_at()) return Fate::die;
  if (fault_at() == 0 || call < fault_at() || (once() && call > fault_at())) return Fate::succeed;
  return call == fault_at() ? Fate::fail_first : Fate::fail;
}

// For a call that either happens or not.
bool fails(Kind kind = Kind::files, int reason = EIO) {
  const Fate what = fate(kind);
  if (what == Fate::die) ::raise(SIGKILL);
  if (what != Fate::succeed) errno = reason;
  return what != Fate::succeed;
}

// For a write: `part(size)` writes that many bytes.
template <class F>
ssize_t write_some(int descriptor, size_t size, const F& part) {
  if (!is_file(descriptor)) return part(size);
  const Fate what = fate(Kind::files);
  if (what == Fate::succeed) return part(size);
  if (what == Fate::die) {
    part(size / 2);
    ::raise(SIGKILL);
  }
  // A short write is no failure yet; the one after it is.
  if (what == Fate::fail_first && size > 1 && !once()) return part(size / 2);
  errno = ENOSPC;
  return -1;
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int count, char** words, char** environment) {
  ::unsetenv("LD_PRELOAD");
  ready = true;
  return real_main(count, words, environment);
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int count, char** words, void (*init)(), void (*finish)(), void (*loader)(),
                      void* stack) {
  real_main = main;
  return next<decltype(&__libc_start_main)>("__libc_start_main")(counted_main, count, words, init, finish, loader,
                                                                 stack);
}

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

int ftruncate(int descriptor, off_t size) noexcept {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  return fails() ? -1 : real(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) noexcept { return ftruncate(descriptor, size); }

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  return fails() ? -1 : real(path, mode);
}

int open(const char* path, int flags, ...) {
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return fails(Kind::open, EMFILE) ? -1 : real(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return open(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  static const auto real = next<FILE* (*)(const char*, const char*)>("fopen");
  return fails(Kind::open, EMFILE) ? nullptr : real(path, mode);
}

FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

void* malloc(size_t size) { return fails(Kind::memory, ENOMEM) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails(Kind::memory, ENOMEM) ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails(Kind::memory, ENOMEM) ? nullptr : __libc_realloc(old, size); }

void* mmap(void* where, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
  static const auto real = next<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
  return fails(Kind::memory, ENOMEM) ? MAP_FAILED : real(where, size, protection, flags, descriptor, offset);
}
}
