#include "fine/reservoir.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "file/stored_chunk.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr double kSlack = 1.25;  // shrunk once it is this much too large, so that shrinking is rare

void keep_marked(std::vector<double>& values, const std::vector<bool>& keep) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (keep[i]) values[count++] = values[i];
  }
  values.resize(count);
}

// Bytes that each instance of a chunk takes where it is kept alone: what it counts for does not depend on others.
std::vector<double> bytes_of_rows(const Chunk& chunk) {
  std::vector<double> bytes(chunk.rows.size(), 3 * sizeof(double));
  for (const ChunkView& view : chunk.views) {
    std::visit(
        [&](const auto& X) {
          for (std::size_t i = 0; i < view.present.size(); ++i) {
            std::size_t first = i * static_cast<std::size_t>(X.cols);
            std::size_t count = static_cast<std::size_t>(X.cols);
            std::size_t beside = 0;
            if constexpr (requires { X.offsets; }) {
              first = static_cast<std::size_t>(X.offsets[i]);
              count = static_cast<std::size_t>(X.offsets[i + 1]) - first;
              beside = 4 * count + 8;
            }
            const auto* values = X.values.data() + first;
            const bool single =
                std::all_of(values, values + count, [](auto x) { return fits_single(static_cast<double>(x)); });
            bytes[static_cast<std::size_t>(view.present[i])] +=
                static_cast<double>(count * (single ? sizeof(float) : sizeof(double)) + beside + sizeof(Index));
          }
        },
        view.block);
  }
  return bytes;
}

}  // namespace

// The logarithm of an exponential variate divided by the row's weight: among rows of weights w the smallest of them
// belongs to each with a chance proportional to w.
double Reservoir::variate(Index row) const {
  return -std::log1p(-Random(options_.seed, Purpose::sample).uniform(static_cast<std::uint64_t>(row))) + 1e-300;
}

double Reservoir::priority(Index row, double clock) const {
  const double weight = options_.half_life > 0 ? clock / options_.half_life * std::log(2.0) : 0;
  return std::log(variate(row)) - weight;
}

// A row that came half-lives ago counts with the chance 2^-half-lives, drawn once for all times.
bool Reservoir::counts_still(std::size_t at) const {
  const double came = (std::log(variate(kept_.rows[at])) - priorities_[at]) / std::log(2.0);  // in half-lives
  const double drawn = Random(options_.seed, Purpose::split, 1).uniform(static_cast<std::uint64_t>(kept_.rows[at]));
  return drawn < std::exp2(came - now_ / options_.half_life);
}

Reservoir::Picked Reservoir::pick(const Chunk& chunk, double clock) const {
  std::vector<bool> observed(chunk.rows.size(), false);
  for (const ChunkView& view : chunk.views) {
    for (const Index at : view.present) observed[static_cast<std::size_t>(at)] = true;
  }
  Picked out;
  out.end = clock + static_cast<double>(chunk.size());
  std::vector<Index> taken;
  for (std::size_t i = 0; i < chunk.rows.size(); ++i) {
    if (!observed[i]) continue;
    const double p = priority(chunk.rows[i], clock);
    if (!whole_ && p >= limit_) continue;
    taken.push_back(static_cast<Index>(i));
    out.priorities.push_back(p);
  }
  if (taken.empty()) return out;
  out.rows = take_instances(chunk, taken);
  out.bytes = bytes_of_rows(out.rows);
  for (ChunkView& view : out.rows.views) view.block = narrowed(std::move(view.block));
  return out;
}

void Reservoir::take(Picked picked) {
  now_ = std::max(now_, picked.end);
  // The limit may have fallen since they were picked.
  std::vector<bool> keep;
  for (const double p : picked.priorities) keep.push_back(whole_ || p < limit_);
  if (std::find(keep.begin(), keep.end(), false) != keep.end()) {
    keep_in_place(picked.rows, keep);
    keep_marked(picked.priorities, keep);
    keep_marked(picked.bytes, keep);
    for (ChunkView& view : picked.rows.views) view.block = narrowed(std::move(view.block));
  }
  if (!picked.priorities.empty()) add(std::move(picked));
}

void Reservoir::merge(const Reservoir& other) {
  if (!other.whole_) {
    limit_ = whole_ ? other.limit_ : std::min(limit_, other.limit_);
    whole_ = false;
  }
  now_ = std::max(now_, other.now_);
  if (other.size() > 0) {
    Picked all{other.kept_, other.priorities_, other.sizes_, other.now_};
    for (ChunkView& view : all.rows.views) view.block = narrowed(std::move(view.block));
    add(std::move(all));
  }
  if (!whole_) shrink();
}

void Reservoir::add(Picked picked) {
  sizes_.insert(sizes_.end(), picked.bytes.begin(), picked.bytes.end());
  bytes_ += std::accumulate(picked.bytes.begin(), picked.bytes.end(), 0.0);
  for (std::size_t v = 0; v < picked.rows.views.size() && !kept_.views.empty(); ++v) {
    Block& block = picked.rows.views[v].block;
    if (kept_.views[v].block.index() == block.index()) continue;
    block = widened(std::move(block));
    kept_.views[v].block = widened(std::move(kept_.views[v].block));
  }
  if (kept_.views.empty()) {
    kept_ = std::move(picked.rows);
  } else {
    append_chunk(kept_, picked.rows, schema_);
  }
  priorities_.insert(priorities_.end(), picked.priorities.begin(), picked.priorities.end());
  const bool full = bytes_ > kSlack * static_cast<double>(options_.bytes) ||
                    static_cast<double>(size()) > kSlack * static_cast<double>(options_.rows);
  if (full) shrink();
}

