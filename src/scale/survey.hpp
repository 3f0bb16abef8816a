// What is known about each view from the rows seen so far: enough to choose a scaling and to refuse hopeless data
// early. Surveys of parts of the data add up to the survey of the whole.
#pragma once

#include <span>
#include <vector>

#include "omvc/chunk.hpp"

#include "parallel/workers.hpp"

namespace omvc {

struct ViewSurvey {
  double observed = 0;   // instances
  double entries = 0;    // stored numbers that are not zero
  double negatives = 0;  // of them
  double fractions = 0;  // of them, not whole numbers
  double total = 0;      // sum of the entries that are not negative, where it is wanted
  double cells = 0;      // NaN: missing cells of rows that are present
  bool sparse = false;   // delivered as CSR
  // Of every feature over the observed instances, zeros included and missing cells left out.
  std::vector<double> minimum;
  std::vector<double> maximum;
  std::vector<double> sum;
  std::vector<double> squares;
  std::vector<double> nonzeros;
  std::vector<double> missing;  // cells; empty where there are none

  double known(std::size_t feature) const { return observed - (missing.empty() ? 0 : missing[feature]); }
};

struct Survey {
  // `totals` says whether ViewSurvey::total is wanted, which one thread has to add up in the order of the entries.
  explicit Survey(const Schema& schema, bool totals = true);

  // Chunks that follow each other, in their order: the more at once, the more there is to do for several threads.
  void add(std::span<const Chunk* const> chunks, Workers& workers);
  void add(const Chunk& chunk, Workers& workers) {
    const Chunk* const one = &chunk;
    add({&one, 1}, workers);
  }
  void merge(const Survey& other);
  // More views, and more features of views, behind those that there are; nobody has seen them yet.
  void widen(const Schema& wider);
  // Lets what was seen count by this much less; ranges and kinds stay.
  void decay(double factor);

  bool totals = true;
  double instances = 0;
  double unobserved = 0;  // of them, present in no view
  std::vector<ViewSurvey> views;
};

}  // namespace omvc
