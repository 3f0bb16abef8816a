#include "model/set_aside.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "file/stored_chunk.hpp"

namespace omvc {
namespace {

constexpr std::size_t kMost = 200;  // rows that are kept
constexpr double kMuchFarther = 10;

// Whether rows that came at these times, the last of them just now, are many: there are so many within a time of which
// they are the share that is asked for.
bool are_many(const std::vector<double>& came, double now, const Recipe& recipe) {
  for (std::size_t first = 0; first < came.size(); ++first) {
    const auto count = static_cast<double>(came.size() - first);
    if (count >= std::max(recipe.strangers, recipe.stranger_share * (now - came[first]))) return true;
  }
  return false;
}

}  // namespace

// Where most rows of late lie outside, the world has changed, and they are what is usual from now on; but not those
// that lie much farther out than most of them.
void SetAside::free_most(const std::vector<double>& reach, double clock, const Recipe& recipe,
                         std::vector<bool>& free) {
  if (late_ < recipe.changed_share * (clock - late_since_)) late_ = 0;
  if (late_ < static_cast<double>(recipe.changed_rows) || rows_.empty()) return;
  late_ = 0;
  std::vector<double> order = reach;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2), order.end());
  const double middle = order[order.size() / 2];
  for (std::size_t i = 0; i < reach.size(); ++i) free[i] = free[i] || reach[i] <= kMuchFarther * middle;
}

void SetAside::add(const Chunk& rows, double clock, double bytes) {
  if (late_ == 0) late_since_ = clock;
  late_ += static_cast<double>(rows.size());
  for (Index i = 0; i < rows.size(); ++i) {
    Chunk row = take_instances(rows, std::vector<Index>{i});
    for (ChunkView& view : row.views) view.block = widened(std::move(view.block));
    rows_.push_back(std::move(row));
    came_.push_back(clock);
    ever_ += 1;
  }
  double sum = 0;
  std::size_t kept = 0;
  while (kept < std::min(kMost, rows_.size())) {
    sum += bytes_of(rows_[rows_.size() - 1 - kept]);
    if (kept > 0 && sum > bytes) break;
    ++kept;
  }
  rows_.erase(rows_.begin(), rows_.end() - static_cast<std::ptrdiff_t>(kept));
  came_.erase(came_.begin(), came_.end() - static_cast<std::ptrdiff_t>(kept));
}

Chunk SetAside::release(const Ranges& ranges, double clock, const Recipe& recipe, const Schema& schema) {
  std::vector<Ranges::Excess> excess;
  std::vector<bool> free;
  std::vector<double> reach;
  for (const Chunk& row : rows_) {
    reach.push_back(ranges.outside(row)[0].reach);
    free.push_back(!(reach.back() > 1));
    excess.push_back(ranges.excess(row, 0));
  }
  free_most(reach, clock, recipe, free);
  const bool may_be_many = static_cast<double>(rows_.size()) >= recipe.strangers;
  for (std::size_t i = 0; may_be_many && i < rows_.size(); ++i) {
    if (free[i]) continue;
    std::vector<std::size_t> group;
    std::vector<double> came;
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      if (!agree(excess[i], excess[j])) continue;
      group.push_back(j);
      came.push_back(came_[j]);
    }
    if (!are_many(came, clock, recipe)) continue;
    for (const std::size_t j : group) free[j] = true;
  }
  Chunk out;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (free[i]) {
      ever_ -= 1;
      if (out.views.empty()) {
        out = std::move(rows_[i]);
      } else {
        append_chunk(out, rows_[i], schema);
      }
    } else if (kept++ != i) {
      rows_[kept - 1] = std::move(rows_[i]);
      came_[kept - 1] = came_[i];
    }
  }
  rows_.resize(kept);
  came_.resize(kept);
  return out;
}

void SetAside::widen(const Schema& wider) {
  for (Chunk& row : rows_) {
    for (std::size_t v = 0; v < wider.views.size(); ++v) {
      if (v == row.views.size()) row.views.push_back({DenseBlock<double>{}, {}});
      std::visit([&](auto& block) { block.cols = wider.views[v].features; }, row.views[v].block);
    }
  }
}

void SetAside::narrow(const Schema& schema) {
  for (Chunk& row : rows_) drop_features(row, schema);
}

void SetAside::save(Archive& archive, const std::string& key) const {
  std::vector<double> numbers{ever_};
  numbers.insert(numbers.end(), came_.begin(), came_.end());
  archive.put(key + "/came", numbers);
  archive.put(key + "/late", std::vector<double>{late_, late_since_});
  for (std::size_t i = 0; i < rows_.size(); ++i) put_chunk(archive, key + "/" + std::to_string(i), rows_[i]);
}

SetAside SetAside::load(const Archive& archive, const std::string& key, const Schema& schema) {
  SetAside out;
  if (!archive.has(key + "/came")) return out;
  const std::vector<double>& numbers = archive.numbers(key + "/came", kCount);
  if (numbers.empty() || numbers.size() > kMost + 1) {
    throw Error(ErrorKind::data, "what the model says of rows that it set aside makes no sense");
  }
  out.ever_ = numbers[0];
  if (archive.has(key + "/late")) {
    const std::vector<double>& late = archive.numbers(key + "/late", kCount);
    if (late.size() != 2) throw Error(ErrorKind::data, "what the model says of rows of late makes no sense");
    out.late_ = late[0];
    out.late_since_ = late[1];
  }
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    Chunk row = get_chunk(archive, key + "/" + std::to_string(i - 1), schema);
    if (row.size() != 1) throw Error(ErrorKind::data, "a row that the model set aside is not one");
    check_magnitudes(row, schema);
    for (ChunkView& view : row.views) view.block = widened(std::move(view.block));
    out.rows_.push_back(std::move(row));
    out.came_.push_back(numbers[i]);
  }
  return out;
}

}  // namespace omvc
