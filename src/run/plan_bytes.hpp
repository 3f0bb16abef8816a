// The values of a Plan as bytes: archives that say what they are and what they were made with.
//
//     plan/kind      text   look, ranks, state, task, counts or tally
//     plan/options   text   options and views, which all values of one plan have in common
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "omvc/plan.hpp"

#include "report/label_counts.hpp"
#include "run/living_steps.hpp"

namespace omvc {

std::string plan_bytes(Archive archive, const char* kind, const Plan& plan);
// Throws ErrorKind::data unless they are of one of these kinds and of this plan, made here or elsewhere.
Archive plan_archive(const std::string& bytes, std::string_view kinds, const Plan& plan);

// A fit between two steps: a state with the whole model, a task with what parts need.
struct PlanState {
  Setting setting;
  FitState state;
  int passes = 1;
  std::optional<Model> model;
  std::vector<Index> single;  // of each view: whether the sample holds it in single precision, where it is all there is

  std::string bytes(bool whole, const Plan& plan) const;
  static PlanState from(const std::string& bytes, const char* kind, const Plan& plan);
};

// What the labels of parts add up to.
struct LabelTally {
  LabelCounts counts;
  Index instances = 0;
  std::uint64_t fingerprint = 0;
  std::uint64_t order = 0;

  std::string bytes(const Plan& plan) const;
  static LabelTally from(const std::string& bytes, const Plan& plan);
};

std::string ranking_bytes(const Reservoir::Ranking& ranking, const Plan& plan);
Reservoir::Ranking ranking_from(const std::string& bytes, const Plan& plan);

}  // namespace omvc
