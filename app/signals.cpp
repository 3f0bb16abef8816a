#include "signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

#include "omvc/error.hpp"

#include "console.hpp"

namespace omvc::app {
namespace {

// How long a step is waited for once it is to stop. By the time that this thread has worked, since a busy machine is no
// reason to give up what is nearly done.
constexpr timespec kWorked{0, 800000000};  // for steps that cannot be asked to stop, which end with the process
constexpr timespec kPassed{3, 0};          // for those that do not work but wait, such as for a pipe

std::atomic<int> g_stop{0};  // which threads that learn ask for, too
volatile std::sig_atomic_t g_save = 0;
std::array<int, 2> g_signal_pipe{-1, -1};
volatile std::sig_atomic_t g_noticed = 0;  // whoever runs has been told
timer_t g_worked;
timer_t g_passed;
volatile pid_t g_timers_of = 0;  // the process that made them: a child has none

void end_unless_noticed(int) {
  if (g_noticed != 0) return;
  constexpr std::string_view kText =
      "omvc: interrupted within a step; no output was written, and a checkpoint is as it was last written\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(static_cast<int>(ErrorKind::interrupted));
}

void tell_of_signal() {
  const int saved = errno;
  // A pipe that is full tells as much already.
  [[maybe_unused]] const ssize_t written = ::write(g_signal_pipe[1], "", 1);
  errno = saved;
}

void request_save(int) {
  g_save = 1;
  tell_of_signal();
}

void request_stop(int signal) {
  tell_of_signal();
  if (g_stop != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  g_stop = 1;
  if (g_timers_of != ::getpid()) return;
  const itimerspec worked{{0, 0}, kWorked};
  const itimerspec passed{{0, 0}, kPassed};
  ::timer_settime(g_worked, 0, &worked, nullptr);
  ::timer_settime(g_passed, 0, &passed, nullptr);
}

}  // namespace

bool stop_pending() { return g_stop != 0; }

void stop_on_signals() {
  if (g_signal_pipe[0] < 0 && ::pipe2(g_signal_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error(ErrorKind::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, request_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  std::signal(SIGALRM, end_unless_noticed);
  if (g_timers_of != ::getpid() && ::timer_create(CLOCK_THREAD_CPUTIME_ID, nullptr, &g_worked) == 0 &&
      ::timer_create(CLOCK_MONOTONIC, nullptr, &g_passed) == 0) {
    g_timers_of = ::getpid();
  }
}

bool stop_requested() {
  if (g_stop != 0) g_noticed = 1;
  return g_stop != 0;
}

void let_steps_end() { g_noticed = 1; }

void save_on_hangup() {
  if (std::signal(SIGHUP, request_save) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

bool save_requested() {
  const bool asked = g_save != 0;
  if (asked) g_save = 0;
  return asked;
}

int signal_descriptor() { return g_signal_pipe[0]; }

void clear_signal_descriptor() {
  std::array<char, 64> bytes{};
  while (::read(g_signal_pipe[0], bytes.data(), bytes.size()) > 0) continue;
}

}  // namespace omvc::app
