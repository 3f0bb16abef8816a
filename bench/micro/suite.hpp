// How a benchmark of this suite is stated: a name, a number of threads, and a function that makes its case.
#pragma once

#include <functional>
#include <string>

#include "limits.hpp"
#include "parallel/compute.hpp"

namespace omvc::bench {

// One call with its data, which it owns.
struct Case {
  Work work;
  std::function<void(Compute&)> call;
};

// Adds a benchmark. `make` is called when the benchmark is about to run, and its case is dropped before the next one is
// made, so that only one data set is in memory. For more than one thread the name gets "/threads=N".
void add_benchmark(std::string name, int threads, std::function<Case()> make);

// The parts of the suite.
void add_kernels();
void add_row_solvers();

}  // namespace omvc::bench
