#include "source/join/join.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <mutex>
#include <numeric>

#include "omvc/error.hpp"

#include "source/join/id_join.hpp"
#include "source/join/unused_ids.hpp"
#include "source/max_rows.hpp"
#include "source/sample_ids.hpp"
#include "source/table/labels.hpp"
#include "source/table/line_reader.hpp"
#include "source/two_steps.hpp"

namespace omvc {
namespace {

// How many rows a file has, as far as it has been read.
struct Extent {
  std::string path;
  Index rows = 0;
  bool complete = false;
};

std::string describe(const Extent& extent) {
  return fmt::format("{} has {}{} rows", extent.path, extent.complete ? "" : "at least ", extent.rows);
}

// An array has no column for ids, but an archive of it has room for them.
bool is_array(const std::string& path) { return path.ends_with(".npy") || path.ends_with(".npz"); }

// `lacking` is a file without ids where others have them, else empty.
[[noreturn]] void fail_lengths(const Extent& shorter, const Extent& longer, const std::string& lacking) {
  throw Error(ErrorKind::data,
              fmt::format("the views do not have the same instances: {}, {}; every file needs a row for "
                          "every instance (an empty or NaN row where it is absent){}",
                          describe(shorter), describe(longer),
                          lacking.empty() ? ""
                                          : fmt::format(", or sample ids, which {} lacks{}", lacking,
                                                        is_array(lacking) ? " (an .npz holds an array and, as "
                                                                            "ids, the ids of its rows)"
                                                                          : "")));
}

class RowJoinedSource final : public Source {
 public:
  explicit RowJoinedSource(std::vector<std::unique_ptr<ViewReader>> readers) : readers_(std::move(readers)) {
    const ViewReader* known = nullptr;
    for (const auto& reader : readers_) {
      schema_.views.push_back(reader->schema());
      some_have_ids_ |= reader->has_ids();
      if (!reader->has_ids() && lacking_.empty()) lacking_ = reader->path();
      if (!reader->rows()) continue;
      if (known == nullptr) known = reader.get();
    }
    if (!some_have_ids_) lacking_.clear();
    for (const auto& reader : readers_) {
      if (known == nullptr || !reader->rows() || *reader->rows() == *known->rows()) continue;
      fail_lengths({known->path(), *known->rows(), true}, {reader->path(), *reader->rows(), true}, lacking_);
    }
    if (known != nullptr) size_ = known->rows();
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return size_; }
  // Results may be written, with ids, while a thread of its own reads ahead.
  std::vector<std::string> ids(Index first, Index count) override {
    const std::lock_guard lock(ids_mutex_);
    return ids_.range(first, count);
  }

  std::optional<Chunk> next(Index max_rows) override { return read_at_once(*this, max_rows); }

  Delivery begin_next(Index max_rows) override {
    check_max_rows(max_rows);
    std::vector<Index> counts;
    std::vector<std::function<ViewRows()>> views;
    for (const auto& reader : readers_) {
      ViewDelivery delivery = reader->begin_read(max_rows);
      counts.push_back(delivery.instances);
      if (reader->has_ids()) {  // which are compared in their order
        auto rows = std::make_shared<ViewRows>(delivery.read());
        check_ids(*reader, std::move(rows->ids));
        delivery.read = [rows] { return std::move(*rows); };
      }
      views.push_back(std::move(delivery.read));
    }
    const bool equal = std::all_of(counts.begin(), counts.end(), [&](Index count) { return count == counts.front(); });
    if (!equal) {
      for (const auto& read : views) read();  // what is wrong with a line comes first
      fail_counts(counts, max_rows);
    }
    const Index first = next_row_;
    next_row_ += counts.front();
    return {counts.front(), [first, count = counts.front(), views = std::move(views)] {
              Chunk chunk;
              for (const auto& read : views) chunk.views.push_back(read().view);
              chunk.rows.resize(static_cast<std::size_t>(count));
              std::iota(chunk.rows.begin(), chunk.rows.end(), first);
              return chunk;
            }};
  }

