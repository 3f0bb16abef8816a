#include "source/formats/anndata.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <unordered_map>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "hdf5/file.hpp"
#include "source/formats/anndata_frame.hpp"
#include "source/formats/anndata_matrix.hpp"
#include "source/max_rows.hpp"
#include "source/table/label_words.hpp"

namespace omvc {
namespace {

constexpr Index kNamesAtOnce = 1 << 16;

struct Modality {
  std::string name;
  h5::Group group;
  Frame obs;
  std::string where;  // file and matrix, for messages
  std::unique_ptr<StoredMatrix> matrix;
  // Which row each instance is, from 1; 0: absent. In the file, in memory, or (neither) every instance in order.
  std::optional<h5::Dataset> stored_map;
  std::vector<Index> named_map;
};

// Calls f(first, names) for the index, some names at a time.
template <class F>
void for_names(const Frame& frame, const F& f) {
  for (Index first = 0; first < frame.rows(); first += kNamesAtOnce) {
    f(first, frame.index(first, std::min(kNamesAtOnce, frame.rows() - first)));
  }
}

h5::Object open_matrix(const h5::Group& group, const std::string& layer) {
  if (!layer.empty()) {
    if (group.has("layers/" + layer)) return group.open("layers/" + layer);
    const auto names = group.has_group("layers") ? group.group("layers").names() : std::vector<std::string>();
    throw Error(ErrorKind::data,
                fmt::format("{}: there is no layer '{}'; {}", group.where(), layer,
                            names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "))));
  }
  if (!group.has("X") || group.open("X").text_attribute("encoding-type") == "null") {
    throw Error(ErrorKind::data, fmt::format("{}: there is no X; name a layer (--layer)", group.where()));
  }
  return group.open("X");
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

class H5Source final : public Source {
 public:
  H5Source(const std::string& path, const InputOptions& options) : file_(h5::File::open(path)), changed_(stamp(path)) {
    const h5::Group root = file_.root();
    if (root.has_group("mod")) {
      open_mudata(root, options);
    } else {
      const std::string name = std::filesystem::path(path).stem().string();
      for (const std::string& view : options.views) {
        const std::string entry = view.starts_with(name + ":") ? view.substr(name.size() + 1) : view;
        add_modality(name, file_.root(), options, entry == "X" || entry == name ? "" : entry);
      }
      if (options.views.empty()) add_modality(name, file_.root(), options, "");
      obs_.emplace(root, "obs");
      size_ = obs_->rows();
    }
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return size_; }

  std::vector<std::string> ids(Index first, Index count) override {
    if (first < 0 || count < 0 || first > size_ || count > size_ - first) {
      throw Error(ErrorKind::usage, fmt::format("{}: there are {} sample ids, and {} from {} on were asked for",
                                                file_.path(), size_, count, first));
    }
    if (obs_) return obs_->index(first, count);
    return {names_.begin() + first, names_.begin() + first + count};
  }

  std::optional<Chunk> next(Index max_rows) override {
    check_max_rows(max_rows);
    const Index count = std::min(max_rows, size_ - next_);
    if (count == 0) return std::nullopt;
    Chunk chunk;
    chunk.rows.resize(static_cast<std::size_t>(count));
    std::iota(chunk.rows.begin(), chunk.rows.end(), next_);
    for (Modality& modality : modalities_) chunk.views.push_back(read_view(modality, next_, count));
    next_ += count;
    return chunk;
  }

  bool rewind() override {
    if (stamp(file_.path()) != changed_) {
      throw Error(ErrorKind::io, fmt::format("{}: the file changed while it was being read; start again when nothing "
                                             "writes to it",
                                             file_.path()));
    }
    next_ = 0;
    return true;
  }

  std::vector<int> labels(const std::string& column);

 private:
  using Stamp = std::pair<std::uintmax_t, std::filesystem::file_time_type>;
  static Stamp stamp(const std::string& path) {
    std::error_code size_error;
    std::error_code time_error;
    return {std::filesystem::file_size(path, size_error), std::filesystem::last_write_time(path, time_error)};
  }

  void open_mudata(const h5::Group& root, const InputOptions& options);
  // The view is X or a layer or, if it is named, an entry of obsm.
  void add_modality(const std::string& name, h5::Group group, const InputOptions& options, const std::string& obsm);
  void choose_modalities(const h5::Group& mod, const std::vector<std::string>& names, const InputOptions& options);
  void check_map(const Modality& modality) const;
  void join_by_name(bool with_obs);
  ChunkView read_view(Modality& modality, Index first, Index count);
  std::vector<Index> read_map(const Modality& modality, Index first, Index count) const;
  std::vector<std::string> modality_labels(const std::string& column);
  [[noreturn]] void fail_column(const std::string& column) const;

  h5::File file_;
  Stamp changed_;
  Schema schema_;
  std::vector<Modality> modalities_;
  std::optional<Frame> obs_;        // that of the whole file, where it names the instances
  std::vector<std::string> names_;  // else the instances' names
  Index size_ = 0;
  Index next_ = 0;
};

void H5Source::add_modality(const std::string& name, h5::Group group, const InputOptions& options,
                            const std::string& obsm) {
  Frame obs(group, "obs");
  if (!obsm.empty()) {
    h5::Dataset entry = open_obsm(group, obsm);
    const Index cols = entry.shape()[1];
    std::string where = entry.where();
    auto matrix = open_stored_matrix(std::move(entry), obs.rows(), cols);
    schema_.views.push_back({name + ":" + obsm, cols, {}});
    modalities_.push_back(
        {name, std::move(group), std::move(obs), std::move(where), std::move(matrix), std::nullopt, {}});
    return;
  }
  const Frame var(group, "var");
  if (var.rows() == 0) throw Error(ErrorKind::data, fmt::format("{}: there are no features", group.where()));
  h5::Object object = open_matrix(group, options.layer);
  std::string where = object.where();
  auto matrix = open_stored_matrix(std::move(object), obs.rows(), var.rows());
  schema_.views.push_back({name, var.rows(), var.index(0, var.rows())});
  modalities_.push_back(
      {name, std::move(group), std::move(obs), std::move(where), std::move(matrix), std::nullopt, {}});
}

void H5Source::choose_modalities(const h5::Group& mod, const std::vector<std::string>& names,
                                 const InputOptions& options) {
  for (const std::string& view : options.views.empty() ? names : options.views) {
    const std::size_t colon = std::min(view.find(':'), view.size());
    const std::string name = view.substr(0, colon);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: there is no modality '{}'; it has {}", file_.path(), name, fmt::join(names, ", ")));
    }
    const std::string entry = colon < view.size() ? view.substr(colon + 1) : "";
    add_modality(name, mod.group(name), options, entry == "X" ? "" : entry);
  }
}

void H5Source::open_mudata(const h5::Group& root, const InputOptions& options) {
  const auto axis = root.integer_attribute("axis");
  if (axis.size() == 1 && axis[0] == 1) {
    throw Error(ErrorKind::data, fmt::format("{}: the modalities share features, not samples (axis = 1), so they are "
                                             "not views of the same instances",
                                             file_.path()));
  }
  const h5::Group mod = root.group("mod");
  std::vector<std::string> names = mod.text_list_attribute("mod-order");
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != mod.names()) names = mod.names();
  if (names.empty()) throw Error(ErrorKind::data, fmt::format("{}: there are no modalities", file_.path()));
  choose_modalities(mod, names, options);

  const bool with_obs = root.has_group("obs");
  const bool mapped = with_obs && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
                        return root.has_dataset("obsmap/" + name);
                      });
  if (with_obs) obs_.emplace(root, "obs");
  if (!mapped) return join_by_name(with_obs);
  size_ = obs_->rows();
  for (Modality& modality : modalities_) {
    h5::Dataset map = root.dataset("obsmap/" + modality.name);
    if (map.elements() != h5::Elements::integer || map.shape() != std::vector<Index>{size_}) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: expected {} whole numbers, one for each name in obs", map.where(), size_));
    }
    modality.stored_map = std::move(map);
    check_map(modality);
  }
}

