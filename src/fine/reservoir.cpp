#include "fine/reservoir.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr double kSlack = 1.25;    // shrunk once it is this much too large, so that shrinking is rare
constexpr Index kChunkRows = 256;  // rows of a chunk, at least, once it was shrunk

template <class T>
void keep_marked(std::vector<T>& values, const std::vector<bool>& keep) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (keep[i]) values[count++] = values[i];
  }
  values.resize(count);
}

// Gives back the memory that rows have left: a sample that has shrunk stays for as long as its model.
void trim(Chunk& chunk) {
  for (ChunkView& view : chunk.views) {
    std::visit(
        [](auto& block) {
          block.values.own().shrink_to_fit();
          if constexpr (requires { block.offsets; }) {
            block.offsets.shrink_to_fit();
            block.columns.shrink_to_fit();
          }
        },
        view.block);
  }
}

}  // namespace

std::vector<double> Reservoir::bytes_of_rows(const Chunk& chunk) {
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
  const double came = (std::log(variate(numbers_[at])) - priorities_[at]) / std::log(2.0);  // in half-lives
  const double drawn = Random(options_.seed, Purpose::split, 1).uniform(static_cast<std::uint64_t>(numbers_[at]));
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

void Reservoir::take(Picked picked, Compute& compute) {
  now_ = std::max(now_, picked.end);
  // The limit may have fallen since they were picked.
  std::vector<bool> keep;
  for (const double p : picked.priorities) keep.push_back(whole_ || p < limit_);
  if (std::find(keep.begin(), keep.end(), false) != keep.end()) {
    keep_in_place(picked.rows, keep);
    keep_marked(picked.priorities, keep);
    keep_marked(picked.bytes, keep);
    for (ChunkView& view : picked.rows.views) view.block = narrowed(std::move(view.block));
    trim(picked.rows);
  }
  if (!picked.priorities.empty()) add(std::move(picked), compute);
}

void Reservoir::merge(const Reservoir& other, Compute& compute) {
  if (!other.whole_) {
    limit_ = whole_ ? other.limit_ : std::min(limit_, other.limit_);
    whole_ = false;
  }
  now_ = std::max(now_, other.now_);
  std::ptrdiff_t first = 0;
  for (const Chunk& chunk : other.kept_) {
    const std::ptrdiff_t last = first + chunk.size();
    Picked all{chunk,
               {other.priorities_.begin() + first, other.priorities_.begin() + last},
               {other.sizes_.begin() + first, other.sizes_.begin() + last},
               other.now_};
    for (ChunkView& view : all.rows.views) view.block = narrowed(std::move(view.block));
    add(std::move(all), compute);
    first = last;
  }
  if (!whole_) shrink(compute);
}

void Reservoir::add(Picked picked, Compute& compute) {
  for (std::size_t v = 0; v < picked.rows.views.size(); ++v) {
    Block& block = picked.rows.views[v].block;
    const auto differs = [&](const Chunk& chunk) {
      return !chunk.views[v].present.empty() && chunk.views[v].block.index() != block.index();
    };
    if (block_rows(block) == 0 || std::none_of(kept_.begin(), kept_.end(), differs)) continue;
    block = widened(std::move(block));
    for (Chunk& chunk : kept_) {
      if (differs(chunk)) chunk.views[v].block = widened(std::move(chunk.views[v].block));
      if (differs(chunk)) check_same_kind(chunk.views[v].block, block, fmt::format("view '{}'", schema_.views[v].name));
    }
  }
  const Chunk& rows = picked.rows;
  numbers_.insert(numbers_.end(), rows.rows.begin(), rows.rows.end());
  priorities_.insert(priorities_.end(), picked.priorities.begin(), picked.priorities.end());
  sizes_.insert(sizes_.end(), picked.bytes.begin(), picked.bytes.end());
  bytes_ += std::accumulate(picked.bytes.begin(), picked.bytes.end(), 0.0);
  kept_.push_back(std::move(picked.rows));
  const bool full = bytes_ > kSlack * static_cast<double>(options_.bytes) ||
                    static_cast<double>(size()) > kSlack * static_cast<double>(options_.rows);
  if (full) shrink(compute);
}

void Reservoir::widen(const Schema& wider) {
  schema_ = wider;
  for (Chunk& chunk : kept_) {
    for (std::size_t v = 0; v < wider.views.size(); ++v) {
      if (v == chunk.views.size()) chunk.views.push_back({DenseBlock<double>{}, {}});
      std::visit([&](auto& block) { block.cols = wider.views[v].features; }, chunk.views[v].block);
    }
  }
}

void Reservoir::narrow_to(const Schema& schema) {
  schema_ = schema;
  std::vector<bool> observed;  // rows of other features alone have nothing left
  for (Chunk& chunk : kept_) {
    drop_features(chunk, schema);
    const auto first = static_cast<std::ptrdiff_t>(observed.size());
    observed.resize(observed.size() + chunk.rows.size(), false);
    for (const ChunkView& view : chunk.views) {
      for (const Index at : view.present) observed[static_cast<std::size_t>(first + at)] = true;
    }
  }
  Compute compute;
  if (std::find(observed.begin(), observed.end(), false) != observed.end()) keep(observed, compute);
}

void Reservoir::settle(Compute& compute) {
  if (size() == 0) return;
  shrink(compute);
  const std::vector<Index> order = in_order();
  const auto sorted = [&](const auto& values) {
    auto out = values;
    for (std::size_t i = 0; i < order.size(); ++i) out[i] = values[static_cast<std::size_t>(order[i])];
    return out;
  };
  std::vector<Chunk> chunks((order.size() + kChunkRows - 1) / kChunkRows);
  for_blocks(compute, size(), kChunkRows, true, [&](Index first, Index last) {
    chunks[static_cast<std::size_t>(first / kChunkRows)] =
        take_instances(kept_, {order.data() + first, static_cast<std::size_t>(last - first)});
  });
  kept_ = std::move(chunks);
  numbers_ = sorted(numbers_);
  priorities_ = sorted(priorities_);
  sizes_ = sorted(sizes_);
  narrow(compute);
}

// Views of which every number has room in single precision.
void Reservoir::narrow(Compute& compute) {
  const auto views = static_cast<Index>(kept_[0].views.size());
  const auto chunks = static_cast<Index>(kept_.size());
  std::vector<char> fits(static_cast<std::size_t>(views * chunks), 1);
  const auto block_of = [&](Index v, Index c) -> Block& {
    return kept_[static_cast<std::size_t>(c)].views[static_cast<std::size_t>(v)].block;
  };
  for_blocks(compute, views * chunks, 1, true, [&](Index at, Index) {
    fits[static_cast<std::size_t>(at)] = fits_single(block_of(at / chunks, at % chunks)) ? 1 : 0;
  });
  for_blocks(compute, views * chunks, 1, true, [&](Index at, Index) {
    const auto first = fits.begin() + at / chunks * chunks;
    if (std::find(first, first + chunks, 0) != first + chunks) return;
    Block& block = block_of(at / chunks, at % chunks);
    block = narrowed(std::move(block));
  });
}

bool Reservoir::comes_before(Index a, Index b) const {
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  return std::pair(priorities_[i], numbers_[i]) < std::pair(priorities_[j], numbers_[j]);
}

std::vector<Index> Reservoir::in_order() const {
  std::vector<Index> order(numbers_.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return comes_before(a, b); });
  return order;
}

