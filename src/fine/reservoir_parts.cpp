// Samples of parts of a stream: as bytes, and what of each has a place in the sample of all.
#include <algorithm>
#include <numeric>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "file/stored_chunk.hpp"
#include "fine/reservoir.hpp"

namespace omvc {

Reservoir::Ranking Reservoir::ranking() const {
  Ranking out;
  for (std::size_t i = 0; i < priorities_.size(); ++i) out.emplace_back(priorities_[i], sizes_[i]);
  return out;
}

// Of a sorted ranking: the first row that has no place, or its size.
std::size_t Reservoir::end_of(const Ranking& sorted, const ReservoirOptions& options) {
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i].second;
    const bool fits = sum <= static_cast<double>(options.bytes) && static_cast<Index>(i) < options.rows;
    if (!fits && i > 0 && sorted[i].first != sorted[i - 1].first) return i;
  }
  return sorted.size();
}

Reservoir::Ranking Reservoir::cut(Ranking all, const ReservoirOptions& options) {
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), end_of(all, options) + 1));
  return all;
}

void Reservoir::keep_below(Ranking all, Compute& compute) {
  std::sort(all.begin(), all.end());
  const std::size_t end = end_of(all, options_);
  if (end == all.size()) return;
  limit_ = whole_ ? all[end].first : std::min(limit_, all[end].first);
  whole_ = false;
  shrink(compute);
}

Chunk Reservoir::joined() const {
  Chunk whole;
  for (const Chunk& chunk : kept_) {
    if (whole.views.empty()) {
      whole = chunk;
    } else {
      append_chunk(whole, chunk, schema_);
    }
  }
  return whole;
}

void Reservoir::save(Archive& archive, const std::string& key) const {
  archive.put(key + "/priorities", priorities_);
  archive.put(key + "/limit", std::vector<double>{whole_ ? 1.0 : 0.0, limit_, now_});
  put_chunk(archive, key, joined());
}

Reservoir Reservoir::load(const Archive& archive, const std::string& key, const Schema& schema,
                          const ReservoirOptions& options) {
  Reservoir out(schema, options);
  out.priorities_ = archive.numbers(key + "/priorities", kFinite);
  const Vector limit = archive.vector(key + "/limit", 3);
  out.whole_ = limit(0) != 0;
  out.limit_ = limit(1);
  out.now_ = limit(2);
  Chunk rows = get_chunk(archive, key, schema);
  out.numbers_ = rows.rows;
  const auto countable = [](Index row) { return static_cast<double>(row) <= kCount.high; };
  if (out.numbers_.size() != out.priorities_.size() || !(out.now_ >= 0) ||
      !std::all_of(out.numbers_.begin(), out.numbers_.end(), countable)) {
    throw Error(ErrorKind::data, "the model's sample of rows is incomplete");
  }
  out.sizes_ = bytes_of_rows(rows);
  if (!out.numbers_.empty()) out.kept_.push_back(std::move(rows));
  out.bytes_ = std::accumulate(out.sizes_.begin(), out.sizes_.end(), 0.0);
  return out;
}

}  // namespace omvc
