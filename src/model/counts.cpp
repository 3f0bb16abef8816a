#include "model/counts.hpp"

#include <algorithm>
#include <bit>

#include "omvc/error.hpp"

namespace omvc {
namespace {

void add_to(std::vector<Index>& sum, const std::vector<Index>& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace

Counts::Counts(const Schema& schema, Index prototypes)
    : sums(schema, prototypes), present(schema.views.size(), 0), negatives(schema.views.size(), 0) {}

void Counts::add(const PreparedChunk& chunk, const std::vector<Index>& set_to_zero) {
  for (std::size_t v = 0; v < present.size(); ++v) present[v] += chunk.views[v].rows();
  add_to(negatives, set_to_zero);
  observed += std::count(chunk.observed.begin(), chunk.observed.end(), true);
  for (const Index row : chunk.chunk->rows) last = std::max(last, row + 1);
  ++rounds;
}

void Counts::add(const std::vector<int>& clusters) {
  for (const int cluster : clusters) {
    if (cluster < 0) continue;
    sizes.resize(std::max(sizes.size(), static_cast<std::size_t>(cluster) + 1), 0.0);
    sizes[static_cast<std::size_t>(cluster)] += 1;
  }
}

void Counts::merge(const Counts& other) {
  sums.merge(other.sums);
  progress += other.progress;
  rounds += other.rounds;
  observed += other.observed;
  last = std::max(last, other.last);
  add_to(present, other.present);
  add_to(negatives, other.negatives);
  sizes.resize(std::max(sizes.size(), other.sizes.size()), 0.0);
  for (std::size_t k = 0; k < other.sizes.size(); ++k) sizes[k] += other.sizes[k];
}

void Counts::put(Archive& archive) const {
  sums.put(archive, "counted");
  archive.put("counted/progress",
              std::vector<Index>{progress.chunks, progress.instances, std::bit_cast<Index>(progress.fingerprint),
                                 std::bit_cast<Index>(progress.order), rounds, observed, last});
  archive.put("counted/present", present);
  archive.put("counted/negatives", negatives);
  archive.put("counted/sizes", sizes);
}

Counts Counts::get(const Archive& archive, const Schema& schema, Index prototypes) {
  Counts out;
  out.sums = PrototypeSums::get(archive, "counted", schema, prototypes);
  const std::vector<Index>& numbers = archive.integers("counted/progress");
  out.present = archive.integers("counted/present");
  out.negatives = archive.integers("counted/negatives");
  out.sizes = archive.numbers("counted/sizes", kCount);
  const std::size_t views = schema.views.size();
  constexpr Index kMost = Index{1} << 53;
  const auto is_count = [](Index number) { return number >= 0 && number <= kMost; };
  bool sound = numbers.size() == 7 && out.present.size() == views && out.negatives.size() == views;
  for (std::size_t i = 0; sound && i < numbers.size(); ++i) sound = i == 2 || i == 3 || is_count(numbers[i]);
  sound = sound && std::all_of(out.present.begin(), out.present.end(), is_count) &&
          std::all_of(out.negatives.begin(), out.negatives.end(), is_count);
  if (!sound) throw Error(ErrorKind::data, "what was counted of a part of the data is incomplete");
  out.progress = {.chunks = numbers[0],
                  .instances = numbers[1],
                  .fingerprint = std::bit_cast<std::uint64_t>(numbers[2]),
                  .order = std::bit_cast<std::uint64_t>(numbers[3])};
  out.rounds = numbers[4];
  out.observed = numbers[5];
  out.last = numbers[6];
  return out;
}

}  // namespace omvc
