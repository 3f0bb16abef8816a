// The table on the screen: one line a benchmark, with its bound beside its time.
#pragma once

#include <benchmark/benchmark.h>
#include <vector>

namespace omvc::bench {

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  // Measures and prints the limits of the machine, and puts them into the JSON file. Called before the first benchmark,
  // and not at all where benchmarks are only listed.
  bool ReportContext(const Context& context) override;

  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  std::size_t name_width_ = 0;
};

}  // namespace omvc::bench
