// Every data kernel and row solver over the shapes that occur, each beside the time it could not fall below. Takes the
// flags of Google Benchmark (--help).
#include <benchmark/benchmark.h>

#include "reporter.hpp"
#include "suite.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  omvc::bench::add_kernels();
  omvc::bench::add_row_solvers();
  omvc::bench::TableReporter table;
  const auto matched = benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
  return matched > 0 ? 0 : 1;
}
