#include "hdf5/start_trial.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <mutex>
#include <spawn.h>
#include <string_view>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "omvc/chunk.hpp"
#include "omvc/error.hpp"
#include "omvc/trial.hpp"

#include "hdf5/trial.hpp"

extern char** environ;

namespace omvc::h5 {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr unsigned kTrialSeconds = 20;
constexpr Index kBytesPerSecond = 50'000'000;  // a slow disk, for the time that a large file gets on top

// What the process was told about trials.
struct Setting {
  std::mutex mutex;
  Words command;  // none: not known
  bool trust = false;
};

Setting& setting() {
  static Setting one;
  return one;
}

bool may_be_started(const std::string& program) {
  std::error_code ignored;
  return ::access(program.c_str(), X_OK) == 0 && fs::is_regular_file(program, ignored);
}

// The running program under a name by which it can be started.
std::string own_program() {
  // Not where it leads: the link works, too, after the file was removed or replaced by another version.
  const std::string link = "/proc/self/exe";
  if (may_be_started(link)) return link;
  // Without /proc: the name that the program was started by.
  const char* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  std::error_code ignored;
  return name == nullptr ? "" : fs::canonical(name, ignored).string();
}

// Of the PATH only absolute folders count: what lies in the working folder may have come with the data.
std::string find_on_path() {
  const char* set = std::getenv("PATH");
  std::string_view rest = set == nullptr ? "" : set;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (!folder.starts_with('/')) continue;
    std::string program = fmt::format("{}/omvc", folder);
    if (may_be_started(program)) return program;
  }
  return "";
}

// Throws ErrorKind::io.
Words trial_command(const std::string& path) {
  {
    const std::lock_guard lock(setting().mutex);
    if (!setting().command.empty()) return setting().command;
  }
  if (std::string program = find_on_path(); !program.empty()) return {std::move(program)};
  throw Error(ErrorKind::io,
              fmt::format("{}: HDF5 files are tried by another process before they are opened, and this program does "
                          "not know how to start one: call omvc::answer_trial first in main, or put the command omvc "
                          "on the PATH, or call trust_hdf5_files if you trust where the files come from",
                          path));
}

// What the process is started with: our end of the pipe is its stdout, and no signal is blocked or ignored.
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
  int start(pid_t& child, Words words) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return ::posix_spawn(&child, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// How a trial ended.
struct Ending {
  bool begun = false;
  char answer = 0;  // a letter of trial.hpp, or none
  bool slow = false;
};

// Until the other end is closed.
Ending read_answers(int descriptor) {
  Ending ending;
  char letter = 0;
  while (true) {
    const ssize_t got = ::read(descriptor, &letter, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1) return ending;
    if (ending.begun) {
      ending.answer = letter;
      return ending;
    }
    if (letter != kBegun) return ending;
    ending.begun = true;
  }
}

Ending run_process(const Words& words, const std::string& path) {
  const auto fail = [&](int reason) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot be tried before it is opened: {}: {}", path, words[0], std::strerror(reason)));
  };
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(errno);
  pid_t child = -1;
  const int failure = Spawning(ends[1]).start(child, words);
  ::close(ends[1]);
  Ending ending;
  if (failure == 0) ending = read_answers(ends[0]);
  ::close(ends[0]);
  if (failure != 0) fail(failure);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
  ending.slow = ending.answer == 0 && ended == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  return ending;
}

bool files_are_trusted() {
  const std::lock_guard lock(setting().mutex);
  return setting().trust;
}

}  // namespace

void try_in_other_process(const std::string& path) {
  if (files_are_trusted()) return;
  Words words = trial_command(path);
  std::error_code ignored;
  const auto bytes = static_cast<Index>(fs::file_size(path, ignored));
  const auto seconds = kTrialSeconds + static_cast<unsigned>(std::min<Index>(bytes / kBytesPerSecond, 3600));
  words.insert(words.end(), {std::string(kTrialWord), path, fmt::format("{}", seconds)});
  const Ending ending = run_process(words, path);
  if (!ending.begun) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be tried before it is opened: {} was started for it and does "
                                           "not answer; it has to call omvc::answer_trial first in main",
                                           path, words[0]));
  }
  if (ending.answer == kSurvived) return;
  throw Error(ErrorKind::data,
              fmt::format("{}: the file is damaged: a trial reading it {}; get it anew, or write it again with the "
                          "program that made it",
                          path,
                          ending.answer == kOutOfMemory ? "asked for absurdly much memory"
                          : ending.answer == kRefused   ? "found parts that are missing or make no sense"
                          : ending.slow                 ? fmt::format("did not end within {} s", seconds)
                                                        : "crashed"));
}

}  // namespace omvc::h5

namespace omvc {

std::optional<int> answer_trial(int argc, const char* const* argv) {
  unsigned seconds = 0;
  if (argc == 4 && argv[1] == h5::kTrialWord) {
    const std::string_view word = argv[3];
    const auto read = std::from_chars(word.data(), word.data() + word.size(), seconds);
    if (read.ec == std::errc() && read.ptr == word.data() + word.size()) return h5::run_trial(argv[2], seconds);
  }
  const std::string program = h5::own_program();
  if (!program.empty()) set_trial_command({program});
  return std::nullopt;
}

void set_trial_command(std::vector<std::string> words) {
  const std::lock_guard lock(h5::setting().mutex);
  h5::setting().command = std::move(words);
}

void trust_hdf5_files(bool trust) {
  const std::lock_guard lock(h5::setting().mutex);
  h5::setting().trust = trust;
}

}  // namespace omvc
