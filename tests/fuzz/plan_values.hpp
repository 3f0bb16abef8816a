// The plan whose values are fuzzed: seeds.cpp writes them, plan.cpp hands altered ones to every step.
#pragma once

#include "omvc/plan.hpp"
#include "omvc/planted.hpp"

namespace omvc::fuzz {

struct PlanValues {
  PlanValues() {
    Options options;
    options.clusters = 2;
    options.rank = 2;
    options.chunk = 14;
    options.passes = 2;
    options.memory = 0.001;  // fewer than all rows
    options.threads = 1;
    plan.emplace(options, make_planted_source(planted())->schema());
    Observer silent;
    const auto nowhere = make_sink_list({});
    looks = {plan->look(*part(0), 0, silent), plan->look(*part(1), 20, silent)};
    ranks = plan->ranks(looks[1]);
    state = plan->make(plan->merge_looks(looks[0], looks[1]), silent);
    task = plan->task(state);
    counts = {plan->count(task, *part(0), 0, silent), plan->count(task, *part(1), 20, silent)};
    last = plan->end_pass(state, plan->merge_counts(counts[0], counts[1]));
    const std::string again = plan->task(last);
    last = plan->end_pass(
        last, plan->merge_counts(plan->count(again, *part(0), 0, silent), plan->count(again, *part(1), 20, silent)));
    last_task = plan->task(last);
    tallies = {plan->label(last_task, *part(0), 0, *nowhere, silent),
               plan->label(last_task, *part(1), 20, *nowhere, silent)};
  }

  static PlantedOptions planted() { return {.instances = 40, .features = {3, 4}, .clusters = 2, .missing = 0.3}; }
  static std::unique_ptr<Source> part(Index number) {
    const auto source = make_planted_source(planted());
    Chunk rows = read_all(*make_range_source(*source, 20 * number, 20));
    for (Index& row : rows.rows) row -= 20 * number;
    return make_table_source(source->schema(), std::move(rows));
  }

  std::optional<Plan> plan;
  std::vector<std::string> looks;
  std::string ranks;
  std::string state;
  std::string task;
  std::vector<std::string> counts;
  std::string last;  // the state after the last pass
  std::string last_task;
  std::vector<std::string> tallies;
};

}  // namespace omvc::fuzz