void Reservoir::shrink(Compute& compute) {
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
  keep_rows(keep, compute);
  bytes_ = sum;
}

// Neighbours that have become small grow together.
void Reservoir::keep_rows(const std::vector<bool>& keep, Compute& compute) {
  struct Group {
    std::size_t first;
    std::size_t last;
    std::size_t row;  // the first
  };
  std::vector<Group> groups;
  std::size_t row = 0;
  Index left = kChunkRows;  // rows of the last group that stay
  for (std::size_t c = 0; c < kept_.size(); ++c) {
    if (left >= kChunkRows) {
      groups.push_back({c, c, row});
      left = 0;
    }
    const auto begin = keep.begin() + static_cast<std::ptrdiff_t>(row);
    left += std::count(begin, begin + kept_[c].size(), true);
    row += static_cast<std::size_t>(kept_[c].size());
    groups.back().last = c + 1;
  }
  std::vector<Chunk> chunks(groups.size());
  for_blocks(compute, static_cast<Index>(groups.size()), 1, true, [&](Index at, Index) {
    auto [first, last, from] = groups[static_cast<std::size_t>(at)];
    Chunk& whole = chunks[static_cast<std::size_t>(at)];
    for (std::size_t c = first; c < last; ++c) {
      const auto begin = keep.begin() + static_cast<std::ptrdiff_t>(from);
      from += static_cast<std::size_t>(kept_[c].size());
      Chunk chunk = std::move(kept_[c]);
      keep_in_place(chunk, {begin, begin + chunk.size()});
      if (whole.views.empty()) {
        whole = std::move(chunk);
      } else {
        append_chunk(whole, chunk, schema_);
      }
    }
    trim(whole);
  });
  kept_ = std::move(chunks);
  keep_marked(numbers_, keep);
  keep_marked(priorities_, keep);
  keep_marked(sizes_, keep);
}

void Reservoir::keep(const std::vector<bool>& keep, Compute& compute) {
  keep_rows(keep, compute);
  bytes_ = std::accumulate(sizes_.begin(), sizes_.end(), 0.0);
}

std::vector<Chunk> Reservoir::pieces(Index rows, Compute& compute, Index most) const {
  std::vector<Index> order(numbers_.size());
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
  for_blocks(compute, kept, rows, true, [&](Index first, Index last) {
    pieces[static_cast<std::size_t>(first / rows)] =
        take_instances(kept_, {order.data() + first, static_cast<std::size_t>(last - first)});
  });
  return pieces;
}

}  // namespace omvc
