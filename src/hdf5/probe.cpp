#include "hdf5/probe.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/error.hpp"

extern char** environ;

namespace omvc::h5 {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSeconds = 20;
constexpr Index kBytesPerSecond = 50'000'000;  // a slow disk, for the time that a large file gets on top

std::string find_program() {
  if (const char* set = std::getenv("OMVC_PROBE"); set != nullptr && *set != '\0') return set;
  std::error_code ignored;
  fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  if (here.empty()) {
    // Without /proc: the name that the program was started by.
    const char* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    if (name != nullptr) here = fs::canonical(name, ignored).parent_path();
  }
  std::vector<fs::path> places;
  if (!here.empty()) places = {here, here.parent_path(), here.parent_path() / "libexec/omvc"};
  places.emplace_back(OMVC_LIBEXEC);
  for (const fs::path& place : places) {
    const std::string program = (place / "omvc-probe").string();
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  throw Error(ErrorKind::io, fmt::format("the program omvc-probe, which tries HDF5 files before they are opened, is "
                                         "neither beside this program nor in {}: set OMVC_PROBE to where it is",
                                         OMVC_LIBEXEC));
}

// What the program is started with: our end of the pipe is its stdout, and no signal is blocked or ignored.
class Spawning {
 public:
  explicit Spawning(int report) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, report, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  // Returns 0 or the reason why not.
  int start(pid_t& child, const std::string& program, std::array<std::string, 3> words) const {
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    return ::posix_spawn(&child, program.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

void probe(const std::string& path) {
  const std::string program = find_program();
  std::error_code ignored;
  const auto bytes = static_cast<Index>(fs::file_size(path, ignored));
  const auto seconds = kSeconds + static_cast<unsigned>(std::min<Index>(bytes / kBytesPerSecond, 3600));
  const auto fail = [&](int reason) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be checked: {}", path, std::strerror(reason)));
  };
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(errno);
  pid_t child = -1;
  const int failure = Spawning(ends[1]).start(child, program, {program, path, fmt::format("{}", seconds)});
  ::close(ends[1]);
  char answer = 0;
  while (failure == 0 && ::read(ends[0], &answer, 1) < 0 && errno == EINTR) continue;
  ::close(ends[0]);
  if (failure != 0) fail(failure);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
  if (answer == kSurvived) return;
  const bool slow = answer == 0 && ended == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
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
