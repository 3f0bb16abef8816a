#include "model/look.hpp"

#include <algorithm>
#include <bit>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "recipe/recipe.hpp"

namespace omvc {

ReservoirOptions reservoir_options(const Options& options) {
  return {.bytes = static_cast<Index>(options.memory * (1 << 20)),
          .rows = parse_recipe(options.recipe).sample_rows,
          .half_life = options.half_life,
          .seed = options.seed};
}

bool wants_totals(const Options& options) {
  return std::find(options.scaling.begin(), options.scaling.end(), Scaling::total) != options.scaling.end();
}

Look::Look(const Options& options, const Schema& schema, Index place)
    : survey(schema, wants_totals(options), place), sample(schema, reservoir_options(options)), first(place) {}

void Look::add(std::span<const Chunk* const> chunks, std::uint64_t print, Compute& compute) {
  survey.add(chunks, compute);
  std::vector<Index> places;
  for (const Chunk* chunk : chunks) {
    places.push_back(first + instances);
    order += order_hash(places.back(), *chunk);
    instances += chunk->size();
  }
  std::vector<Reservoir::Picked> picked(chunks.size());
  for_blocks(compute, static_cast<Index>(chunks.size()), 1, true, [&](Index i, Index) {
    const auto at = static_cast<std::size_t>(i);
    picked[at] = sample.pick(*chunks[at], static_cast<double>(places[at]));
  });
  for (Reservoir::Picked& rows : picked) sample.take(std::move(rows), compute);
  fingerprint += print;
}

void Look::merge(const Look& other, Compute& compute) {
  survey.merge(other.survey);
  sample.merge(other.sample, compute);
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
