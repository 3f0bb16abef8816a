#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>

#include "omvc/files.hpp"

#include "reproduce/plot.hpp"

extern char** environ;

namespace omvc::app {
namespace {

// Runs rsvg-convert; false where it is not installed or fails.
bool convert(std::string svg, std::string png) {
  std::string program = "rsvg-convert";
  std::string zoom = "--zoom=2";
  std::string output = "--output=" + png;
  char* argv[] = {program.data(), zoom.data(), output.data(), svg.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && std::filesystem::exists(png);
}

}  // namespace

bool write_figure(const std::string& stem, const std::string& svg) {
  const std::string path = stem + ".svg";
  omvc::write_whole(path, svg);
  // The program writes to another name, which a whole picture then leaves.
  const std::string made = stem + ".png.part";
  const bool done = convert(path, made);
  std::error_code failure;
  if (done) {
    std::filesystem::rename(made, stem + ".png", failure);
  } else {
    std::filesystem::remove(made, failure);
  }
  return done && !failure;
}

}  // namespace omvc::app
