// What is known about each view from the rows seen so far: enough to choose a scaling and to refuse hopeless data
// early. Surveys of parts of the data add up to the survey of the whole.
#pragma once

#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "omvc/chunk.hpp"

#include "parallel/compute.hpp"

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
  // The survey of its centred log ratios (scale/log_ratio.hpp), zeros filled; one where every number seen is a count,
  // which is whole and not negative, and the features are few enough; otherwise none.
  std::vector<ViewSurvey> log_ratios;

  double known(std::size_t feature) const { return observed - (missing.empty() ? 0 : missing[feature]); }
  double known() const {  // of all features
    return std::accumulate(missing.begin(), missing.end(), observed * static_cast<double>(sum.size()), std::minus<>());
  }
};

// What a survey keeps for each feature whatever the data.
inline constexpr std::array kOfFeatures{&ViewSurvey::minimum, &ViewSurvey::maximum, &ViewSurvey::sum,
                                        &ViewSurvey::squares, &ViewSurvey::nonzeros};

struct Survey {
  // `totals` says whether ViewSurvey::total is wanted, which one thread has to add up in the order of the entries.
  explicit Survey(const Schema& schema, bool totals = true);

  // Chunks that follow each other, in their order. Several at once give several threads more to do.
  void add(std::span<const Chunk* const> chunks, Compute& compute);
  void add(const Chunk& chunk, Compute& compute) {
    const Chunk* const one = &chunk;
    add({&one, 1}, compute);
  }
  void merge(const Survey& other);
  // Adds views, and features of views, behind those that there are. No row has had them so far. Log ratios of the rows
  // so far stay those to the features that there were.
  void widen(const Schema& wider);
  // Forgets the features behind those of this schema.
  void narrow(const Schema& schema);
  // Multiplies counts and sums by this factor. Ranges and kinds stay, as do the numbers of negatives and fractions.
  void decay(double factor);

  bool totals = true;
  double instances = 0;
  double unobserved = 0;  // of them, present in no view
  std::vector<ViewSurvey> views;
};

}  // namespace omvc