// A row belongs to one instance at most, however far apart in the stream they are.
void H5Source::check_map(const Modality& modality) const {
  std::vector<bool> taken(static_cast<std::size_t>(modality.obs.rows()), false);
  for (Index first = 0; first < size_; first += kNamesAtOnce) {
    for (const Index row : read_map(modality, first, std::min(kNamesAtOnce, size_ - first))) {
      if (row == 0) continue;
      if (taken[static_cast<std::size_t>(row) - 1]) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: row {} is said to belong to two instances", modality.stored_map->where(), row));
      }
      taken[static_cast<std::size_t>(row) - 1] = true;
    }
  }
}

// The instances are the names of obs, then those that modalities add, in their order.
void H5Source::join_by_name(bool with_obs) {
  std::unordered_map<std::string, Index> numbers;
  if (with_obs) {
    for_names(*obs_, [&](Index first, const std::vector<std::string>& names) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (numbers.try_emplace(names[i], static_cast<Index>(names_.size())).second) {
          names_.push_back(names[i]);
          continue;
        }
        throw Error(ErrorKind::data, fmt::format("{}: obs names '{}' twice (again in row {}), and there is no obsmap "
                                                 "to tell them apart",
                                                 file_.path(), names[i], first + static_cast<Index>(i)));
      }
    });
    obs_.reset();
  }
  for (Modality& modality : modalities_) {
    for_names(modality.obs, [&](Index first, const std::vector<std::string>& names) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto [place, added] = numbers.try_emplace(names[i], static_cast<Index>(names_.size()));
        if (added) names_.push_back(names[i]);
        modality.named_map.resize(std::max(modality.named_map.size(), names_.size()), 0);
        Index& row = modality.named_map[static_cast<std::size_t>(place->second)];
        if (row != 0) {
          throw Error(ErrorKind::data,
                      fmt::format("{}: obs names '{}' twice, in rows {} and {}; make names unique",
                                  modality.group.where(), names[i], row - 1, first + static_cast<Index>(i)));
        }
        row = first + static_cast<Index>(i) + 1;
      }
    });
  }
  for (Modality& modality : modalities_) modality.named_map.resize(names_.size(), 0);
  size_ = static_cast<Index>(names_.size());
}

