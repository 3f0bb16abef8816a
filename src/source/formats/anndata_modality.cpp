#include "source/formats/anndata_modality.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "omvc/error.hpp"

namespace omvc {
namespace {

// A dataset with the cache that it needs, or a group.
h5::Object open_entry(const h5::Group& group, const std::string& name) {
  if (group.has_dataset(name)) return group.dataset(name);
  return group.open(name);
}

h5::Object open_matrix(const h5::Group& group, const std::string& layer) {
  if (!layer.empty()) {
    if (group.has("layers/" + layer)) return open_entry(group, "layers/" + layer);
    const auto names = group.has_group("layers") ? group.group("layers").names() : std::vector<std::string>();
    throw Error(ErrorKind::data,
                fmt::format("{}: there is no layer '{}'; {}", group.where(), layer,
                            names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "))));
  }
  if (!group.has("X") || group.open("X").text_attribute("encoding-type") == "null") {
    throw Error(ErrorKind::data, fmt::format("{}: there is no X; name a layer (--layer)", group.where()));
  }
  return open_entry(group, "X");
}

h5::Dataset open_obsm(const h5::Group& group, const std::string& name) {
  const std::string path = "obsm/" + name;
  if (!group.has_dataset(path)) {
    const auto names = group.has_group("obsm") ? group.group("obsm").names() : std::vector<std::string>();
    throw Error(ErrorKind::usage,
                fmt::format("{}: obsm has no array '{}'; {}", group.where(), name,
                            names.empty() ? "it is empty" : fmt::format("it has {}", fmt::join(names, ", "))));
  }
  h5::Dataset entry = group.dataset(path);
  if (entry.shape().size() != 2 || entry.shape()[1] == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: a view is a matrix with columns", entry.where()));
  }
  return entry;
}

}  // namespace

Modality open_modality(const std::string& name, h5::Group group, const std::string& layer, const std::string& obsm,
                       ViewSchema& view) {
  Frame obs(group, "obs");
  if (!obsm.empty()) {
    h5::Dataset entry = open_obsm(group, obsm);
    const Index cols = entry.shape()[1];
    std::string where = entry.where();
    auto matrix = open_stored_matrix(std::move(entry), obs.rows(), cols);
    view = {name + ":" + obsm, cols, {}};
    return {name, std::move(group), std::move(obs), std::move(where), std::move(matrix), std::nullopt, {}};
  }
  const Frame var(group, "var");
  if (var.rows() == 0) throw Error(ErrorKind::data, fmt::format("{}: there are no features", group.where()));
  h5::Object object = open_matrix(group, layer);
  std::string where = object.where();
  auto matrix = open_stored_matrix(std::move(object), obs.rows(), var.rows());
  view = {name, var.rows(), var.index(0, var.rows())};
  return {name, std::move(group), std::move(obs), std::move(where), std::move(matrix), std::nullopt, {}};
}

std::vector<Index> Modality::read_map(Index first, Index count) const {
  if (stored_map) {
    std::vector<Index> map = stored_map->read<Index>(first, count);
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map[i] >= 0 && map[i] <= obs.rows()) continue;
      throw Error(ErrorKind::data, fmt::format("{}: instance {} is said to be row {} of {}; 0 is for absent ones",
                                               stored_map->where(), first + static_cast<Index>(i), map[i], obs.rows()));
    }
    return map;
  }
  if (!named_map.empty()) {
    return {named_map.begin() + first, named_map.begin() + first + count};
  }
  std::vector<Index> map(static_cast<std::size_t>(count));
  std::iota(map.begin(), map.end(), first + 1);
  return map;
}

void Modality::check_map(Index instances) const {
  std::vector<bool> taken(static_cast<std::size_t>(obs.rows()), false);
  for (Index first = 0; first < instances; first += kNamesAtOnce) {
    for (const Index row : read_map(first, std::min(kNamesAtOnce, instances - first))) {
      if (row == 0) continue;
      if (taken[static_cast<std::size_t>(row) - 1]) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: row {} is said to belong to two instances", stored_map->where(), row));
      }
      taken[static_cast<std::size_t>(row) - 1] = true;
    }
  }
}

ChunkView Modality::read_view(Index first, Index count) const {
  const std::vector<Index> map = read_map(first, count);
  std::vector<Index> rows;
  std::vector<Index> positions;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] == 0) continue;
    rows.push_back(map[i] - 1);
    positions.push_back(static_cast<Index>(i));
  }
  ChunkView view = read_instances(*matrix, rows, where);
  for (Index& present : view.present) present = positions[static_cast<std::size_t>(present)];
  return view;
}

}  // namespace omvc
