#include "model/row_store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>

#include "omvc/error.hpp"

#include "file/descriptor.hpp"

namespace omvc {
namespace {

// A row on disk is a mark and its values. Rows never written lie in a hole of the file and read as zeros, mark
// included.
constexpr double kWritten = 1;

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorKind::io,
              fmt::format("cannot {} the temporary file of embedding rows: {}; set TMPDIR to a folder with "
                          "more room",
                          what, errno != 0 ? std::strerror(errno) : "it is shorter than expected"));
}

}  // namespace

RowStore::RowStore(Index width) : width_(width), descriptor_(open_unnamed_file()) {
  if (descriptor_ < 0) fail("create");
}

RowStore::~RowStore() { ::close(descriptor_); }

template <class F>
void RowStore::for_runs(std::span<const Index> rows, const F& f) {
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    f(begin, end - begin);
    begin = end;
  }
}

void RowStore::write(std::span<const Index> rows, const double* data) {
  const auto width = static_cast<std::size_t>(width_);
  std::vector<double> buffer;
  for_runs(rows, [&](std::size_t first, std::size_t count) {
    buffer.clear();
    for (std::size_t i = first; i < first + count; ++i) {
      buffer.push_back(kWritten);
      buffer.insert(buffer.end(), data + i * width, data + (i + 1) * width);
    }
    const std::int64_t offset = rows[first] * (width_ + 1) * static_cast<Index>(sizeof(double));
    if (!write_fully_at(descriptor_, buffer.data(), buffer.size() * sizeof(double), offset)) fail("write");
    rows_ = std::max(rows_, rows[first] + static_cast<Index>(count));
  });
}

void RowStore::read(Index first, Index count, double* out) const {
  const auto width = static_cast<std::size_t>(width_);
  const Index stored = std::clamp<Index>(rows_ - first, 0, count);
  std::vector<double> buffer(static_cast<std::size_t>(stored) * (width + 1));
  const std::int64_t offset = first * (width_ + 1) * static_cast<Index>(sizeof(double));
  if (!read_fully_at(descriptor_, buffer.data(), buffer.size() * sizeof(double), offset)) fail("read");
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    double* to = out + i * width;
    const std::size_t mark = i * (width + 1);
    if (i < static_cast<std::size_t>(stored) && buffer[mark] == kWritten) {
      std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(mark) + 1, width, to);
    } else {
      std::fill_n(to, width, std::numeric_limits<double>::quiet_NaN());
    }
  }
}

void RowStore::read(std::span<const Index> rows, double* out) const {
  for_runs(rows, [&](std::size_t first, std::size_t count) {
    read(rows[first], static_cast<Index>(count), out + first * static_cast<std::size_t>(width_));
  });
}

}  // namespace omvc
