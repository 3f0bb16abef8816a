#include "source/join/id_join.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <unordered_map>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "chunk/rows.hpp"
#include "source/max_rows.hpp"
#include "source/sample_ids.hpp"
#include "source/table/cell.hpp"
#include "source/table/labels.hpp"
#include "source/table/line_reader.hpp"
#include "source/two_steps.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

// The instance of every row of the file. Adds ids that are new.
std::vector<Index> number_rows(ViewReader& reader, SampleIds& ids) {
  std::vector<std::string> found = reader.all_ids();
  std::vector<Index> instances;
  std::vector<bool> seen;
  for (std::string& id : found) {
    const auto number = static_cast<std::size_t>(ids.add(std::move(id)).number);
    if (number >= seen.size()) seen.resize(std::max(number + 1, 2 * seen.size()));
    if (seen[number]) {
      const auto first = std::find(instances.begin(), instances.end(), static_cast<Index>(number));
      throw Error(ErrorKind::data,
                  fmt::format("{}: the sample id {} was given before, at {}; every id belongs to one instance (if this "
                              "is no column of ids, say --id-column none)",
                              reader.place(static_cast<Index>(instances.size())),
                              omvc::quoted(ids[static_cast<Index>(number)]), reader.place(first - instances.begin())));
    }
    seen[number] = true;
    instances.push_back(static_cast<Index>(number));
  }
  return instances;
}

// A file whose ids come in the order of the instances is read as the stream goes on; another is in memory.
class JoinedView {
 public:
  JoinedView(std::unique_ptr<ViewReader> reader, std::vector<Index> instances, const SampleIds& ids)
      : reader_(std::move(reader)), instances_(std::move(instances)), ids_(ids) {
    const Index rows = static_cast<Index>(instances_.size());
    streamed_ = std::is_sorted(instances_.begin(), instances_.end());
    const std::optional<Block> nothing = streamed_ ? reader_->no_rows() : std::nullopt;
    if (nothing) {
      nothing_ = *nothing;
      return;
    }
    ViewRows some = reader_->read(streamed_ ? 1 : rows);
    nothing_ = take_rows(some.view.block, {});
    if (streamed_) {
      reader_->rewind();
      return;
    }
    check_rows(some, 0, rows);
    for (Index& position : some.view.present) position = instances_[static_cast<std::size_t>(position)];
    table_ = std::make_unique<ViewTable>(std::move(some.view), ids_.size());
  }

  // The instances [first, first + count), which follow on those asked for before: the work that delivers them.
  std::function<ChunkView()> begin_read(Index first, Index count) {
    if (!streamed_) {
      return [this, first, count] {
        std::vector<Index> positions(static_cast<std::size_t>(count));
        std::iota(positions.begin(), positions.end(), first);
        return table_->select(positions);
      };
    }
    const Index row = next_;
    const auto begin = instances_.begin() + row;
    const Index rows = std::lower_bound(begin, instances_.end(), first + count) - begin;
    if (rows == 0) return [this] { return ChunkView{nothing_, {}}; };
    next_ += rows;
    return [this, first, row, rows, delivery = reader_->begin_read(rows)] {
      ViewRows read = delivery.read();
      check_rows(read, row, rows);
      for (Index& position : read.view.present) position = instances_[static_cast<std::size_t>(row + position)] - first;
      return std::move(read.view);
    };
  }

  bool rewind() {
    next_ = 0;
    return !streamed_ || reader_->rewind();
  }

 private:
  // Compares what was read, from this row on, with what the ids promised.
  void check_rows(const ViewRows& rows, Index first, Index expected) const {
    bool same = rows.instances == expected;
    for (std::size_t i = 0; same && i < rows.ids.size(); ++i) {
      same = rows.ids[i] == ids_[instances_[static_cast<std::size_t>(first) + i]];
    }
    if (same) return;
    throw Error(ErrorKind::data, fmt::format("{}: the sample ids are not those of the first reading; the file changed "
                                             "while it was used",
                                             reader_->path()));
  }

