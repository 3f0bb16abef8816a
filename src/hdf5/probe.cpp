#include "hdf5/probe.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <hdf5.h>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf5/object.hpp"

namespace omvc::h5 {
namespace {

constexpr unsigned kSeconds = 20;
constexpr Index kBytesPerSecond = 50'000'000;  // a slow disk, for the time that a large file gets on top
constexpr rlim_t kMemory = rlim_t{1} << 30;    // beyond what the process had when it forked
constexpr Index kReadWhole = 1 << 20;          // bytes of a dataset
constexpr Index kPlaces = 8;                   // that are read of a larger one
constexpr char kSurvived = 's';
constexpr char kOutOfMemory = 'm';
constexpr char kRefused = 'r';  // by the library, in an orderly way

void limit(decltype(RLIMIT_AS) what, rlim_t value) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_max, value);
  setrlimit(what, &now);
}

// Address space in use.
rlim_t used_memory() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return rlim_t{1} << 36;
  if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  std::fclose(file);
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

herr_t note_memory(unsigned, const H5E_error2_t* error, void* out) {
  if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC) *static_cast<bool*>(out) = true;
  return 0;
}

// An object that cannot be read in an orderly way is left to the reader, which may not need it. Running out of memory
// is not orderly: this process has a limit, the other has none.
template <class F>
bool orderly(const F& f) {
  bool out_of_memory = false;
  H5Eclear2(H5E_DEFAULT);
  try {
    f();
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  } catch (const std::exception& error) {
    out_of_memory = std::strstr(error.what(), "memory allocation") != nullptr;
  }
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_memory, &out_of_memory);
  return !out_of_memory;
}

void read_rows(const Dataset& dataset, Index first, Index count) {
  if (dataset.elements() == Elements::text) {
    dataset.read_text(first, count);
  } else if (dataset.elements() == Elements::reference) {
    dataset.read_references(first, count);
  } else {
    dataset.read<double>(first, count);
  }
}

bool try_dataset(Object object) {
  const Dataset dataset(std::move(object));
  if (dataset.elements() == Elements::other || dataset.shape().size() > 2 || dataset.rows() == 0) return true;
  constexpr Index kElement = 16;
  const Index row_bytes = std::max<Index>(dataset.cols(), 1) > kReadWhole ? kReadWhole : dataset.cols() * kElement;
  const Index whole = std::max<Index>(kReadWhole / std::max<Index>(row_bytes, 1), 1);
  if (dataset.rows() <= whole) return orderly([&] { read_rows(dataset, 0, dataset.rows()); });
  const Index piece = std::max<Index>(whole / kPlaces, 1);
  const Index last = dataset.rows() - piece;
  for (Index i = 0; i < kPlaces; ++i) {
    // A division first, because rows may be absurdly many.
    const Index first = i + 1 == kPlaces ? last : last / (kPlaces - 1) * i;
    if (!orderly([&] { read_rows(dataset, first, piece); })) return false;
  }
  return true;
}

herr_t try_attribute(hid_t id, const char* name, const H5A_info_t*, void* out) {
  Handle copy(id);
  H5Iinc_ref(id);
  const Object object(std::move(copy), "", "");
  const bool survived =
      orderly([&] { object.text_list_attribute(name); }) && orderly([&] { object.integer_attribute(name); });
  if (!survived) *static_cast<bool*>(out) = false;
  return 0;
}

herr_t try_object(hid_t root, const char* name, const H5O_info_t*, void* out) {
  bool& survived = *static_cast<bool*>(out);
  survived = survived && orderly([&] {
               Object object(Handle(H5Oopen(root, name, H5P_DEFAULT)), "", name);
               if (object.id() < 0) return;
               hsize_t from = 0;
               H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &from, try_attribute, out);
               if (object.is_dataset() && !try_dataset(std::move(object))) survived = false;
             });
  return survived ? 0 : 1;
}

char try_file(const std::string& path) {
  bool survived = true;
  bool visited = false;
  const bool fits = orderly([&] {
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    visited = file && H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, try_object, &survived) >= 0;
  });
  if (!survived || !fits) return kOutOfMemory;
  return visited ? kSurvived : kRefused;
}

[[noreturn]] void run_child(const std::string& path, unsigned seconds, int report) {
  for (const int signal : {SIGALRM, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(signal, SIG_DFL);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarm_only, nullptr);
  alarm(seconds);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, used_memory() + kMemory);
  start_lock_anew();
  const char answer = try_file(path);
  const ssize_t written = ::write(report, &answer, 1);
  // Nothing of the parent's may be flushed or destroyed here.
  ::_exit(written == 1 ? 0 : 1);
}

}  // namespace

void probe(const std::string& path) {
  const Call call;  // the child must find the library in order
  std::error_code ignored;
  const auto bytes = static_cast<Index>(std::filesystem::file_size(path, ignored));
  const auto seconds = kSeconds + static_cast<unsigned>(std::min<Index>(bytes / kBytesPerSecond, 3600));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be checked: {}", path, std::strerror(errno)));
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run_child(path, seconds, ends[1]);
  }
  const int failure = errno;
  ::close(ends[1]);
  char answer = 0;
  while (child > 0 && ::read(ends[0], &answer, 1) < 0 && errno == EINTR) continue;
  ::close(ends[0]);
  if (child < 0) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be checked: {}", path, std::strerror(failure)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (answer == kSurvived) return;
  const bool slow = answer == 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  throw Error(ErrorKind::data,
              fmt::format("{}: the file is damaged: a trial reading it {}; get it anew, or write it again with the "
                          "program that made it",
                          path,
                          answer == kOutOfMemory ? "asked for absurdly much memory"
                          : answer == kRefused   ? "found parts that are missing or make no sense"
                          : slow                 ? fmt::format("did not end within {} s", seconds)
                                                 : "crashed"));
}

}  // namespace omvc::h5
