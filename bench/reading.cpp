// Reads a text file to the end, as a fit does in each pass, and says how long it took: seconds, instances, features.
#include <chrono>
#include <fmt/core.h>

#include "omvc/error.hpp"
#include "omvc/input.hpp"
#include "omvc/trial.hpp"

int main(int argc, char** argv) {
  if (const auto code = omvc::answer_trial(argc, argv)) return *code;
  if (argc != 2) {
    fmt::print(stderr, "usage: omvc_reading FILE\n");
    return 2;
  }
  try {
    const auto start = std::chrono::steady_clock::now();
    const omvc::Input input = omvc::open_input({argv[1]});
    omvc::Index instances = 0;
    while (const auto chunk = input.source->next(10'000)) instances += chunk->size();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("{} {} {}\n", seconds.count(), instances, input.source->schema().views[0].features);
  } catch (const omvc::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
