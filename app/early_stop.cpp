// Signals that come before a command is ready for them, while libraries start up and files are opened: nothing has been
// written yet, so the process ends at once, with a message and the exit code that interruptions have.
#include <csignal>
#include <string_view>
#include <unistd.h>

#include "omvc/error.hpp"

#include "console.hpp"

namespace omvc::app {
namespace {

void end_at_once(int) {
  constexpr std::string_view kText = "omvc: interrupted; nothing was written\n";
  std::signal(SIGPIPE, SIG_IGN);  // nobody may be there to read it
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(static_cast<int>(ErrorKind::interrupted));
}

}  // namespace

void stop_early() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, end_at_once) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
namespace {
// Before the libraries start up, which takes longer than everything else that an early signal may meet. Sanitizers have
// to be first, and get by with main.
__attribute__((section(".preinit_array"), used)) void (*const g_first)() = stop_early;
}  // namespace
#endif

}  // namespace omvc::app
