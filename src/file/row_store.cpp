#include "file/row_store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <sys/stat.h>
#include <unistd.h>

#include "omvc/error.hpp"

#include "file/checksum.hpp"
#include "file/descriptor.hpp"

namespace omvc {
namespace {

constexpr std::size_t kMostPending = 1 << 17;  // numbers, a megabyte

struct Mark {
  std::uint32_t generation;
  std::uint32_t checksum;
};
static_assert(sizeof(Mark) == sizeof(double));

std::uint32_t checksum_seed(std::uint64_t identity) {
  if (identity == 0) return 0;
  return omvc::checksum(0, {reinterpret_cast<const char*>(&identity), sizeof identity});
}

// With errno as it is.
const char* remedy(bool temporary) {
  if (errno == EMFILE || errno == ENFILE) return "allow more open files (ulimit -n)";
  if (errno == EIO) return "the disk fails: use another one";
  return temporary ? "set TMPDIR to a folder that is writable and has room" : "make room and resume";
}

[[noreturn]] void fail(const char* what, const std::string& name) {
  const std::string advice = remedy(name.empty());
  throw Error(ErrorKind::io,
              fmt::format("cannot {} {}: {}; {}", what, name.empty() ? "the temporary file of embedding rows" : name,
                          errno != 0 ? std::strerror(errno) : "it is shorter than expected", advice));
}

// Calls f(first in the list, number of rows) for maximal runs of consecutive row numbers: one transfer each.
template <class F>
void for_runs(std::span<const Index> rows, const F& f) {
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    f(begin, end - begin);
    begin = end;
  }
}

}  // namespace

RowStore::RowStore(Index width) : width_(width) {
  slots_[0].descriptor = open_unnamed_file();
  if (slots_[0].descriptor < 0) fail("create", "");
}

RowStore::RowStore(Index width, const std::string& name, std::uint64_t identity)
    : width_(width), seed_(checksum_seed(identity)), lasting_(true) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].name = fmt::format("{}.{}", name, i);
    slots_[i].descriptor = ::open(slots_[i].name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (slots_[i].descriptor < 0) {
      if (i > 0) ::close(slots_[0].descriptor);
      fail("write", slots_[i].name);
    }
  }
}

RowStore::~RowStore() {
  for (const Slot& slot : slots_) {
    if (slot.descriptor >= 0) ::close(slot.descriptor);
  }
}

std::uint32_t RowStore::checksum(const double* values) const {
  return omvc::checksum(seed_,
                        {reinterpret_cast<const char*>(values), static_cast<std::size_t>(width_) * sizeof(double)});
}

void RowStore::put_records(const Slot& slot, Index first, const std::vector<double>& records) const {
  const std::int64_t offset = first * (width_ + 1) * static_cast<Index>(sizeof(double));
  if (!write_fully_at(slot.descriptor, records.data(), records.size() * sizeof(double), offset)) {
    fail("write", slot.name);
  }
}

void RowStore::write(std::span<const Index> rows, const double* data) {
  const auto width = static_cast<std::size_t>(width_);
  const auto append = [&](std::size_t first, std::size_t count, std::vector<double>& records) {
    for (std::size_t i = first; i < first + count; ++i) {
      const Mark mark{static_cast<std::uint32_t>(generation_), checksum(data + i * width)};
      double bits = 0;
      std::memcpy(&bits, &mark, sizeof bits);
      records.push_back(bits);
      records.insert(records.end(), data + i * width, data + (i + 1) * width);
    }
  };
  for (const Index row : rows) rows_ = std::max(rows_, row + 1);
  const bool in_order =
      std::adjacent_find(rows.begin(), rows.end(), [](Index a, Index b) { return b != a + 1; }) == rows.end();
  if (!lasting_ && !in_order) {
    append(0, rows.size(), pending_.records);
    pending_.rows.insert(pending_.rows.end(), rows.begin(), rows.end());
    if (pending_.records.size() > kMostPending) flush();
    return;
  }
  flush();  // an older record must not follow a newer one of its row
  std::vector<double> records;
  for_runs(rows, [&](std::size_t first, std::size_t count) {
    records.clear();
    append(first, count, records);
    put_records(slot_of(generation_), rows[first], records);
  });
}

