// The steps of a fit of the living model that a fit in one process, a fit in several (run/together) and a Plan have in
// common, and what parts of the data give in them: values in bytes that add up in any order.
//
//     look at every part      merge_looks            note_look, make_living     the model, from the sample
//     count every part        merge_passes           take_pass                  sums; prototypes move
//     label every part        LabelTally (run/plan)  report_living              the report
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "run/checkpoint.hpp"
#include "run/first_look.hpp"

namespace omvc {

inline constexpr Index kLabelRows = 256;  // instances labelled at a time, at least

// What a pass over a part has counted, beside the sums of the model.
struct PassSums {
  Index instances = 0;
  Index chunks = 0;
  Index rounds = 0;
  std::uint64_t fingerprint = 0;
  std::uint64_t order = 0;
  Index observed = 0;          // instances with some view
  Index last = 0;              // one more than the largest row number
  std::vector<Index> present;  // instances of each view
  std::vector<Index> clipped;  // negative entries of each view that were set to 0

  void put(Archive& archive) const;
  static PassSums get(const Archive& archive, std::size_t views);
};

// Adds a pass over another part, that of its model included (Model::save_counted).
void merge_passes(Archive& sum, const Archive& part, std::size_t views);

// Adds the look at another part.
Archive merge_looks(const Archive& one, const Archive& other, const Options& options, const Schema& schema);

// Throws ErrorKind::data unless a pass has found the data that the first look saw.
void check_pass(const FitState& state, int pass, Index found, std::uint64_t fingerprint, std::uint64_t order);

// What options and data must have in common where several work on one fit; the number of threads changes nothing.
std::string common_ground(const Options& options, const Schema& schema);

// A fit between two steps as entries of an archive, and back: what it knows and its model, whole or what counting and
// labelling take. `passes` is 0 where the first look has seen all there is to learn from.
void put_living(Archive& archive, const Setting& setting, const FitState& state, int passes, const Model& model,
                bool whole);
Model get_living(const Archive& archive, Setting& setting, FitState& state, int& passes);

// What the first look has found.
void note_look(const FirstLook& look, const Setting& setting, FitState& state);
// Makes prototypes and clusters from the sample that the model has taken.
void make_living(Model& model, Setting& setting, Workers& workers);
// Where that was all there is: it is counted, and its only pass is over.
void count_sample(Model& model, Setting& setting, FitState& state);
// Takes the sums of all parts of a pass.
void take_pass(const Archive& sums, Model& model, Setting& setting, FitState& state);
// After the last pass: clusters from what was counted.
void finish_living(Model& model, Workers& workers);
// Once the clusters are known: what the model says of itself and of the views.
void report_living(Model& model, Setting& setting, FitState& state);

}  // namespace omvc
