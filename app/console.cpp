#include "console.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace omvc::app {
namespace {

volatile std::sig_atomic_t g_stop = 0;

void request_stop(int signal) {
  if (g_stop != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  g_stop = 1;
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600)
    return fmt::format("{} min {:02} s", static_cast<int>(seconds) / 60, static_cast<int>(seconds) % 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void stop_on_signals() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

bool stop_requested() { return g_stop != 0; }

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(double share, const std::string& what) {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (quiet_ || (!terminal_ && now < next_line_)) return;
  const std::string left = share > 0 ? fmt::format("  {} left", duration_text(now / share * (1 - share))) : "";
  fmt::print(stderr, "{}{:3.0f} %{}{}{}{}", terminal_ ? "\r\033[K" : "", 100 * share, what.empty() ? "" : "  ", what,
             left, terminal_ ? "" : "\n");
  std::fflush(stderr);
  next_line_ = 2 * now;
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

void ConsoleObserver::on_start(const Report& known, int passes) {
  total_ = known.instances;
  passes_ = passes;
  for (const ViewReport& view : known.views) {
    message(fmt::format("view {:<16} {:>7} features   {}", view.name, view.features, view.scaling));
  }
  message(fmt::format("{} clusters, rank {}, chunks of {}, {} pass{}{}", known.clusters, known.rank, known.chunk,
                      passes, passes == 1 ? "" : "es", total_ > 0 ? fmt::format(" over {} instances", total_) : ""));
  start_ = std::chrono::steady_clock::now();
  last_bar_ = -1;
}

bool ConsoleObserver::on_chunk(const ChunkReport& chunk) {
  if (quiet_) return !stop_requested();
  const double now = seconds();
  const double all_done =
      static_cast<double>(chunk.pass - 1) * static_cast<double>(total_) + static_cast<double>(chunk.instances);
  const double rate = all_done / std::max(now, 1e-9);
  const double share = total_ > 0 ? static_cast<double>(chunk.instances) / static_cast<double>(total_) : 0;
  const double left = total_ > 0 ? (static_cast<double>(passes_) * static_cast<double>(total_) - all_done) / rate : 0;
  const std::string progress =
      total_ > 0 ? fmt::format("pass {}/{}  {:3.0f} %  {:.0f} instances/s  {} left  loss {:.5g}", chunk.pass, passes_,
                               100 * share, rate, duration_text(left), chunk.loss)
                 : fmt::format("{} instances  {:.0f} instances/s  loss {:.5g}", chunk.instances, rate, chunk.loss);
  if (terminal_ && now - last_bar_ > 0.1) {
    constexpr int kWidth = 24;
    const int full = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}", "", full, "", kWidth - full, progress);
    std::fflush(stderr);
    bar_shown_ = true;
    last_bar_ = now;
  } else if (!terminal_ && now >= next_line_) {
    message(progress);
    next_line_ = 2 * now;
  }
  return !stop_requested();
}

std::string ConsoleObserver::describe(const PassReport& pass) {
  const std::string error = pass.error > 0 ? fmt::format(", error {:.6g}", pass.error) : "";
  return fmt::format("pass {}/{}: loss {:.6g}{}, {:.2f} s", pass.pass, passes_, pass.loss, error, pass.seconds);
}

void ConsoleObserver::on_pass(const PassReport& pass, const Embedding&) {
  if (!quiet_) message(describe(pass));
}

}  // namespace omvc::app
