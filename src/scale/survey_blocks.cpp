#include "scale/survey_blocks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"

namespace omvc {

SurveyBlocks::SurveyBlocks(const Schema& schema, bool totals, Index first)
    : schema_(schema), totals_(totals), next_(first), current_(schema, totals) {}

void SurveyBlocks::add(const Chunk& chunk, Workers& workers) {
  const Index room = kRows - next_ % kRows;
  if (chunk.size() <= room) {
    current_.add(chunk, workers);
    next_ += chunk.size();
    if (next_ % kRows == 0) close();
    return;
  }
  std::vector<Index> all(chunk.rows.size());
  std::iota(all.begin(), all.end(), Index{0});
  const std::span<const Index> positions(all);
  add(take_instances(chunk, positions.first(static_cast<std::size_t>(room))), workers);
  add(take_instances(chunk, positions.subspan(static_cast<std::size_t>(room))), workers);
}

void SurveyBlocks::close() { insert({0, (next_ - 1) / kRows}, std::exchange(current_, Survey(schema_, totals_))); }

// A node whose neighbour is there becomes one with it: what lies before comes first in the sum.
void SurveyBlocks::insert(Node node, Survey survey) {
  const auto neighbour = nodes_.find({node.first, node.second ^ 1});
  if (neighbour == nodes_.end()) {
    nodes_.insert_or_assign(node, std::move(survey));
    return;
  }
  Survey other = std::move(neighbour->second);
  nodes_.erase(neighbour);
  if (node.second % 2 == 1) std::swap(survey, other);
  survey.merge(other);
  insert({node.first + 1, node.second / 2}, std::move(survey));
}

void SurveyBlocks::merge(const SurveyBlocks& other) {
  if (next_ % kRows != 0) close();
  for (const auto& [node, survey] : other.nodes_) insert(node, survey);
  if (other.next_ % kRows != 0) insert({0, other.next_ / kRows}, other.current_);
  next_ = (std::max(next_, other.next_) + kRows - 1) / kRows * kRows;
}

Survey SurveyBlocks::sum() const {
  if (next_ % kRows != 0) {
    SurveyBlocks closed = *this;
    closed.close();
    closed.next_ = 0;
    return closed.sum();
  }
  std::map<Index, const Survey*> in_order;  // by the first block
  for (const auto& [node, survey] : nodes_) in_order.emplace(node.second << node.first, &survey);
  Survey sum(schema_, totals_);
  for (const auto& [first, survey] : in_order) sum.merge(*survey);
  return sum;
}

void SurveyBlocks::save(Archive& archive, const std::string& key) const {
  SurveyBlocks closed = *this;
  if (closed.next_ % kRows != 0) closed.close();
  std::vector<Index> nodes;
  for (const auto& [node, survey] : closed.nodes_) {
    put_survey(archive, fmt::format("{}/{}", key, nodes.size() / 2), survey);
    nodes.insert(nodes.end(), {node.first, node.second});
  }
  archive.put(key + "/nodes", nodes);
}

SurveyBlocks SurveyBlocks::load(const Archive& archive, const std::string& key, const Schema& schema, bool totals) {
  constexpr Index kMostLevels = 50;
  constexpr Index kMostBlocks = Index{1} << 48;  // times their rows: what an Index counts
  SurveyBlocks out(schema, totals);
  const std::vector<Index>& nodes = archive.integers(key + "/nodes");
  if (nodes.size() % 2 != 0) throw Error(ErrorKind::data, "a part of the survey is incomplete");
  for (std::size_t at = 0; at < nodes.size(); at += 2) {
    const Index level = nodes[at];
    const Index number = nodes[at + 1];
    if (level < 0 || level > kMostLevels || number < 0 || number > kMostBlocks >> level) {
      throw Error(ErrorKind::data, "a part of the survey is of blocks that cannot be");
    }
    out.nodes_.insert_or_assign({static_cast<int>(level), number},
                                get_survey(archive, fmt::format("{}/{}", key, at / 2), schema));
    out.next_ = std::max(out.next_, ((number + 1) << level) * kRows);
  }
  return out;
}

}  // namespace omvc
