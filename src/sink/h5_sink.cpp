#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <optional>
#include <utility>

#include "omvc/error.hpp"
#include "omvc/sink.hpp"

#include "file/descriptor.hpp"
#include "file/pending_file.hpp"
#include "hdf5/file.hpp"
#include "sink/anndata_parts.hpp"

namespace omvc {
namespace {

constexpr const char* kLabels = "omvc";
constexpr const char* kConfidence = "omvc_confidence";
constexpr const char* kDistance = "omvc_distance";
constexpr const char* kEmbedding = "X_omvc";
constexpr const char* kMembership = "omvc_membership";

class H5Sink final : public Sink {
 public:
  H5Sink(const std::string& path, std::string input_path, Source& source)
      : pending_(path), input_path_(std::move(input_path)), source_(source) {
    std::error_code ignored;
    if (!input_path_.empty() && std::filesystem::equivalent(path, input_path_, ignored)) {
      throw Error(ErrorKind::usage, fmt::format("{} is the input; give the output another name", path));
    }
    if (!input_path_.empty() && !can_be_extended()) input_path_.clear();
  }

  bool wants_membership() const override { return true; }

  void write(const ResultRows& rows) override {
    if (!file_) create(rows);
    const std::vector<Index> labels(rows.labels.begin(), rows.labels.end());
    for (const Index label : labels) clusters_ = std::max(clusters_, label + 1);
    labels_->append(labels.data(), static_cast<Index>(labels.size()));
    if (embedding_) embedding_->append(rows.embedding.data, rows.embedding.rows);
    if (membership_) membership_->append(rows.membership.data, rows.membership.rows);
    if (confidence_) confidence_->append(rows.confidence.data(), static_cast<Index>(rows.confidence.size()));
    if (distance_) distance_->append(rows.distance.data(), static_cast<Index>(rows.distance.size()));
    if (names_) {
      std::vector<Index> numbers(labels.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = rows.first_row + static_cast<Index>(i);
      names_->append_text(instance_names(source_, numbers));
    }
  }

  void prepare() override {
    if (std::exchange(prepared_, true)) return;
    if (!file_) create({});
    // Once while the arrays are open, since the library reports what it cannot write of them only then.
    file_->flush();
    labels_.reset();
    write_categories();
    embedding_.reset();
    membership_.reset();
    confidence_.reset();
    distance_.reset();
    names_.reset();
    file_->close();
    pending_.sync();
  }

  void finish() override {
    prepare();
    pending_.commit();
  }

 private:
  // Whether obs of the input has a row for every instance: it has fewer where samples were joined by name.
  bool can_be_extended() const {
    const h5::Group root = h5::File::open(input_path_, true).root();
    return root.has_group("obs") && table_rows(root.group("obs")) == source_.size();
  }

  // The results are written when they are there, so the input is copied only then.
  void create(const ResultRows& first) {
    const bool sure = !first.confidence.empty();
    std::optional<h5::Group> obs;
    const std::vector<std::string> own =
        sure ? std::vector<std::string>{kLabels, kConfidence, kDistance} : std::vector<std::string>{kLabels};
    if (!input_path_.empty()) {
      const auto input = h5::open_storage(input_path_);
      if (!copy_all(input->descriptor(), pending_.descriptor())) pending_.fail("cannot write");
      file_ = h5::File::edit(pending_.descriptor(), pending_.path());
      h5::Group root = file_->root();
      obs = root.group("obs");
      add_columns(*obs, own);
    } else {
      file_ = h5::File::create(pending_.descriptor(), pending_.path());
      h5::Group root = file_->root();
      set_encoding(root, "anndata", "0.1.0");
      obs = make_table(root, "obs");
      names_ = text_array(*obs, "_index", expected());
      finish_table(*obs, own);
      h5::Group var = make_table(root, "var");
      text_array(var, "_index", 0);
      finish_table(var, {});
      add_empty_parts(root, true);
    }
    h5::Group root = file_->root();
    h5::Group labels = obs->create_group(kLabels);
    set_encoding(labels, "categorical", "0.2.0");
    labels.set_flag_attribute("ordered", false);
    labels_ = array(labels, "codes", h5::Store::int64, {}, expected());
    if (sure) {
      confidence_ = array(*obs, kConfidence, h5::Store::float64, {}, expected());
      distance_ = array(*obs, kDistance, h5::Store::float64, {}, expected());
    }
    if (first.embedding.cols == 0 && first.membership.cols == 0) return;
    h5::Group obsm = dictionary(root, "obsm");
    embedding_ = room_for(obsm, kEmbedding, first.embedding);
    membership_ = room_for(obsm, kMembership, first.membership);
  }

  // For numbers of all rows, in the place of those of an earlier run; none where there are none.
  std::optional<h5::Dataset> room_for(h5::Group& obsm, const char* name, const RowsView& rows) const {
    if (obsm.has(name)) obsm.remove(name);
    if (rows.cols == 0) return std::nullopt;
    return array(obsm, name, h5::Store::float64, {.cols = rows.cols}, expected());
  }

  // Labels are categories called 0, 1, ..., as plots and tests of differences between groups ask for; -1 is none.
  void write_categories() {
    h5::Group labels = file_->root().group("obs").group(kLabels);
    text_array(labels, "categories", clusters_).append_text(number_names(0, clusters_));
  }

  // Room for our columns in a table of someone else.
  static void add_columns(h5::Group& obs, const std::vector<std::string>& own) {
    std::vector<std::string> columns = obs.text_list_attribute("column-order");
    for (const std::string name : {kLabels, kConfidence, kDistance}) {
      if (obs.has(name)) obs.remove(name);  // of an earlier run, which may have had more of them
      std::erase(columns, name);
    }
    columns.insert(columns.end(), own.begin(), own.end());
    finish_table(obs, columns);
  }

  Index expected() const { return source_.size().value_or(0); }

  PendingFile pending_;
  std::string input_path_;
  Source& source_;
  Index clusters_ = 0;
  std::optional<h5::File> file_;
  std::optional<h5::Dataset> labels_;
  std::optional<h5::Dataset> embedding_;
  std::optional<h5::Dataset> membership_;
  std::optional<h5::Dataset> confidence_;
  std::optional<h5::Dataset> distance_;
  std::optional<h5::Dataset> names_;  // of a new file
  bool prepared_ = false;
};

}  // namespace

std::unique_ptr<Sink> make_h5_sink(const std::string& path, const std::string& input_path, Source& source) {
  return std::make_unique<H5Sink>(path, input_path, source);
}

}  // namespace omvc