// Of instances [first, first + count).
std::vector<Index> H5Source::read_map(const Modality& modality, Index first, Index count) const {
  if (modality.stored_map) {
    std::vector<Index> map = modality.stored_map->read<Index>(first, count);
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map[i] >= 0 && map[i] <= modality.obs.rows()) continue;
      throw Error(ErrorKind::data, fmt::format("{}: instance {} is said to be row {} of {}; 0 is for absent ones",
                                               modality.stored_map->where(), first + static_cast<Index>(i), map[i],
                                               modality.obs.rows()));
    }
    return map;
  }
  if (!modality.named_map.empty()) {
    return {modality.named_map.begin() + first, modality.named_map.begin() + first + count};
  }
  std::vector<Index> map(static_cast<std::size_t>(count));
  std::iota(map.begin(), map.end(), first + 1);
  return map;
}

ChunkView H5Source::read_view(Modality& modality, Index first, Index count) {
  const std::vector<Index> map = read_map(modality, first, count);
  std::vector<Index> rows;
  std::vector<Index> positions;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] == 0) continue;
    rows.push_back(map[i] - 1);
    positions.push_back(static_cast<Index>(i));
  }
  ChunkView view = read_instances(*modality.matrix, rows, modality.where);
  for (Index& present : view.present) present = positions[static_cast<std::size_t>(present)];
  return view;
}

void H5Source::fail_column(const std::string& column) const {
  std::string known;
  if (obs_) known = fmt::format("{}", fmt::join(obs_->columns(), ", "));
  for (const Modality& modality : modalities_) {
    if (modalities_.size() == 1 && obs_ && modality.group.name() == "/") break;
    for (const std::string& name : modality.obs.columns()) {
      known += fmt::format("{}{}:{}", known.empty() ? "" : ", ", modality.name, name);
    }
  }
  throw Error(ErrorKind::usage, fmt::format("{}: obs has no column '{}'; {}", file_.path(), column,
                                            known.empty() ? "it has none at all" : "there are " + known));
}

// A column of the modalities as words of all instances: what the first modality that knows it says.
std::vector<std::string> H5Source::modality_labels(const std::string& column) {
  std::vector<std::string> words(static_cast<std::size_t>(size_));
  bool found = false;
  for (const Modality& modality : modalities_) {
    const bool named = column.starts_with(modality.name + ":");
    const std::string name = named ? column.substr(modality.name.size() + 1) : column;
    if (!modality.obs.has(name)) continue;
    found = true;
    const std::vector<std::string> stored = modality.obs.column(name).words(0, modality.obs.rows());
    const std::vector<Index> map = read_map(modality, 0, size_);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].empty() && map[i] > 0) words[i] = stored[static_cast<std::size_t>(map[i] - 1)];
    }
  }
  if (!found) fail_column(column);
  return words;
}

std::vector<int> H5Source::labels(const std::string& column) {
  LabelWords labels;
  std::vector<bool> known;
  const auto add = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      known.push_back(!word.empty());
      if (known.back()) labels.add(word);
    }
  };
  if (obs_ && obs_->has(column)) {
    const FrameColumn stored = obs_->column(column);
    for (Index first = 0; first < size_; first += kNamesAtOnce) {
      add(stored.words(first, std::min(kNamesAtOnce, size_ - first)));
    }
  } else {
    add(modality_labels(column));
  }
  const std::vector<int> found = labels.labels();
  if (found.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: column '{}' has no label for any instance", file_.path(), column));
  }
  std::vector<int> truth;
  for (std::size_t i = 0, next = 0; i < known.size(); ++i) truth.push_back(known[i] ? found[next++] : kNoClass);
  return truth;
}

}  // namespace

Input open_h5(const std::string& path, const InputOptions& options) {
  auto source = std::make_unique<H5Source>(path, options);
  std::optional<std::vector<int>> truth;
  if (!options.label_column.empty()) truth = source->labels(options.label_column);
  return {std::move(source), std::move(truth), {}};
}

}  // namespace omvc
