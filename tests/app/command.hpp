// Runs the omvc command as a user would: as a process of its own, seen only through its arguments, its two output
// streams, its exit code and its files.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ;

namespace omvc::test {

using Arguments = std::vector<std::string>;

struct Outcome {
  int code = -1;  // the exit code, or minus the signal that ended the process
  std::string out;
  std::string err;

  // The end of stderr, where the message is: what was printed before it may be long.
  std::string message() const { return err.substr(err.size() > 400 ? err.size() - 400 : 0); }

  nlohmann::json json() const {
    auto parsed = nlohmann::json::parse(out, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << "stdout is not JSON: " << out << message();
    return parsed;
  }
};

// A running command. Its output is read only when asked for, so a command that has filled the pipe of its stderr waits
// until the test reads on: that is how a test holds it at a known place.
class Process {
 public:
  struct Setup {
    int error_pipe_bytes = 0;                   // room in the pipe of stderr; 0 leaves what the system gives
    const char* output = nullptr;               // where stdout goes instead of into the outcome
    std::vector<std::string> environment = {};  // NAME=VALUE, beside those of the test
    std::string input = "/dev/null";            // the file on standard input
    std::string errors = "";                    // where stderr goes instead of into the outcome; "closed" closes it
    std::string program = OMVC_COMMAND;
    bool nonblocking_output = false;  // as where somebody else has the same pipe
  };

  explicit Process(const Arguments& arguments) : Process(arguments, Setup()) {}
  Process(const Arguments& arguments, const Setup& setup) {
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    if (setup.error_pipe_bytes > 0 && fcntl(err[1], F_SETPIPE_SZ, setup.error_pipe_bytes) < 0) {
      throw std::runtime_error("F_SETPIPE_SZ");
    }
    if (setup.nonblocking_output && fcntl(out[1], F_SETFL, O_NONBLOCK) < 0) throw std::runtime_error("F_SETFL");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, setup.input.c_str(), O_RDONLY, 0);
    if (setup.output != nullptr) {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, setup.output, O_WRONLY, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    }
    if (setup.errors == "closed") {
      posix_spawn_file_actions_addclose(&actions, STDERR_FILENO);
    } else if (!setup.errors.empty()) {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, setup.errors.c_str(), O_WRONLY, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    }
    std::string program = setup.program;
    std::vector<std::string> words = arguments;
    std::vector<char*> argv{program.data()};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> more = setup.environment;
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
    for (std::string& variable : more) variables.push_back(variable.data());
    variables.push_back(nullptr);
    const int failure = posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    streams_ = {Stream{out[0], {}}, Stream{err[0], {}}};
    if (failure != 0) throw std::runtime_error("cannot start " + program);
  }

  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    for (const Stream& stream : streams_) {
      if (stream.descriptor >= 0) close(stream.descriptor);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Reads until stderr holds the text. False if the streams end first.
  bool read_errors_until(const std::string& text) {
    while (streams_[1].text.find(text) == std::string::npos) {
      if (!pump()) return false;
    }
    return true;
  }

  // The same for what was printed so far on stdout.
  bool read_output_until(const std::string& text) {
    while (streams_[0].text.find(text) == std::string::npos) {
      if (!pump()) return false;
    }
    return true;
  }
  // Reads until stdout holds so many lines.
  bool read_lines(std::size_t count) {
    while (static_cast<std::size_t>(std::count(streams_[0].text.begin(), streams_[0].text.end(), '\n')) < count) {
      if (!pump()) return false;
    }
    return true;
  }
  const std::string& output() const { return streams_[0].text; }

  // Waits for one byte of stderr and leaves the rest in the pipe.
  bool read_one_byte_of_errors() {
    char byte = 0;
    const ssize_t got = read(streams_[1].descriptor, &byte, 1);
    if (got == 1) streams_[1].text += byte;
    return got == 1;
  }

  // As when the reader of a pipe has gone.
  void stop_reading_errors() { close(std::exchange(streams_[1].descriptor, -1)); }
  void stop_reading_output() { close(std::exchange(streams_[0].descriptor, -1)); }

  void send(int signal) { ::kill(pid_, signal); }

  // Whether the command has a handler of its own for the signal by now.
  bool handles(int signal) const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string word; status >> word;) {
      if (word != "SigCgt:") continue;
      std::string mask;
      status >> mask;
      return (std::stoull(mask, nullptr, 16) >> (signal - 1) & 1u) != 0;
    }
    return false;
  }

  // Waits for the end without reading anything before, as a reader that has stalled.
  Outcome wait_without_reading() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    while (pump()) continue;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), streams_[0].text, streams_[1].text};
  }

  Outcome wait() {
    while (pump()) continue;
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), streams_[0].text, streams_[1].text};
  }

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
  };

  // Takes what has come on either stream. False once both have ended.
  bool pump() {
    std::array<pollfd, 2> waiting{pollfd{streams_[0].descriptor, POLLIN, 0}, pollfd{streams_[1].descriptor, POLLIN, 0}};
    if (waiting[0].fd < 0 && waiting[1].fd < 0) return false;
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) throw std::runtime_error("poll");
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t got = read(streams_[i].descriptor, buffer.data(), buffer.size());
      if (got > 0) {
        streams_[i].text.append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        close(std::exchange(streams_[i].descriptor, -1));
      }
    }
    return true;
  }

  pid_t pid_ = -1;
  std::array<Stream, 2> streams_;
};

inline Outcome run_command(const Arguments& arguments) { return Process(arguments).wait(); }

inline Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The command must fail with this exit code and one message that holds all the parts, and print no result.
inline void expect_failure(const Arguments& arguments, int code, const std::vector<std::string>& parts) {
  const Outcome outcome = run_command(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.message();
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("omvc: ") || contains(outcome.err, "\nomvc: ")) << outcome.message();
  for (const std::string& part : parts)
    EXPECT_TRUE(contains(outcome.err, part)) << "no '" << part << "' in: " << outcome.err;
}

}  // namespace omvc::test
