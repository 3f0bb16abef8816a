#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <numeric>
#include <optional>

#include "omvc/convert.hpp"
#include "omvc/error.hpp"

#include "file/descriptor.hpp"
#include "file/pending_file.hpp"
#include "hdf5/file.hpp"
#include "sink/anndata_parts.hpp"
#include "sink/growing_matrix.hpp"

namespace omvc {
namespace {

constexpr Index kUserBlock = 512;  // of MuData files: text that names the format
constexpr std::string_view kUserText = "MuData (format-version=0.1.0;creator=omvc)";
constexpr Index kNamesAtOnce = 1 << 14;
constexpr Index kValuesAtOnce = 1 << 23;  // of a chunk, were all its views dense
constexpr Index kFewestRows = 64;
constexpr Index kMostRows = 8192;

std::vector<std::string> feature_names(const ViewSchema& view) {
  return view.feature_names.empty() ? number_names(0, view.features) : view.feature_names;
}

// A view and its place in the file.
struct Modality {
  h5::Group group;
  std::optional<GrowingMatrix> matrix;
  std::optional<h5::Dataset> map;      // obsmap: row of each instance, from 1; 0: absent
  std::optional<h5::Dataset> present;  // obsm: the same as flags
  Index rows = 0;
};

class Writer {
 public:
  Writer(Source& source, const std::string& path, const ConvertOptions& options)
      : source_(source),
        options_(options),
        pending_(path),
        single_(source.schema().views.size() == 1 && std::filesystem::path(path).extension() == ".h5ad"),
        file_(h5::File::create(pending_.descriptor(), path, single_ ? 0 : kUserBlock)),
        root_(file_.root()) {
    Index features = 1;
    for (const ViewSchema& view : source.schema().views) features += view.features;
    rows_at_once_ = std::clamp(kValuesAtOnce / features, kFewestRows, kMostRows);
  }

  Index run() {
    while (const auto chunk = source_.next(rows_at_once_)) {
      check_chunk(*chunk, source_.schema());
      if (size_ == 0) create(*chunk);
      add(*chunk);
      if (options_.progress && !options_.progress(size_)) {
        throw Error(ErrorKind::interrupted,
                    fmt::format("interrupted after {} instances: {} was not written", size_, pending_.path()));
      }
    }
    if (size_ == 0) {
      throw Error(ErrorKind::data, fmt::format("there are no instances, so {} was not written", pending_.path()));
    }
    finish();
    return size_;
  }

 private:
  void create(const Chunk& first);
  void add(const Chunk& chunk);
  void add_rows(const std::vector<Index>& rows);
  void add_presence(Modality& modality, const std::vector<Index>& present, Index instances);
  void finish();
  void write_names();
  void write_var(h5::Group& owner, const std::vector<std::string>& names);
  void write_all_var();
  void close();

  Source& source_;
  const ConvertOptions& options_;
  PendingFile pending_;
  bool single_;  // AnnData: the only view lies at the root
  h5::File file_;
  h5::Group root_;
  std::vector<Modality> modalities_;
  std::optional<h5::Group> obs_;
  std::optional<h5::Dataset> labels_;
  std::optional<h5::Dataset> row_numbers_;  // once they are not 0, 1, 2, ...
  Index rows_at_once_ = 0;
  Index expected_ = 0;  // instances, where known
  Index size_ = 0;
};

void Writer::create(const Chunk& first) {
  expected_ = source_.size().value_or(first.size() < rows_at_once_ ? first.size() : 0);
  const auto& views = source_.schema().views;
  if (single_) {
    set_encoding(root_, "anndata", "0.1.0");
    modalities_.push_back({file_.root(), std::nullopt, std::nullopt, std::nullopt, 0});
  } else {
    set_encoding(root_, "MuData", "0.1.0");
    root_.set_attribute("encoder", "omvc");
    root_.set_attribute("encoder-version", "0.1");
    root_.set_attribute("axis", std::vector<Index>{0});
    h5::Group mod = root_.create_group("mod");
    h5::Group map = dictionary(root_, "obsmap");
    h5::Group flags = dictionary(root_, "obsm");
    std::vector<std::string> names;
    for (const ViewSchema& view : views) {
      names.push_back(view.name);
      // A slash would make a folder of the name.
      std::replace(names.back().begin(), names.back().end(), '/', '_');
      const std::string& name = names.back();
      if (mod.has(name)) throw Error(ErrorKind::data, fmt::format("two views are called '{}'", name));
      h5::Group group = mod.create_group(name);
      set_encoding(group, "anndata", "0.1.0");
      modalities_.push_back({std::move(group), std::nullopt, array(map, name, h5::Store::uint32, {}, expected_),
                             array(flags, name, h5::Store::boolean, {.cols = 1}, expected_), 0});
    }
    mod.set_attribute("mod-order", names);
  }
  obs_ = make_table(root_, "obs");
  if (options_.label) labels_ = array(*obs_, options_.label_column, h5::Store::int64, {}, expected_);
  for (std::size_t v = 0; v < views.size(); ++v) {
    modalities_[v].matrix.emplace(modalities_[v].group, first.views[v].block, first.size(), expected_,
                                  options_.compression);
  }
}

void Writer::add_rows(const std::vector<Index>& rows) {
  bool in_order = !row_numbers_;
  for (std::size_t i = 0; i < rows.size() && in_order; ++i) in_order = rows[i] == size_ + static_cast<Index>(i);
  if (in_order) return;
  if (!row_numbers_) {
    row_numbers_ = array(*obs_, "row", h5::Store::int64, {}, expected_);
    std::vector<Index> so_far;
    for (Index first = 0; first < size_; first += kNamesAtOnce) {
      so_far.resize(static_cast<std::size_t>(std::min(kNamesAtOnce, size_ - first)));
      std::iota(so_far.begin(), so_far.end(), first);
      row_numbers_->append(so_far.data(), static_cast<Index>(so_far.size()));
    }
  }
  row_numbers_->append(rows.data(), static_cast<Index>(rows.size()));
}

void Writer::add_presence(Modality& modality, const std::vector<Index>& present, Index instances) {
  std::vector<std::uint32_t> map(static_cast<std::size_t>(instances), 0);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(instances), 0);
  for (const Index position : present) {
    if (modality.rows == std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorKind::data, fmt::format("{}: MuData can have at most {} rows", pending_.path(), modality.rows));
    }
    map[static_cast<std::size_t>(position)] = static_cast<std::uint32_t>(++modality.rows);
    flags[static_cast<std::size_t>(position)] = 1;
  }
  modality.map->append(map.data(), instances);
  modality.present->append_flags(flags);
}

