// A value of a plan with a right checksum, handed to every step together with sound ones.
#include <functional>

#include "archive_mutator.hpp"
#include "fuzz.hpp"
#include "plan_values.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const omvc::fuzz::PlanValues sound;
  const omvc::Plan& plan = *sound.plan;
  const std::string bytes = omvc::fuzz::with_checksum(omvc::fuzz::as_text(data, size));
  omvc::Observer silent;
  const auto nowhere = omvc::make_sink_list({});
  const std::vector<std::function<void()>> steps{
      [&] { plan.make(plan.merge_looks(sound.looks[0], bytes), silent); },
      [&] { plan.make(bytes, silent); },
      [&] { plan.trim(sound.looks[0], plan.merge_ranks(sound.ranks, bytes)); },
      [&] { plan.ranks(bytes); },
      [&] { plan.task(plan.end_pass(sound.state, plan.merge_counts(sound.counts[0], bytes))); },
      [&] { plan.end_pass(bytes, plan.merge_counts(sound.counts[0], sound.counts[1])); },
      [&] { plan.count(bytes, *sound.part(0), 0, silent); },
      [&] { plan.label(bytes, *sound.part(0), 0, *nowhere, silent); },
      [&] { plan.finish(sound.last, plan.merge_tallies(sound.tallies[0], bytes)); },
      [&] {
        omvc::Clusterer::from_bytes(plan.finish(bytes, plan.merge_tallies(sound.tallies[0], sound.tallies[1])).first);
      },
  };
  for (const auto& step : steps) {
    try {
      step();
    } catch (const omvc::Error&) {
    }
  }
  return 0;
}