  std::unique_ptr<ViewReader> reader_;
  std::vector<Index> instances_;  // of each row
  const SampleIds& ids_;
  bool streamed_ = true;
  Block nothing_;                     // a block of the view's kind without rows
  std::unique_ptr<ViewTable> table_;  // if not streamed
  Index next_ = 0;                    // row
};

class IdJoinedSource final : public Source {
 public:
  explicit IdJoinedSource(std::unique_ptr<SampleIds> ids) : ids_(std::move(ids)) {}

  void add(std::unique_ptr<ViewReader> reader, std::vector<Index> instances) {
    schema_.views.push_back(reader->schema());
    views_.emplace_back(std::move(reader), std::move(instances), *ids_);
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return ids_->size(); }
  std::vector<std::string> ids(Index first, Index count) override { return ids_->range(first, count); }

  std::optional<Chunk> next(Index max_rows) override { return read_at_once(*this, max_rows); }

  Delivery begin_next(Index max_rows) override {
    check_max_rows(max_rows);
    const Index first = next_;
    const Index count = std::min(max_rows, ids_->size() - first);
    if (count == 0) return {};
    std::vector<std::function<ChunkView()>> views;
    for (JoinedView& view : views_) views.push_back(view.begin_read(first, count));
    next_ += count;
    return {count, [first, count, views = std::move(views)] {
              Chunk chunk;
              chunk.rows.resize(static_cast<std::size_t>(count));
              std::iota(chunk.rows.begin(), chunk.rows.end(), first);
              for (const auto& read : views) chunk.views.push_back(read());
              return chunk;
            }};
  }

  bool rewind() override {
    next_ = 0;
    return std::all_of(views_.begin(), views_.end(), [](JoinedView& view) { return view.rewind(); });
  }

 private:
  std::unique_ptr<SampleIds> ids_;
  Schema schema_;
  std::vector<JoinedView> views_;
  Index next_ = 0;
};

// Two of the ids, for messages.
std::string examples(const std::vector<Index>& instances, const SampleIds& ids) {
  std::string text;
  for (std::size_t i = 0; i < instances.size() && i < 2; ++i) {
    text += (i == 0 ? "" : ", ") + omvc::quoted(ids[instances[i]]);
  }
  return text;
}

