#include "source/npy.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <type_traits>

#include "omvc/error.hpp"

#include "source/npy_header.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

static_assert(std::endian::native == std::endian::little, "values are read as they lie in the file");

std::ifstream open_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::io, fmt::format("{}: is a folder; name a file", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return file;
}

void read_bytes(std::ifstream& file, const std::string& path, void* to, std::size_t bytes) {
  file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
  if (!file) throw Error(ErrorKind::io, fmt::format("{}: cannot read; did the file change meanwhile?", path));
}

// Reads values of type From into `to`, through a small buffer where the types differ.
template <class From, class To>
void read_values(std::ifstream& file, const std::string& path, std::vector<To>& to) {
  if constexpr (std::is_same_v<From, To>) {
    read_bytes(file, path, to.data(), to.size() * sizeof(To));
  } else {
    constexpr std::size_t kBlock = 1 << 16;
    std::vector<From> buffer(std::min(kBlock, to.size()));
    for (std::size_t at = 0; at < to.size(); at += kBlock) {
      const std::size_t count = std::min(kBlock, to.size() - at);
      read_bytes(file, path, buffer.data(), count * sizeof(From));
      std::transform(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count),
                     to.begin() + static_cast<std::ptrdiff_t>(at), [](From value) { return static_cast<To>(value); });
    }
  }
}

void read_doubles(std::ifstream& file, const std::string& path, NpyType type, std::vector<double>& to) {
  switch (type) {
    case NpyType::float32:
      return read_values<float>(file, path, to);
    case NpyType::float64:
      return read_values<double>(file, path, to);
    case NpyType::int8:
      return read_values<std::int8_t>(file, path, to);
    case NpyType::int16:
      return read_values<std::int16_t>(file, path, to);
    case NpyType::int32:
      return read_values<std::int32_t>(file, path, to);
    case NpyType::int64:
      return read_values<std::int64_t>(file, path, to);
    case NpyType::boolean:
    case NpyType::uint8:
      return read_values<std::uint8_t>(file, path, to);
    case NpyType::uint16:
      return read_values<std::uint16_t>(file, path, to);
    case NpyType::uint32:
      return read_values<std::uint32_t>(file, path, to);
    case NpyType::uint64:
      return read_values<std::uint64_t>(file, path, to);
  }
}

class NpyReader final : public ViewReader {
 public:
  NpyReader(std::string path, ViewSchema schema, std::ifstream file, NpyHeader header)
      : path_(std::move(path)), schema_(std::move(schema)), file_(std::move(file)), header_(header) {}

  const std::string& path() const override { return path_; }
  const ViewSchema& schema() const override { return schema_; }
  std::optional<Index> rows() const override { return header_.rows; }

  ViewRows read(Index max_rows) override {
    const Index count = std::min(max_rows, header_.rows - next_);
    file_.seekg(header_.data_offset + next_ * header_.cols * header_.item_bytes);
    ViewRows out{header_.type == NpyType::float32 ? read_block<float>(count) : read_block<double>(count), count};
    next_ += count;
    return out;
  }

  bool rewind() override {
    next_ = 0;
    return true;
  }

 private:
  template <class T>
  ChunkView read_block(Index count) {
    DenseBlock<T> block{count, header_.cols, std::vector<T>(static_cast<std::size_t>(count * header_.cols))};
    if constexpr (std::is_same_v<T, float>) {
      read_values<float>(file_, path_, block.values);
    } else {
      read_doubles(file_, path_, header_.type, block.values);
    }
    return view_from_rows(std::move(block), path_, next_);
  }

  std::string path_;
  ViewSchema schema_;
  std::ifstream file_;
  NpyHeader header_;
  Index next_ = 0;
};

template <class T>
ChunkView transposed(const std::vector<T>& by_column, const NpyHeader& header, const std::string& path) {
  DenseBlock<T> block{header.rows, header.cols, std::vector<T>(by_column.size())};
  for (Index j = 0; j < header.cols; ++j) {
    for (Index i = 0; i < header.rows; ++i) {
      block.values[static_cast<std::size_t>(i * header.cols + j)] =
          by_column[static_cast<std::size_t>(j * header.rows + i)];
    }
  }
  return view_from_rows(std::move(block), path);
}

ChunkView load_fortran(std::ifstream& file, const std::string& path, const NpyHeader& header) {
  const auto size = static_cast<std::size_t>(header.rows * header.cols);
  file.seekg(header.data_offset);
  if (header.type == NpyType::float32) {
    std::vector<float> values(size);
    read_values<float>(file, path, values);
    return transposed(values, header, path);
  }
  std::vector<double> values(size);
  read_doubles(file, path, header.type, values);
  return transposed(values, header, path);
}

}  // namespace

std::unique_ptr<ViewReader> open_npy(const std::string& path, const std::string& view_name,
                                     const InputOptions& options) {
  std::ifstream file = open_file(path);
  NpyHeader header = read_npy_header(file, path);
  if (options.transpose) {
    // The same bytes are the transposed array in the other order.
    std::swap(header.rows, header.cols);
    header.fortran_order = !header.fortran_order;
  }
  ViewSchema schema{view_name, header.cols, {}};
  if (!header.fortran_order || header.rows == 1 || header.cols == 1) {
    return std::make_unique<NpyReader>(path, std::move(schema), std::move(file), header);
  }
  return make_memory_reader(path, std::move(schema), load_fortran(file, path, header), header.rows);
}

}  // namespace omvc
