#include "reporter.hpp"

#include <fmt/format.h>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "limits.hpp"

namespace omvc::bench {
namespace {

std::string in_words(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.1f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.2f} ms", seconds * 1e3);
}

std::string size_in_words(double bytes) {
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3) : fmt::format("{:.0f} MB", bytes / 1e6);
}

// One line for the eye and one for the JSON file.
void tell(std::ostream& out, const std::string& key, const std::string& value) {
  out << fmt::format("{:<24} {}\n", key, value);
  benchmark::AddCustomContext(key, value);
}

void tell_limits(std::ostream& out, int threads) {
  const Limits& best = limits(threads);
  const std::string who = threads == 1 ? "1 thread" : fmt::format("{} threads", threads);
  tell(out, "peak, " + who, fmt::format("{:.1f} GFLOP/s ({})", best.operations_per_second / 1e9, best.instructions));
  std::string copies;
  for (const CopySpeed& each : best.copies) {
    copies += fmt::format("{}{}: {:.1f}", copies.empty() ? "" : ", ", size_in_words(each.working_set),
                          each.bytes_per_second / 1e9);
  }
  tell(out, "copy GB/s, " + who, copies);
}

}  // namespace

bool TableReporter::ReportContext(const Context& context) {
  std::ostream& out = GetOutputStream();
  tell_limits(out, 1);
  if (std::thread::hardware_concurrency() > 1) tell_limits(out, 2);
  // The width counts the ending that Google Benchmark gives names in its own reports.
  name_width_ = context.name_field_width - std::string_view("/real_time").size();
  out << fmt::format("\n{:<{}} {:>11} {:>11} {:>9}  {:<10} {:>9} {:>8}\n", "", name_width_, "time", "bound", "of bound",
                     "bound by", "GFLOP/s", "GB/s");
  out.flush();
  return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  std::ostream& out = GetOutputStream();
  for (const Run& run : runs) {
    const std::string name =
        run.run_name.function_name + (run.aggregate_name.empty() ? std::string() : " " + run.aggregate_name);
    if (run.error_occurred) {
      out << fmt::format("{:<{}} failed: {}\n", name, name_width_, run.error_message);
      continue;
    }
    const bool is_time = run.aggregate_unit == benchmark::kTime;
    if (!is_time) continue;  // a coefficient of variation of every column says nothing that the JSON file does not
    const double seconds = run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
    const auto counter = [&run](const char* key) { return run.counters.at(key).value; };
    out << fmt::format("{:<{}} {:>11} {:>11} {:>7.0f} %  {:<10} {:>9.2f} {:>8.2f}\n", name, name_width_,
                       in_words(seconds), in_words(counter("bound_seconds")), 100 * counter("fraction_of_bound"),
                       run.report_label, counter("GFLOP/s"), counter("GB/s"));
  }
  out.flush();
}

}  // namespace omvc::bench
