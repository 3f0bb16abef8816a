#include "scale/survey_blocks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "file/stored_chunk.hpp"

namespace omvc {
namespace {

constexpr Index kMostLevels = 50;
constexpr Index kMostBlocks = Index{1} << 48;  // times their rows: what an Index counts

Chunk take_range(const Chunk& chunk, Index first, Index count) {
  std::vector<Index> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return take_instances(chunk, positions);
}

[[noreturn]] void twice() {
  throw Error(ErrorKind::data, "two parts of the data hold the same rows: give each part the place of its first row");
}

}  // namespace

SurveyBlocks::SurveyBlocks(const Schema& schema, bool totals, Index first)
    : schema_(schema), totals_(totals), next_(first), loose_(first % kRows != 0) {}

void SurveyBlocks::add(std::span<const Chunk* const> chunks, Compute& compute) {
  for (std::size_t at = 0; at < chunks.size();) {
    Index room = loose_ ? 0 : kRows - next_ % kRows;
    std::size_t end = at;
    while (end < chunks.size() && chunks[end]->size() <= room) room -= chunks[end++]->size();
    if (end > at) {
      add_within(chunks.subspan(at, end - at), compute);
    } else {
      add(*chunks[end++], compute);
    }
    at = end;
  }
}

void SurveyBlocks::add(const Chunk& chunk, Compute& compute) {
  for (Index at = 0; at < chunk.size();) {
    const Index count = std::min(chunk.size() - at, kRows - next_ % kRows);
    const Chunk part = count == chunk.size() ? Chunk() : take_range(chunk, at, count);
    const Chunk* const within = count == chunk.size() ? &chunk : &part;
    add_within({&within, 1}, compute);
    at += count;
  }
}

void SurveyBlocks::add_within(std::span<const Chunk* const> chunks, Compute& compute) {
  const Index block = next_ / kRows;
  if (loose_) {
    for (const Chunk* chunk : chunks) {
      rows_.emplace(next_, take_range(*chunk, 0, chunk->size()));  // what is lent may be gone when it is needed
      next_ += chunk->size();
    }
    loose_ = next_ % kRows != 0;
    return;
  }
  auto found = begun_.find(block);
  if (found == begun_.end()) found = begun_.emplace(block, Begun{Survey(schema_, totals_)}).first;
  Begun& begun = found->second;
  begun.survey.add(chunks, compute);
  for (const Chunk* chunk : chunks) {
    begun.rows += chunk->size();
    next_ += chunk->size();
  }
  go_on(block, compute);
}

// A block that was begun takes the rows that follow, where they are there, and is closed with its last one.
void SurveyBlocks::go_on(Index block, Compute& compute) {
  const auto found = begun_.find(block);
  if (found == begun_.end()) return;
  Begun& begun = found->second;
  for (auto rows = rows_.find(block * kRows + begun.rows); rows != rows_.end() && begun.rows < kRows;
       rows = rows_.find(block * kRows + begun.rows)) {
    begun.survey.add(rows->second, compute);
    begun.rows += rows->second.size();
    rows_.erase(rows);
  }
  if (begun.rows > kRows) twice();
  if (begun.rows < kRows) return;
  Survey survey = std::move(begun.survey);
  begun_.erase(found);
  insert({0, block}, std::move(survey));
}

// A node whose neighbour is there becomes one with it: what lies before comes first in the sum.
void SurveyBlocks::insert(Node node, Survey survey) {
  const auto neighbour = nodes_.find({node.first, node.second ^ 1});
  if (neighbour == nodes_.end()) {
    if (!nodes_.emplace(node, std::move(survey)).second) twice();
    return;
  }
  Survey other = std::move(neighbour->second);
  nodes_.erase(neighbour);
  if (node.second % 2 == 1) std::swap(survey, other);
  survey.merge(other);
  insert({node.first + 1, node.second / 2}, std::move(survey));
}

void SurveyBlocks::merge(const SurveyBlocks& other) {
  for (const auto& [node, survey] : other.nodes_) insert(node, survey);
  for (const auto& [block, begun] : other.begun_) {
    if (!begun_.emplace(block, begun).second) twice();
  }
  for (const auto& [place, rows] : other.rows_) {
    if (!rows_.emplace(place, rows).second) twice();
  }
  Compute alone;
  for (const SurveyBlocks* part : {static_cast<const SurveyBlocks*>(this), &other}) {
    std::vector<Index> blocks;
    for (const auto& [block, begun] : part->begun_) blocks.push_back(block);
    for (const Index block : blocks) go_on(block, alone);
  }
}

// All blocks, those that are not full included.
std::map<SurveyBlocks::Node, Survey> SurveyBlocks::closed() const {
  if (begun_.empty()) return nodes_;
  SurveyBlocks copy = *this;
  copy.begun_.clear();
  for (const auto& [block, begun] : begun_) copy.insert({0, block}, begun.survey);
  return copy.nodes_;
}

Survey SurveyBlocks::sum() const {
  const std::map<Node, Survey> nodes = closed();
  std::map<Index, const Survey*> in_order;  // by the first block
  for (const auto& [node, survey] : nodes) in_order.emplace(node.second << node.first, &survey);
  Survey sum(schema_, totals_);
  for (const auto& [first, survey] : in_order) sum.merge(*survey);
  return sum;
}

bool SurveyBlocks::gapless() const {
  const Index blocks = static_cast<Index>(begun_.size());
  std::map<Index, Index> full;  // first block, number of them
  Index end = 0;
  for (const auto& [node, survey] : nodes_) full.emplace(node.second << node.first, Index{1} << node.first);
  for (const auto& [first, count] : full) {
    if (first != end) return false;
    end += count;
  }
  return rows_.empty() && (blocks == 0 || (blocks == 1 && begun_.begin()->first == end));
}

void SurveyBlocks::save(Archive& archive, const std::string& key) const {
  std::vector<Index> nodes;
  for (const auto& [node, survey] : nodes_) {
    put_survey(archive, fmt::format("{}/{}", key, nodes.size() / 2), survey);
    nodes.insert(nodes.end(), {node.first, node.second});
  }
  archive.put(key + "/nodes", nodes);
  std::vector<Index> begun;
  for (const auto& [block, part] : begun_) {
    put_survey(archive, fmt::format("{}/begun{}", key, begun.size() / 2), part.survey);
    begun.insert(begun.end(), {block, part.rows});
  }
  archive.put(key + "/begun", begun);
  std::vector<Index> places;
  for (const auto& [place, rows] : rows_) {
    put_chunk(archive, fmt::format("{}/rows{}", key, places.size()), rows);
    places.push_back(place);
  }
  archive.put(key + "/rows", places);
}

SurveyBlocks SurveyBlocks::load(const Archive& archive, const std::string& key, const Schema& schema, bool totals) {
  SurveyBlocks out(schema, totals);
  const auto check = [](bool sound) {
    if (!sound) throw Error(ErrorKind::data, "a part of the survey is of blocks that cannot be");
  };
  const auto survey = [&](const std::string& name) {
    Survey found = get_survey(archive, name, schema);
    found.totals = totals;
    return found;
  };
  const std::vector<Index>& nodes = archive.integers(key + "/nodes");
  const std::vector<Index>& begun = archive.integers(key + "/begun");
  const std::vector<Index>& places = archive.integers(key + "/rows");
  if (nodes.size() % 2 != 0 || begun.size() % 2 != 0)
    throw Error(ErrorKind::data, "a part of the survey is incomplete");
  for (std::size_t at = 0; at < nodes.size(); at += 2) {
    const Index level = nodes[at];
    const Index number = nodes[at + 1];
    check(level >= 0 && level <= kMostLevels && number >= 0 && number <= kMostBlocks >> level);
    out.nodes_.insert_or_assign({static_cast<int>(level), number}, survey(fmt::format("{}/{}", key, at / 2)));
  }
  for (std::size_t at = 0; at < begun.size(); at += 2) {
    const Index rows = begun[at + 1];
    check(begun[at] >= 0 && begun[at] <= kMostBlocks && rows > 0 && rows < kRows);
    out.begun_.insert_or_assign(begun[at], Begun{survey(fmt::format("{}/begun{}", key, at / 2)), rows});
  }
  for (std::size_t at = 0; at < places.size(); ++at) {
    Chunk rows = get_chunk(archive, fmt::format("{}/rows{}", key, at), schema);
    check(places[at] > 0 && places[at] / kRows <= kMostBlocks && rows.size() > 0 &&
          places[at] % kRows + rows.size() <= kRows);
    out.rows_.insert_or_assign(places[at], std::move(rows));
  }
  return out;
}

}  // namespace omvc
