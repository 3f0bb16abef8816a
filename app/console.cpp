#include "console.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <poll.h>
#include <unistd.h>

#include "omvc/error.hpp"

#include "choice.hpp"
#include "signals.hpp"

namespace omvc::app {
namespace {

// Seconds that a step which can be asked to stop is waited for. By the time that this thread has worked, since a busy
// machine is no reason to give up what is nearly done; signals.cpp has the others.
constexpr double kPatience = 0.4;

double seconds_worked() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The bytes of the character that the text starts with, or 0 if it is a control character or not UTF-8.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return (byte(0) < 0x20 && text[0] != '\n' && text[0] != '\t') || byte(0) == 0x7F ? 0 : 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return byte(0) == 0xC2 && byte(1) < 0xA0 ? 0 : length;
}

// What a terminal may be sent. Names of files, views and features are anybody's; of what could drive a terminal only
// the sequence that erases our own line is let through.
std::string printable(std::string_view text) {
  constexpr std::string_view kErase = "\r\033[K";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = text.starts_with(kErase) ? kErase.size() : printable_length(text);
    out += length > 0 ? std::string(text.substr(0, length))
                      : fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

int g_failure = 0;  // of stdout: errno

// A descriptor that others share may not block, whatever we want: then what it takes is waited for.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (written < 0 && descriptor == STDOUT_FILENO) g_failure = errno;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

ssize_t write_message(void*, const char* data, std::size_t size) noexcept {
  try {
    write_all(STDERR_FILENO, printable({data, size}));
  } catch (const std::bad_alloc&) {
  }
  return static_cast<ssize_t>(size);
}

ssize_t write_shown(void*, const char* data, std::size_t size) noexcept {
  try {
    return write_all(STDOUT_FILENO, printable({data, size})) ? static_cast<ssize_t>(size) : 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

ssize_t write_result(void*, const char* data, std::size_t size) noexcept {
  return write_all(STDOUT_FILENO, {data, size}) ? static_cast<ssize_t>(size) : 0;
}

// The stream in the place of one of the standard ones; that one itself where memory is short.
std::FILE* stream_through(cookie_write_function_t* write, std::FILE* otherwise, int buffering) {
  std::FILE* stream = ::fopencookie(nullptr, "w", {.read = nullptr, .write = write, .seek = nullptr, .close = nullptr});
  if (stream == nullptr) return otherwise;
  constexpr std::size_t kBuffer = std::size_t{1} << 16;
  std::setvbuf(stream, nullptr, buffering, kBuffer);
  return stream;
}

}  // namespace

void secure_streams() {
  // Opened the wrong way round, so that reading from stdin and writing to stdout fail.
  constexpr std::array kWays{O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free descriptor is the one that is opened.
    if (::open("/dev/null", kWays[static_cast<std::size_t>(descriptor)]) != descriptor) std::_Exit(4);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  stderr = stream_through(write_message, stderr, _IONBF);
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  stdout = stream_through(terminal ? write_shown : write_result, stdout, terminal ? _IOLBF : _IOFBF);
}

bool reader_gone() { return g_failure == EPIPE; }

void flush_results() {
  errno = 0;
  // What command_line prints goes through std::cout.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush()) return;
  if (g_failure == 0) g_failure = errno;
  throw Error(ErrorKind::io, fmt::format("cannot write to stdout: {}",
                                         g_failure != 0 ? std::strerror(g_failure) : "it is full or closed"));
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600)
    return fmt::format("{} min {:02} s", static_cast<int>(seconds) / 60, static_cast<int>(seconds) % 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string shown_results(std::string text) { return ::isatty(STDOUT_FILENO) != 0 ? printable(text) : std::move(text); }

std::size_t write_results(std::string_view text, const std::function<bool()>& go_on) {
  // What a pipe that has room is sure to take without waiting, so that a signal never has to wait for its reader.
  constexpr std::size_t kSure = PIPE_BUF;
  constexpr int kLook = 100;  // milliseconds
  std::size_t done = 0;
  while (done < text.size()) {
    std::array<pollfd, 2> waiting{pollfd{STDOUT_FILENO, POLLOUT, 0}, pollfd{signal_descriptor(), POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), kLook);
    if (waiting[1].revents != 0) clear_signal_descriptor();
    if (waiting[0].revents == 0) {
      if (!go_on()) break;
      continue;
    }
    const std::string_view piece = text.substr(done, kSure);
    const ssize_t written = ::write(STDOUT_FILENO, piece.data(), piece.size());
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) {
      g_failure = written < 0 ? errno : 0;
      throw Undelivered(
          fmt::format("cannot write to stdout: {}", written < 0 ? std::strerror(errno) : "it is full or closed"), done);
    }
    done += static_cast<std::size_t>(written);
  }
  return done;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool ProgressLine::due(double now) const {
  return !quiet_ && (terminal_ ? now - last_shown_ > 0.1 : now >= next_line_);
}

void ProgressLine::print(const std::string& text, double now) {
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stderr);
  last_shown_ = now;
  next_line_ = 2 * now;
}

void ProgressLine::show(double share, const std::string& what) {
  const double now = seconds();
  if (!due(now)) return;
  const std::string left = share > 0 ? fmt::format("  {} left", duration_text(now / share * (1 - share))) : "";
  print(fmt::format("{:3.0f} %{}{}{}", 100 * share, what.empty() ? "" : "  ", what, left), now);
}

void ProgressLine::show(Index instances, std::optional<Index> total) {
  const double now = seconds();
  if (!due(now)) return;
  const double rate = static_cast<double>(instances) / std::max(now, 1e-9);
  std::string text = fmt::format("{} instances  {:.0f} instances/s", instances, rate);
  if (total && *total > 0) {
    text = fmt::format("{:3.0f} %  {}  {} left", 100 * static_cast<double>(instances) / static_cast<double>(*total),
                       text, duration_text(static_cast<double>(*total - instances) / std::max(rate, 1e-9)));
  }
  print(text, now);
}

void ProgressLine::clear() {
  if (!quiet_ && terminal_) fmt::print(stderr, "\r\033[K");
}

ConsoleObserver::ConsoleObserver(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

double ConsoleObserver::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void ConsoleObserver::clear_bar() {
  if (bar_shown_) fmt::print(stderr, "\r\033[K");
  bar_shown_ = false;
}

void ConsoleObserver::message(const std::string& text) {
  if (quiet_) return;
  clear_bar();
  fmt::print(stderr, "{}\n", text);
}

bool ConsoleObserver::on_survey(Index instances) {
  if (quiet_ || !terminal_ || seconds() - last_bar_ < 0.1) return !stop_requested();
  last_bar_ = seconds();
  fmt::print(stderr, "\r\033[Klooking at the data: {} instances", instances);
  std::fflush(stderr);
  bar_shown_ = true;
  return !stop_requested();
}

// What is made between two passes over the data, of which the other lines tell.
void ConsoleObserver::on_phase(const PhaseReport& now) {
  const bool made = now.phase == Phase::prototypes || now.phase == Phase::clusters || now.phase == Phase::confidence;
  if (!made || quiet_ || !terminal_ || seconds() - last_bar_ < 0.1) return;
  last_bar_ = seconds();
  fmt::print(stderr, "\r\033[Kmaking {}: {:.0f} %", name_of(now.phase), 100 * now.share);
  std::fflush(stderr);
  bar_shown_ = true;
}

void ConsoleObserver::on_start(const Report& known, int passes) {
  total_ = known.instances;
  passes_ = passes;
  for (const ViewReport& view : known.views) {
    message(fmt::format("view {:<16} {:>7} features   {}", view.name, view.features,
                        view.reason.empty() ? view.scaling : fmt::format("{} ({})", view.scaling, view.reason)));
  }
  const std::string clusters = known.clusters > 0 ? cluster_count(known.clusters) + ", " : "";
  const std::string rank = known.rank > 0 ? fmt::format("rank {}, ", known.rank) : "";
  const std::string over = total_ > 0 ? fmt::format(" over {} instances", total_) : "";
  if (passes == 0) {
    message(fmt::format("{}{}learned from all {} instances at once", clusters, rank, total_));
  } else {
    message(fmt::format("{}{}chunks of {}, {} pass{}{}", clusters, rank, known.chunk, passes, passes == 1 ? "" : "es",
                        over));
  }
  start_ = std::chrono::steady_clock::now();
  last_bar_ = -1;
}

// How far the run is, in words. The last reading, which only labels, counts as a pass that costs nothing.
std::string ConsoleObserver::describe(const ChunkReport& chunk, double share, double seconds) const {
  if (chunk.labelling && total_ == 0) return fmt::format("labelling: {} instances", chunk.instances);
  if (chunk.labelling) {
    const double left = (1 / std::max(share, 1e-9) - 1) * (seconds - labelling_since_);
    return fmt::format("labelling  {:3.0f} %  {} left", 100 * share, duration_text(left));
  }
  const double done =
      static_cast<double>(chunk.pass - 1) * static_cast<double>(total_) + static_cast<double>(chunk.instances);
  const double rate = (done - done_before_) / std::max(seconds, 1e-9);
  if (total_ == 0) {
    return fmt::format("{} instances  {:.0f} instances/s  loss {:.5g}", chunk.instances, rate, chunk.loss);
  }
  const double left = (static_cast<double>(passes_) * static_cast<double>(total_) - done) / rate;
  return fmt::format("pass {}/{}  {:3.0f} %  {:.0f} instances/s  {} left  loss {:.5g}", chunk.pass, passes_,
                     100 * share, rate, duration_text(left), chunk.loss);
}

bool ConsoleObserver::on_chunk(const ChunkReport& chunk) {
  stopping_ = stop_requested();
  if (quiet_) return !stopping_;
  const double now = seconds();
  if (chunk.labelling && labelling_since_ < 0) labelling_since_ = now;
  // A resumed run starts in the middle.
  if (done_before_ < 0) {
    done_before_ = chunk.labelling ? 0
                                   : static_cast<double>(chunk.pass - 1) * static_cast<double>(total_) +
                                         static_cast<double>(chunk.chunk > 1 ? chunk.instances : 0);
  }
  const double share = total_ > 0 ? static_cast<double>(chunk.instances) / static_cast<double>(total_) : 0;
  if (terminal_ && now - last_bar_ > 0.1) {
    constexpr int kWidth = 24;
    const int full = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}", "", full, "", kWidth - full, describe(chunk, share, now));
    std::fflush(stderr);
    bar_shown_ = true;
    last_bar_ = now;
  } else if (!terminal_ && now >= next_line_) {
    message(describe(chunk, share, now));
    next_line_ = 2 * now;
  }
  return !stopping_;
}

bool ConsoleObserver::on_wait() {
  if (!stop_pending() || stopping_) return true;
  const double now = seconds_worked();
  if (!stop_seen_) stop_seen_ = now;
  return now < *stop_seen_ + kPatience;
}

std::string ConsoleObserver::describe(const PassReport& pass) {
  const std::string error = pass.error > 0 ? fmt::format(", error {:.6g}", pass.error) : "";
  return fmt::format("pass {}/{}: loss {:.6g}{}, {:.2f} s", pass.pass, passes_, pass.loss, error, pass.seconds);
}

void ConsoleObserver::on_pass(const PassReport& pass, const Embedding&) {
  if (!quiet_) message(describe(pass));
}

}  // namespace omvc::app