  // Ids are compared as rows come, so files that have some are read.
  void skip(Index rows) override {
    if (some_have_ids_ || !size_) return Source::skip(rows);
    rows = std::min(rows, *size_ - next_row_);
    for (const auto& reader : readers_) reader->skip(rows);
    next_row_ += rows;
  }

  bool rewind() override {
    for (const auto& reader : readers_) {
      if (!reader->rewind()) return false;
    }
    next_row_ = 0;
    return true;
  }

 private:
  // The ids of the rows from next_row_ on: those of the first file that has any, and the same in the others.
  void check_ids(ViewReader& reader, std::vector<std::string> found) {
    const std::lock_guard lock(ids_mutex_);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Index row = next_row_ + static_cast<Index>(i);
      if (row < ids_.size()) {
        if (found[i] != ids_[row]) fail_ids(reader, row, found[i]);
      } else if (const auto added = ids_.add(found[i]); !added.is_new) {
        throw Error(ErrorKind::data, fmt::format("{}: the sample id {} is that of instances {} and {}; ids are unique",
                                                 reader.path(), omvc::quoted(found[i]), added.number + 1, row + 1));
      }
    }
  }

  [[noreturn]] void fail_ids(const ViewReader& reader, Index row, const std::string& found) const {
    throw Error(ErrorKind::data,
                fmt::format("{}: instance {} has the sample id {}, but another file, or an earlier reading, has {} "
                            "there; {}",
                            reader.path(), row + 1, omvc::quoted(found), omvc::quoted(ids_[row]),
                            lacking_.empty() ? "where a pipe is among the files they are not joined by id, so write it "
                                               "to a file first"
                                             : fmt::format("the files are joined by row since {} has no ids; add them, "
                                                           "or bring the files to one order",
                                                           lacking_)));
  }

  [[noreturn]] void fail_counts(const std::vector<Index>& counts, Index max_rows) const {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    const auto shortest = static_cast<std::size_t>(least - counts.begin());
    const auto longest = static_cast<std::size_t>(most - counts.begin());
    const auto extent = [&](std::size_t v) {
      const auto known = readers_[v]->rows();
      return Extent{readers_[v]->path(), known.value_or(next_row_ + counts[v]), known || counts[v] < max_rows};
    };
    fail_lengths(extent(shortest), extent(longest), lacking_);
  }

  std::vector<std::unique_ptr<ViewReader>> readers_;
  Schema schema_;
  std::optional<Index> size_;
  bool some_have_ids_ = false;
  std::string lacking_;  // a file without ids, where some have them
  SampleIds ids_;        // of the rows read so far, in any pass
  std::mutex ids_mutex_;
  Index next_row_ = 0;
};

}  // namespace

Input make_joined_input(std::vector<std::unique_ptr<ViewReader>> readers, bool allow_disjoint) {
  if (readers.empty()) throw Error(ErrorKind::usage, "no input: name one file for each view, or a container file");
  const bool by_id = std::all_of(readers.begin(), readers.end(),
                                 [](const auto& reader) { return reader->has_ids() && reader->rewind(); });
  if (by_id) {
    check_numbered_rows(readers);
    return make_id_joined_input(std::move(readers), allow_disjoint);
  }
  check_unused_ids(readers);
  std::vector<LabelledRows> labels;
  for (const auto& reader : readers) {
    if (reader->labels() != nullptr) labels.push_back({reader->labels(), nullptr});
  }
  Input input;
  for (const auto& reader : readers) {
    const bool others = std::any_of(readers.begin(), readers.end(), [](const auto& other) { return other->has_ids(); });
    if (reader->has_ids() || !others) continue;
    input.ids_of_some = true;
    input.notes.push_back(
        fmt::format("{}: has no sample ids, so its rows are taken to be those of the other files, in their order; if "
                    "they are not, {}",
                    reader->path(),
                    is_array(reader->path()) ? "write the array into an .npz with the ids of its rows as ids"
                                             : "name the column of its ids with --id-column"));
  }
  if (auto note = note_by_row(readers)) input.notes.push_back(std::move(*note));
  input.truth = joined_truth(labels, 0, input.class_names);
  input.source = std::make_unique<RowJoinedSource>(std::move(readers));
  return input;
}

}  // namespace omvc
