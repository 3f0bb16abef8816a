#include "run/row_ids.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "omvc/error.hpp"

namespace omvc {

void RowIds::add(const std::vector<Index>& rows, const std::vector<std::string>& ids) {
  for (std::size_t i = 0; i < rows.size() && i < ids.size(); ++i) ids_.insert_or_assign(ids_.end(), rows[i], ids[i]);
}

std::string RowIds::of(Index row) const {
  const auto found = ids_.find(row);
  return found == ids_.end() ? fmt::format("{}", row) : found->second;
}

std::vector<std::string> RowIds::texts(Index first, Index count) const {
  std::vector<std::string> out(static_cast<std::size_t>(count));
  for (auto at = ids_.lower_bound(first); at != ids_.end() && at->first < first + count; ++at) {
    const auto id = nlohmann::json::parse(at->second, nullptr, false);
    out[static_cast<std::size_t>(at->first - first)] = id.is_string() ? id.get<std::string>() : at->second;
  }
  return out;
}

void RowIds::follow(const Model& model, bool all) {
  constexpr std::size_t kSlack = 1024;
  const auto held = static_cast<std::size_t>(model.seen().reservoir().size() + model.seen().aside().size());
  if (!all && ids_.size() <= 2 * held + kSlack) return;
  std::map<Index, std::string> kept;
  const auto keep = [&](const std::vector<Chunk>& chunks) {
    for (const Chunk& chunk : chunks) {
      for (const Index row : chunk.rows) {
        if (auto node = ids_.extract(row); !node.empty()) kept.insert(std::move(node));
      }
    }
  };
  keep(model.seen().reservoir().chunks());
  keep(model.seen().aside().rows());
  ids_ = std::move(kept);
}

void RowIds::save(Archive& archive, const std::string& key) const {
  std::vector<Index> rows;
  std::vector<std::string> ids;
  for (const auto& [row, id] : ids_) {
    rows.push_back(row);
    ids.push_back(id);
  }
  archive.put(key + "/rows", std::move(rows));
  archive.put(key + "/ids", std::move(ids));
}

RowIds RowIds::load(const Archive& archive, const std::string& key) {
  RowIds out;
  if (!archive.has(key + "/rows")) return out;
  const std::vector<Index>& rows = archive.integers(key + "/rows");
  const std::vector<std::string> ids = archive.lines(key + "/ids");
  if (rows.size() != ids.size()) throw Error(ErrorKind::data, "the ids of the model's rows are incomplete");
  out.add(rows, ids);
  return out;
}

}  // namespace omvc