void Writer::add(const Chunk& chunk) {
  add_rows(chunk.rows);
  if (labels_) {
    std::vector<Index> labels;
    for (const Index row : chunk.rows) labels.push_back(options_.label(row));
    labels_->append(labels.data(), chunk.size());
  }
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const ChunkView& view = chunk.views[v];
    const std::string where = fmt::format("view '{}'", source_.schema().views[v].name);
    if (!single_) {
      modalities_[v].matrix->append(view.block, where);
      add_presence(modalities_[v], view.present, chunk.size());
    } else if (static_cast<Index>(view.present.size()) == chunk.size()) {
      modalities_[v].matrix->append(view.block, where);
    } else {
      modalities_[v].matrix->append(with_absent(view, chunk.size()), where);
    }
  }
  size_ += chunk.size();
}

// Some sources know the names only when they have been read to the end.
void Writer::write_names() {
  h5::Dataset all = text_array(*obs_, "_index", expected_);
  std::vector<h5::Group> tables;
  std::vector<h5::Dataset> indexes;
  for (Modality& modality : modalities_) {
    if (single_) break;
    tables.push_back(make_table(modality.group, "obs"));
    indexes.push_back(text_array(tables.back(), "_index", modality.rows));
    finish_table(tables.back(), {});
  }
  for (Index first = 0; first < size_; first += kNamesAtOnce) {
    const Index count = std::min(kNamesAtOnce, size_ - first);
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), first);
    if (row_numbers_) rows = row_numbers_->read<Index>(first, count);
    const std::vector<std::string> names = instance_names(source_, rows);
    all.append_text(names);
    for (std::size_t v = 0; v < indexes.size(); ++v) {
      const auto map = modalities_[v].map->read<std::uint32_t>(first, count);
      std::vector<std::string> present;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (map[i] != 0) present.push_back(names[i]);
      }
      indexes[v].append_text(present);
    }
  }
}

void Writer::write_var(h5::Group& owner, const std::vector<std::string>& names) {
  h5::Group table = make_table(owner, "var");
  text_array(table, "_index", static_cast<Index>(names.size())).append_text(names);
  finish_table(table, {});
}

// The features of all views one after the other, and which of them are whose.
void Writer::write_all_var() {
  std::vector<std::string> names;
  const auto& views = source_.schema().views;
  for (const ViewSchema& view : views) {
    const std::vector<std::string> own = feature_names(view);
    names.insert(names.end(), own.begin(), own.end());
  }
  write_var(root_, names);
  const auto total = static_cast<Index>(names.size());
  h5::Group map = dictionary(root_, "varmap");
  h5::Group flags = dictionary(root_, "varm");
  const std::vector<std::string> order = root_.group("mod").text_list_attribute("mod-order");
  Index before = 0;
  for (std::size_t v = 0; v < views.size(); ++v) {
    std::vector<std::uint32_t> places(names.size(), 0);
    std::vector<std::uint8_t> own(names.size(), 0);
    std::iota(places.begin() + before, places.begin() + before + views[v].features, 1U);
    std::fill(own.begin() + before, own.begin() + before + views[v].features, std::uint8_t{1});
    before += views[v].features;
    array(map, order[v], h5::Store::uint32, {}, total).append(places.data(), total);
    array(flags, order[v], h5::Store::boolean, {.cols = 1}, total).append_flags(own);
  }
}

void Writer::finish() {
  write_names();
  std::vector<std::string> columns;
  if (labels_) columns.push_back(options_.label_column);
  if (row_numbers_) columns.emplace_back("row");
  finish_table(*obs_, columns);
  for (std::size_t v = 0; v < modalities_.size(); ++v) {
    modalities_[v].matrix->finish();
    write_var(modalities_[v].group, feature_names(source_.schema().views[v]));
    add_empty_parts(modalities_[v].group, true);
  }
  if (!single_) {
    write_all_var();
    add_empty_parts(root_, false);
  }
  close();
}

void Writer::close() {
  // Once while the arrays are open, since the library reports what it cannot write of them only then.
  file_.flush();
  modalities_.clear();
  labels_.reset();
  row_numbers_.reset();
  obs_.reset();
  { const h5::Group closed = std::move(root_); }
  file_.close();
  std::array<char, kUserBlock> block{};
  std::copy(kUserText.begin(), kUserText.end(), block.begin());
  if (!single_ && !write_fully_at(pending_.descriptor(), block.data(), block.size(), 0)) pending_.fail("cannot write");
  pending_.commit();
}

}  // namespace

Index write_mudata(Source& source, const std::string& path, const ConvertOptions& options) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".h5ad" && source.schema().views.size() != 1) {
    throw Error(ErrorKind::usage, fmt::format("{}: AnnData holds one view, and there are {}; name a .h5mu file", path,
                                              source.schema().views.size()));
  }
  return Writer(source, path, options).run();
}

}  // namespace omvc