// An id without what people write in one file and not in the other: case, blanks, quotes, zeros before a number, ".0"
// behind it, and marks between letters and digits.
std::string plain_form(std::string_view id) {
  std::string out;
  for (const char c : id) {
    if (c == ' ' || c == '\t' || c == '_' || c == '-' || c == '\'' || c == '"') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (out.size() > 2 && out.ends_with(".0")) out.resize(out.size() - 2);
  std::size_t digits = 0;
  while (digits < out.size() && !is_digit(out[digits])) ++digits;
  std::size_t zeros = digits;
  while (zeros + 1 < out.size() && out[zeros] == '0' && is_digit(out[zeros + 1])) ++zeros;
  return out.erase(digits, zeros - digits);
}

// Ids that only one file has, and that another file writes in another way. They are different instances, which nobody
// may have meant.
std::vector<std::string> compare_spelling(const std::vector<std::unique_ptr<ViewReader>>& readers,
                                          const std::vector<std::vector<Index>>& instances,
                                          const std::vector<int>& views, const SampleIds& ids) {
  struct First {
    std::size_t file = 0;
    Index instance = 0;
  };
  std::unordered_map<std::string, First> plain;
  std::vector<std::string> notes;
  for (std::size_t v = 0; v < readers.size(); ++v) {
    Index pairs = 0;
    std::string example;
    for (const Index instance : instances[v]) {
      if (views[static_cast<std::size_t>(instance)] > 1) continue;
      const auto [found, fresh] = plain.try_emplace(plain_form(ids[instance]), First{v, instance});
      if (fresh || found->second.file == v) continue;
      if (pairs++ > 0) continue;
      example = fmt::format("{} here and {} in {}", omvc::quoted(ids[instance]),
                            omvc::quoted(ids[found->second.instance]), readers[found->second.file]->path());
    }
    if (pairs == 0) continue;
    notes.push_back(
        fmt::format("{}: {} of its sample ids {} other files with other case, blanks, marks or zeros ({}), "
                    "and are taken for different instances",
                    readers[v]->path(), pairs, pairs == 1 ? "is in" : "are in", example));
  }
  return notes;
}

// Views with different samples are normal, but one that hardly shares an id with the others is most likely spelled in
// another way. Throws ErrorKind::data if it shares none.
std::vector<std::string> compare_ids(const std::vector<std::unique_ptr<ViewReader>>& readers,
                                     const std::vector<std::vector<Index>>& instances, const SampleIds& ids,
                                     bool allow_disjoint) {
  std::vector<std::string> notes;
  std::vector<int> views(static_cast<std::size_t>(ids.size()), 0);
  for (const auto& rows : instances) {
    for (const Index instance : rows) ++views[static_cast<std::size_t>(instance)];
  }
  const std::vector<std::string> spelling = compare_spelling(readers, instances, views, ids);
  for (std::size_t v = 0; v < readers.size() && readers.size() > 1; ++v) {
    const Index own = static_cast<Index>(instances[v].size());
    const Index shared = std::count_if(instances[v].begin(), instances[v].end(),
                                       [&](Index instance) { return views[static_cast<std::size_t>(instance)] > 1; });
    const Index others = ids.size() - own + shared;
    if (own == 0 || others == 0 || 2 * shared >= std::min(own, others)) continue;
    const std::size_t other = v == 0 ? 1 : 0;
    const std::string what =
        fmt::format("{}: {} of its {} sample ids are in the other files; ids are {} here and {} in {}",
                    readers[v]->path(), shared == 0 ? "none" : std::to_string(shared), own, examples(instances[v], ids),
                    examples(instances[other], ids), readers[other]->path());
    if (shared == 0 && !allow_disjoint) {
      const std::string same = spelling.empty() ? "" : "; " + spelling.front();
      throw Error(ErrorKind::data, what + same +
                                       ": write them in the same way, name the right column with --id-column, or say "
                                       "--allow-disjoint if the views are of different samples");
    }
    notes.push_back(what);
    if (readers.size() == 2) break;
  }
  for (const std::string& found : spelling) notes.push_back(found + ": write them in the same way to join them");
  return notes;
}

// A file whose rows are not the instances in their order; where none has all of them, the first.
std::string out_of_order(const std::vector<std::unique_ptr<ViewReader>>& readers,
                         const std::vector<std::vector<Index>>& instances, Index count) {
  bool whole = false;
  for (std::size_t v = 0; v < readers.size(); ++v) {
    if (!std::is_sorted(instances[v].begin(), instances[v].end())) return readers[v]->path();
    whole = whole || static_cast<Index>(instances[v].size()) == count;
  }
  return whole ? "" : readers.front()->path();
}

}  // namespace

Input make_id_joined_input(std::vector<std::unique_ptr<ViewReader>> readers, bool allow_disjoint) {
  auto ids = std::make_unique<SampleIds>();
  std::vector<std::vector<Index>> instances;
  for (const auto& reader : readers) instances.push_back(number_rows(*reader, *ids));
  std::vector<LabelledRows> labels;
  for (std::size_t v = 0; v < readers.size(); ++v) {
    if (readers[v]->labels() != nullptr) labels.push_back({readers[v]->labels(), &instances[v]});
  }
  Input input;
  input.notes = compare_ids(readers, instances, *ids, allow_disjoint);
  input.truth = joined_truth(labels, ids->size(), input.class_names);
  input.out_of_order = out_of_order(readers, instances, ids->size());
  auto source = std::make_unique<IdJoinedSource>(std::move(ids));
  for (std::size_t v = 0; v < readers.size(); ++v) source->add(std::move(readers[v]), std::move(instances[v]));
  input.source = std::move(source);
  return input;
}

}  // namespace omvc
