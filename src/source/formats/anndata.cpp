#include "source/formats/anndata.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_map>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "hdf5/file.hpp"
#include "source/formats/anndata_modality.hpp"
#include "source/table/label_words.hpp"
#include "source/two_steps.hpp"

namespace omvc {
namespace {

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

  std::optional<Chunk> next(Index max_rows) override { return read_at_once(*this, max_rows); }

  Delivery begin_next(Index max_rows) override {
    return deliver_range(next_, size_, max_rows, modalities_.size(), [this](std::size_t v, Index first, Index count) {
      return modalities_[v].read_view(first, count);
    });
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

  void skip(Index rows) override { next_ += std::min(rows, size_ - next_); }

  std::vector<int> labels(const std::string& column, std::vector<std::string>& names);

 private:
  using Stamp = std::pair<std::uintmax_t, std::filesystem::file_time_type>;
  static Stamp stamp(const std::string& path) {
    std::error_code size_error;
    std::error_code time_error;
    return {std::filesystem::file_size(path, size_error), std::filesystem::last_write_time(path, time_error)};
  }

  void open_mudata(const h5::Group& root, const InputOptions& options);
  // The view is X or a layer or, if it is named, an entry of obsm.
  void add_modality(const std::string& name, h5::Group group, const InputOptions& options, const std::string& obsm) {
    modalities_.push_back(open_modality(name, std::move(group), options.layer, obsm, schema_.views.emplace_back()));
  }
  void choose_modalities(const h5::Group& mod, const std::vector<std::string>& names, const InputOptions& options);
  void join_by_name(bool with_obs);
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
    modality.check_map(size_);
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
    const std::vector<Index> map = modality.read_map(0, size_);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].empty() && map[i] > 0) words[i] = stored[static_cast<std::size_t>(map[i] - 1)];
    }
  }
  if (!found) fail_column(column);
  return words;
}

std::vector<int> H5Source::labels(const std::string& column, std::vector<std::string>& names) {
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
  names = labels.names();
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
  Input input;
  if (!options.label_column.empty()) input.truth = source->labels(options.label_column, input.class_names);
  input.source = std::move(source);
  return input;
}

}  // namespace omvc
