#include "scale/intake.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"

namespace omvc {

std::vector<Intake::Kind> kinds_of(const Survey& survey) {
  std::vector<Intake::Kind> kinds;
  for (const ViewSurvey& view : survey.views) {
    kinds.push_back(!(view.observed > 0) ? Intake::Kind::unseen
                    : view.sparse        ? Intake::Kind::sparse
                                         : Intake::Kind::dense);
  }
  return kinds;
}

void put_kinds(Archive& archive, const std::string& key, const std::vector<Intake::Kind>& kinds) {
  std::vector<Index> numbers;
  for (const Intake::Kind kind : kinds) numbers.push_back(static_cast<Index>(kind));
  archive.put(key, std::move(numbers));
}

std::vector<Intake::Kind> get_kinds(const Archive& archive, const std::string& key, std::size_t views) {
  if (!archive.has(key)) return std::vector<Intake::Kind>(views, Intake::Kind::unseen);
  const std::vector<Index>& numbers = archive.integers(key);
  const auto is_kind = [](Index number) { return number >= 0 && number <= static_cast<Index>(Intake::Kind::sparse); };
  if (numbers.size() != views || !std::all_of(numbers.begin(), numbers.end(), is_kind)) {
    throw Error(ErrorKind::data, fmt::format("'{}' does not say how {} views are stored", key, views));
  }
  std::vector<Intake::Kind> kinds;
  for (const Index number : numbers) kinds.push_back(static_cast<Intake::Kind>(number));
  return kinds;
}

void Intake::check(const Chunk& chunk, const Schema& schema) {
  check_chunk(chunk, schema);
  check_magnitudes(chunk, schema);
}

void Intake::match(Chunk& chunk) const {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    Block& block = chunk.views[v].block;
    if (kinds_[v] == Kind::unseen || is_sparse(block) == (kinds_[v] == Kind::sparse)) continue;
    block = kinds_[v] == Kind::sparse ? as_sparse(std::move(block)) : as_dense(std::move(block));
  }
}

std::vector<Index> Intake::prepare(Chunk& chunk) const {
  drop_features(chunk, schema_);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (scaling_[v].known) continue;
    chunk.views[v] = keep_instances(std::move(chunk.views[v]), std::vector<bool>(chunk.rows.size(), false));
  }
  std::vector<Index> clipped = apply_scaling(scaling_, schema_, chunk);
  clamp_to_narrow(chunk);
  return clipped;
}

}  // namespace omvc
