#include "model/look.hpp"

#include <algorithm>
#include <bit>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"

namespace omvc {

ReservoirOptions reservoir_options(const Options& options) {
  return {
      .bytes = static_cast<Index>(options.memory * (1 << 20)), .half_life = options.half_life, .seed = options.seed};
}

bool wants_totals(const Options& options) {
  return std::find(options.scaling.begin(), options.scaling.end(), Scaling::total) != options.scaling.end();
}

Look::Look(const Options& options, const Schema& schema, Index place)
    : survey(schema, wants_totals(options), place), sample(schema, reservoir_options(options)), first(place) {}

void Look::add(const Chunk& chunk, std::uint64_t print, Workers& workers) {
  survey.add(chunk, workers);
  sample.offer(chunk, static_cast<double>(first + instances));
  order += order_hash(first + instances, chunk);
  fingerprint += print;
  instances += chunk.size();
}

void Look::merge(const Look& other) {
  survey.merge(other.survey);
  sample.merge(other.sample);
  first = std::min(first, other.first);
  instances += other.instances;
  fingerprint += other.fingerprint;
  order += other.order;
}

void Look::save(Archive& archive) const {
  survey.save(archive, "look/survey");
  sample.save(archive, "look/sample");
  archive.put("look/numbers",
              std::vector<Index>{first, instances, std::bit_cast<Index>(fingerprint), std::bit_cast<Index>(order)});
}

Look Look::load(const Archive& archive, const Options& options, const Schema& schema) {
  Look out(options, schema);
  out.survey = SurveyBlocks::load(archive, "look/survey", schema, wants_totals(options));
  out.sample = Reservoir::load(archive, "look/sample", schema, reservoir_options(options));
  const std::vector<Index>& numbers = archive.integers("look/numbers");
  if (numbers.size() != 4 || numbers[0] < 0 || numbers[1] < 0) {
    throw Error(ErrorKind::data, "the look at a part of the data is incomplete");
  }
  out.first = numbers[0];
  out.instances = numbers[1];
  out.fingerprint = std::bit_cast<std::uint64_t>(numbers[2]);
  out.order = std::bit_cast<std::uint64_t>(numbers[3]);
  return out;
}

}  // namespace omvc