void RowStore::flush() const {
  const std::lock_guard lock(pending_.mutex);
  if (pending_.rows.empty()) return;
  const auto record = static_cast<std::size_t>(width_) + 1;
  std::vector<std::size_t> order(pending_.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pending_.rows[a] < pending_.rows[b]; });
  std::vector<Index> rows;
  std::vector<double> records;
  for (const std::size_t at : order) {
    if (!rows.empty() && rows.back() == pending_.rows[at]) {  // the later one counts
      records.resize(records.size() - record);
      rows.pop_back();
    }
    const auto from = pending_.records.begin() + static_cast<std::ptrdiff_t>(at * record);
    records.insert(records.end(), from, from + static_cast<std::ptrdiff_t>(record));
    rows.push_back(pending_.rows[at]);
  }
  for_runs(rows, [&](std::size_t first, std::size_t count) {
    const auto from = records.begin() + static_cast<std::ptrdiff_t>(first * record);
    put_records(slots_[0], rows[first], {from, from + static_cast<std::ptrdiff_t>(count * record)});
  });
  pending_.rows.clear();
  pending_.records.clear();
}

std::vector<double> RowStore::read_records(const Slot& slot, Index first, Index count) const {
  flush();
  const std::int64_t record = (width_ + 1) * static_cast<Index>(sizeof(double));
  std::vector<double> buffer(static_cast<std::size_t>(count * (width_ + 1)), 0.0);
  struct stat status {};
  if (::fstat(slot.descriptor, &status) != 0) fail("read", slot.name);
  const auto stored = static_cast<std::size_t>(std::clamp<Index>(status.st_size - first * record, 0, count * record));
  if (!read_fully_at(slot.descriptor, buffer.data(), stored, first * record)) fail("read", slot.name);
  return buffer;
}

bool RowStore::take(const double* record, Index generation, const Slot& slot, Index row, double* out) const {
  Mark mark{};
  std::memcpy(&mark, record, sizeof mark);
  if (mark.generation == 0) return false;
  if (generation != kAny && mark.generation != generation) {
    // The slot that is being written still holds rows of two generations ago; any other generation is of another time.
    if (generation == generation_ && mark.generation + 2 == generation_) return false;
    throw Error(ErrorKind::data,
                fmt::format("{}: row {} does not belong to the checkpoint: the two were not written by the same run up "
                            "to the same moment; bring back both, or start again without --resume",
                            slot.name, row));
  }
  if (mark.checksum != checksum(record + 1)) {
    throw Error(
        ErrorKind::data,
        fmt::format("{}: row {} was altered since it was written, or another run wrote it (its checksum does not "
                    "match); start again without --resume",
                    slot.name.empty() ? "the temporary file of embedding rows" : slot.name, row));
  }
  std::copy_n(record + 1, width_, out);
  return true;
}

void RowStore::read_last(std::span<const Index> rows, double* out) const {
  const auto width = static_cast<std::size_t>(width_);
  const Slot& slot = slot_of(generation_ - 1);
  for_runs(rows, [&](std::size_t first, std::size_t count) {
    const std::vector<double> records = read_records(slot, rows[first], static_cast<Index>(count));
    for (std::size_t i = 0; i < count; ++i) {
      double* to = out + (first + i) * width;
      if (!take(records.data() + i * (width + 1), lasting_ ? generation_ - 1 : kAny, slot, rows[first + i], to)) {
        std::fill_n(to, width, std::numeric_limits<double>::quiet_NaN());
      }
    }
  });
}

void RowStore::read(Index first, Index count, double* out) const {
  const auto width = static_cast<std::size_t>(width_);
  const Slot& now = slot_of(generation_);
  const Slot& last = slot_of(generation_ - 1);
  const std::vector<double> records = read_records(now, first, count);
  const std::vector<double> older = lasting_ ? read_records(last, first, count) : std::vector<double>{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    double* to = out + i * width;
    const Index row = first + static_cast<Index>(i);
    const std::size_t at = i * (width + 1);
    if (row < rows_ && take(records.data() + at, lasting_ ? generation_ : kAny, now, row, to)) continue;
    if (row < rows_ && lasting_ && take(older.data() + at, generation_ - 1, last, row, to)) continue;
    std::fill_n(to, width, std::numeric_limits<double>::quiet_NaN());
  }
}

void RowStore::go_to(Position position) {
  flush();
  generation_ = position.generation;
  rows_ = position.rows;
  // The newest generation that is complete up to the largest row number.
  const Slot& whole = slot_of(std::max<Index>(generation_ - 1, 1));
  struct stat status {};
  if (::fstat(whole.descriptor, &status) != 0) fail("read", whole.name);
  const Index record_bytes = (width_ + 1) * static_cast<Index>(sizeof(double));
  if (rows_ > status.st_size / record_bytes) {
    throw Error(ErrorKind::data,
                fmt::format("{} is shorter than the checkpoint says: bring the whole file back, or start "
                            "again without --resume",
                            whole.name));
  }
}

void RowStore::sync() const {
  flush();
  for (const Slot& slot : slots_) {
    if (slot.descriptor >= 0 && ::fdatasync(slot.descriptor) != 0) fail("write", slot.name);
  }
}

}  // namespace omvc
