#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <type_traits>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "random/philox.hpp"
#include "source/max_rows.hpp"
#include "source/order/buckets.hpp"
#include "source/order/permutation.hpp"

namespace omvc {
namespace {

constexpr Index kBucketBytes = 1 << 26;
constexpr Index kUnknownBuckets = 256;    // where the number of instances is not known
constexpr Index kValuesAtOnce = 1 << 23;  // of a chunk while reading, were all its views dense

template <class T>
void put(std::string& bytes, const T* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

template <class T>
void take(const char*& from, T* values, std::size_t count) {
  std::memcpy(values, from, count * sizeof(T));
  from += count * sizeof(T);
}

template <class T>
void put_row(std::string& bytes, const DenseBlock<T>& block, Index i) {
  put(bytes, block.row(i).data(), static_cast<std::size_t>(block.cols));
}

template <class T>
void put_row(std::string& bytes, const CsrBlock<T>& block, Index i) {
  const Index begin = block.offsets[static_cast<std::size_t>(i)];
  const Index count = block.offsets[static_cast<std::size_t>(i) + 1] - begin;
  put(bytes, &count, 1);
  put(bytes, block.columns.data() + begin, static_cast<std::size_t>(count));
  put(bytes, block.values.data() + begin, static_cast<std::size_t>(count));
}

template <class T>
void take_row(const char*& from, DenseBlock<T>& block) {
  const std::size_t size = block.values.size();
  block.values.resize(size + static_cast<std::size_t>(block.cols));
  take(from, block.values.data() + size, static_cast<std::size_t>(block.cols));
  ++block.rows;
}

template <class T>
void take_row(const char*& from, CsrBlock<T>& block) {
  Index count = 0;
  take(from, &count, 1);
  const std::size_t size = block.values.size();
  block.columns.resize(size + static_cast<std::size_t>(count));
  block.values.resize(size + static_cast<std::size_t>(count));
  take(from, block.columns.data() + size, static_cast<std::size_t>(count));
  take(from, block.values.data() + size, static_cast<std::size_t>(count));
  block.offsets.push_back(block.nonzeros());
  ++block.rows;
}

// A block of the same kind and columns, without rows.
Block empty_like(const Block& block) {
  return std::visit(
      [](const auto& typed) -> Block {
        std::decay_t<decltype(typed)> none;
        none.cols = typed.cols;
        return none;
      },
      block);
}

// Rows by ascending (key, row number). Keys of a bucket are larger than those of all buckets before it, so the order
// does not depend on the number of buckets.
class ReorderedSource : public Source {
 public:
  explicit ReorderedSource(std::unique_ptr<Source> source) : source_(std::move(source)) {}

  const Schema& schema() const override { return source_->schema(); }
  std::optional<Index> size() const override { return ready_ ? std::optional(spooled_) : source_->size(); }
  std::vector<std::string> ids(Index first, Index count) override { return source_->ids(first, count); }

  std::optional<Chunk> next(Index max_rows) override {
    check_max_rows(max_rows);
    if (!ready_) spool();
    Chunk chunk;
    for (const Block& kind : kinds_) chunk.views.push_back({empty_like(kind), {}});
    while (chunk.size() < max_rows && (next_in_bucket_ < entries_.size() || load_bucket())) add_instance(chunk);
    if (chunk.rows.empty()) return std::nullopt;
    return chunk;
  }

  // Works also where the source itself cannot be read again.
  bool rewind() override {
    next_bucket_ = 0;
    next_in_bucket_ = 0;
    entries_.clear();
    bytes_.clear();
    return true;
  }

 protected:
  // A number of 64 bits by which rows are sorted.
  virtual std::uint64_t key(Index row) const = 0;
  // Called with the number of rows when all have been read.
  virtual void check_rows(Index /*rows*/) const {}

 private:
  struct Entry {
    std::uint64_t key;
    Index row;
    std::size_t offset;  // of its values in the bucket
  };

  void spool();
  void put_chunk(const Chunk& chunk);
  bool load_bucket();
  void add_instance(Chunk& chunk);

  std::unique_ptr<Source> source_;
  std::vector<Block> kinds_;  // what each view is stored as
  std::unique_ptr<Buckets> buckets_;
  Index spooled_ = 0;
  bool ready_ = false;  // all rows are in their buckets
  std::size_t next_bucket_ = 0;
  std::string bytes_;  // of the bucket that is being delivered
  std::vector<Entry> entries_;
  std::size_t next_in_bucket_ = 0;
};

// An instance is its row number, the size of what follows, and for each view a mark and its values.
std::vector<std::string> encode(const Chunk& chunk) {
  std::vector<std::string> records(chunk.rows.size());
  for (const ChunkView& view : chunk.views) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const bool present = next < view.present.size() && view.present[next] == static_cast<Index>(i);
      records[i].push_back(present ? 1 : 0);
      if (!present) continue;
      std::visit([&](const auto& block) { put_row(records[i], block, static_cast<Index>(next)); }, view.block);
      ++next;
    }
  }
  return records;
}

void ReorderedSource::spool() {
  Index features = 1;
  for (const ViewSchema& view : schema().views) features += view.features;
  const Index rows_at_once = std::clamp<Index>(kValuesAtOnce / features, 64, 8192);
  while (const auto chunk = source_->next(rows_at_once)) {
    check_chunk(*chunk, schema());
    put_chunk(*chunk);
  }
  if (!buckets_) buckets_ = std::make_unique<Buckets>(1);
  buckets_->finish();
  check_rows(spooled_);
  ready_ = true;
}

void ReorderedSource::put_chunk(const Chunk& chunk) {
  const std::vector<std::string> records = encode(chunk);
  if (!buckets_) {
    std::size_t bytes = 0;
    for (const std::string& record : records) bytes += record.size() + sizeof(Index) + sizeof(std::size_t);
    const double each = static_cast<double>(bytes) / static_cast<double>(records.size());
    const auto rows = source_->size();
    const double needed =
        rows ? each * static_cast<double>(*rows) / static_cast<double>(kBucketBytes) : kUnknownBuckets;
    buckets_ = std::make_unique<Buckets>(
        static_cast<Index>(std::clamp(needed, 0.0, static_cast<double>(Buckets::kMost - 1))) + 1);
    for (const ChunkView& view : chunk.views) kinds_.push_back(empty_like(view.block));
  }
  for (std::size_t v = 0; v < kinds_.size(); ++v) {
    if (chunk.views[v].block.index() == kinds_[v].index()) continue;
    throw Error(ErrorKind::data, fmt::format("view '{}': a later chunk stores the view in another way than the first; "
                                             "a source must keep to one",
                                             schema().views[v].name));
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Index row = chunk.rows[i];
    const std::size_t size = records[i].size();
    std::string record;
    put(record, &row, 1);
    put(record, &size, 1);
    record += records[i];
    __extension__ using Wide = unsigned __int128;
    buckets_->add(static_cast<std::size_t>((Wide{key(row)} * buckets_->count()) >> 64), record);
  }
  spooled_ += chunk.size();
}

bool ReorderedSource::load_bucket() {
  entries_.clear();
  next_in_bucket_ = 0;
  while (entries_.empty() && next_bucket_ < buckets_->count()) {
    bytes_.clear();
    bytes_ = buckets_->read(next_bucket_++);
    for (std::size_t at = 0; at < bytes_.size();) {
      Index row = 0;
      std::size_t size = 0;
      const char* from = bytes_.data() + at;
      take(from, &row, 1);
      take(from, &size, 1);
      at += sizeof(row) + sizeof(size);
      entries_.push_back({key(row), row, at});
      at += size;
    }
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
  return !entries_.empty();
}

void ReorderedSource::add_instance(Chunk& chunk) {
  const Entry& entry = entries_[next_in_bucket_++];
  const char* from = bytes_.data() + entry.offset;
  for (ChunkView& view : chunk.views) {
    if (*from++ == 0) continue;
    std::visit([&](auto& block) { take_row(from, block); }, view.block);
    view.present.push_back(chunk.size());
  }
  chunk.rows.push_back(entry.row);
}

class ShuffledSource final : public ReorderedSource {
 public:
  ShuffledSource(std::unique_ptr<Source> source, std::uint64_t seed)
      : ReorderedSource(std::move(source)), random_(seed, Purpose::shuffle) {}

 private:
  std::uint64_t key(Index row) const override { return random_.bits(static_cast<std::uint64_t>(row)); }

  Random random_;
};

class OrderedSource final : public ReorderedSource {
 public:
  OrderedSource(std::unique_ptr<Source> source, const std::vector<Index>& order, std::string name)
      : ReorderedSource(std::move(source)), place_(order.size()), name_(std::move(name)) {
    check_permutation(order, static_cast<Index>(order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) place_[static_cast<std::size_t>(order[i])] = i;
    if (const auto rows = size()) check_rows(*rows);
  }

 private:
  // Spread over the 64 bits, so that the buckets are equally full.
  std::uint64_t key(Index row) const override {
    // Refused when all rows have been counted.
    if (row >= static_cast<Index>(place_.size())) return std::numeric_limits<std::uint64_t>::max();
    return place_[static_cast<std::size_t>(row)] * (std::numeric_limits<std::uint64_t>::max() / place_.size());
  }

  void check_rows(Index rows) const override {
    if (rows == static_cast<Index>(place_.size())) return;
    throw Error(ErrorKind::data,
                fmt::format("{} lists {} rows, and the data have {}: give each row once", name_, place_.size(), rows));
  }

  std::vector<std::size_t> place_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Source> make_shuffled_source(std::unique_ptr<Source> source, std::uint64_t seed) {
  return std::make_unique<ShuffledSource>(std::move(source), seed);
}

std::unique_ptr<Source> make_ordered_source(std::unique_ptr<Source> source, std::vector<Index> order,
                                            std::string name) {
  return std::make_unique<OrderedSource>(std::move(source), order, std::move(name));
}

}  // namespace omvc
