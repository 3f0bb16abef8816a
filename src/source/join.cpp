#include "source/join.hpp"

#include <fmt/core.h>
#include <numeric>

#include "omvc/error.hpp"

#include "source/max_rows.hpp"

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

[[noreturn]] void fail_lengths(const Extent& shorter, const Extent& longer) {
  throw Error(ErrorKind::data,
              fmt::format("the views do not have the same instances: {}, {}; every file needs a row for "
                          "every instance (an empty or NaN row where it is absent)",
                          describe(shorter), describe(longer)));
}

class JoinedSource final : public Source {
 public:
  explicit JoinedSource(std::vector<std::unique_ptr<ViewReader>> readers) : readers_(std::move(readers)) {
    if (readers_.empty()) throw Error(ErrorKind::usage, "no input: name one file for each view, or a container file");
    const ViewReader* known = nullptr;
    for (const auto& reader : readers_) {
      schema_.views.push_back(reader->schema());
      if (!reader->rows()) continue;
      if (known != nullptr && *known->rows() != *reader->rows()) {
        fail_lengths({known->path(), *known->rows(), true}, {reader->path(), *reader->rows(), true});
      }
      known = reader.get();
    }
    if (known != nullptr) size_ = known->rows();
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return size_; }

  std::optional<Chunk> next(Index max_rows) override {
    check_max_rows(max_rows);
    Chunk chunk;
    std::vector<Index> counts;
    for (const auto& reader : readers_) {
      ViewRows rows = reader->read(max_rows);
      counts.push_back(rows.instances);
      chunk.views.push_back(std::move(rows.view));
    }
    check_lengths(counts, max_rows);
    if (counts.front() == 0) return std::nullopt;
    chunk.rows.resize(static_cast<std::size_t>(counts.front()));
    std::iota(chunk.rows.begin(), chunk.rows.end(), next_row_);
    next_row_ += counts.front();
    return chunk;
  }

  bool rewind() override {
    for (const auto& reader : readers_) {
      if (!reader->rewind()) return false;
    }
    next_row_ = 0;
    return true;
  }

 private:
  void check_lengths(const std::vector<Index>& counts, Index max_rows) const {
    std::size_t shortest = 0;
    std::size_t longest = 0;
    for (std::size_t v = 1; v < counts.size(); ++v) {
      if (counts[v] < counts[shortest]) shortest = v;
      if (counts[v] > counts[longest]) longest = v;
    }
    if (counts[shortest] == counts[longest]) return;
    const auto extent = [&](std::size_t v) {
      const auto known = readers_[v]->rows();
      return Extent{readers_[v]->path(), known.value_or(next_row_ + counts[v]), known || counts[v] < max_rows};
    };
    fail_lengths(extent(shortest), extent(longest));
  }

  std::vector<std::unique_ptr<ViewReader>> readers_;
  Schema schema_;
  std::optional<Index> size_;
  Index next_row_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_joined_source(std::vector<std::unique_ptr<ViewReader>> readers) {
  return std::make_unique<JoinedSource>(std::move(readers));
}

}  // namespace omvc