void Reservoir::widen(const Schema& wider) {
  schema_ = wider;
  for (std::size_t v = 0; v < wider.views.size() && !kept_.rows.empty(); ++v) {
    if (v == kept_.views.size()) kept_.views.push_back({DenseBlock<double>{}, {}});
    std::visit([&](auto& block) { block.cols = wider.views[v].features; }, kept_.views[v].block);
  }
}

void Reservoir::settle() {
  if (size() > 0) {
    shrink();
    const std::vector<Index> order = in_order();
    const auto sorted = [&](const std::vector<double>& values) {
      std::vector<double> out;
      for (const Index at : order) out.push_back(values[static_cast<std::size_t>(at)]);
      return out;
    };
    kept_ = take_instances(kept_, order);
    priorities_ = sorted(priorities_);
    sizes_ = sorted(sizes_);
  }
  for (ChunkView& view : kept_.views) view.block = narrowed(std::move(view.block));
}

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

void Reservoir::keep_below(Ranking all) {
  std::sort(all.begin(), all.end());
  const std::size_t end = end_of(all, options_);
  if (end == all.size()) return;
  limit_ = whole_ ? all[end].first : std::min(limit_, all[end].first);
  whole_ = false;
  shrink();
}

bool Reservoir::comes_before(Index a, Index b) const {
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  return std::pair(priorities_[i], kept_.rows[i]) < std::pair(priorities_[j], kept_.rows[j]);
}

std::vector<Index> Reservoir::in_order() const {
  std::vector<Index> order(kept_.rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return comes_before(a, b); });
  return order;
}

void Reservoir::shrink() {
  const std::vector<Index> order = in_order();
  std::vector<bool> keep(order.size(), false);
  std::size_t count = 0;
  double sum = 0;
  while (count < order.size()) {
    const auto at = static_cast<std::size_t>(order[count]);
    const bool fits = count == 0 || (sum + sizes_[at] <= static_cast<double>(options_.bytes) &&
                                     static_cast<Index>(count) < options_.rows);
    if (!fits || (!whole_ && priorities_[at] >= limit_)) break;
    sum += sizes_[at];
    keep[at] = true;
    ++count;
  }
  if (count == order.size()) return;
  limit_ = priorities_[static_cast<std::size_t>(order[count])];
  whole_ = false;
  keep_in_place(kept_, keep);
  keep_marked(priorities_, keep);
  keep_marked(sizes_, keep);
  bytes_ = sum;
}

std::vector<Chunk> Reservoir::pieces(Index rows, Workers& workers, Index most) const {
  std::vector<Index> order(kept_.rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index a, Index b) { return comes_before(a, b); };
  if (most < size() && !(options_.half_life > 0)) {
    std::nth_element(order.begin(), order.begin() + most, order.end(), before);
    order.resize(static_cast<std::size_t>(most));
  }
  std::sort(order.begin(), order.end(), before);
  if (options_.half_life > 0) {
    // However short the half-life, some of the last rows are needed.
    constexpr std::size_t kLeast = 200;
    const auto last = [&](Index at) { return !counts_still(static_cast<std::size_t>(at)); };
    const auto least = order.begin() + static_cast<std::ptrdiff_t>(std::min(kLeast, order.size()));
    order.erase(std::remove_if(least, order.end(), last), order.end());
  }
  const Index kept = std::min(most, static_cast<Index>(order.size()));
  std::vector<Chunk> pieces(static_cast<std::size_t>((kept + rows - 1) / rows));
  for_blocks(workers, kept, rows, true, [&](Index first, Index last) {
    pieces[static_cast<std::size_t>(first / rows)] =
        take_instances(kept_, {order.data() + first, static_cast<std::size_t>(last - first)});
  });
  return pieces;
}

void Reservoir::save(Archive& archive, const std::string& key) const {
  archive.put(key + "/priorities", priorities_);
  archive.put(key + "/limit", std::vector<double>{whole_ ? 1.0 : 0.0, limit_, now_});
  put_chunk(archive, key, kept_);
}

Reservoir Reservoir::load(const Archive& archive, const std::string& key, const Schema& schema,
                          const ReservoirOptions& options) {
  Reservoir out(schema, options);
  out.priorities_ = archive.numbers(key + "/priorities", kFinite);
  const Vector limit = archive.vector(key + "/limit", 3);
  out.whole_ = limit(0) != 0;
  out.limit_ = limit(1);
  out.now_ = limit(2);
  out.kept_ = get_chunk(archive, key, schema);
  const auto countable = [](Index row) { return static_cast<double>(row) <= kCount.high; };
  if (out.kept_.rows.size() != out.priorities_.size() || !(out.now_ >= 0) ||
      !std::all_of(out.kept_.rows.begin(), out.kept_.rows.end(), countable)) {
    throw Error(ErrorKind::data, "the model's sample of rows is incomplete");
  }
  out.sizes_ = bytes_of_rows(out.kept_);
  out.bytes_ = std::accumulate(out.sizes_.begin(), out.sizes_.end(), 0.0);
  return out;
}

}  // namespace omvc
