#include "source/formats/npy_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "source/formats/fail.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

static_assert(std::endian::native == std::endian::little, "values are read as they lie in the file");

// Reads values of type From into `to`, through a small buffer where the types differ.
template <class From, class To>
void read_as(ByteReader& bytes, std::vector<To>& to) {
  if constexpr (std::is_same_v<From, To>) {
    bytes.read(to.data(), static_cast<Index>(to.size() * sizeof(To)));
  } else {
    constexpr std::size_t kBlock = 1 << 16;
    std::vector<From> buffer(std::min(kBlock, to.size()));
    for (std::size_t at = 0; at < to.size(); at += kBlock) {
      const std::size_t count = std::min(kBlock, to.size() - at);
      bytes.read(buffer.data(), static_cast<Index>(count * sizeof(From)));
      std::transform(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count),
                     to.begin() + static_cast<std::ptrdiff_t>(at), [](From value) { return static_cast<To>(value); });
    }
  }
}

// Fills `to` with the next values.
template <class To>
void read_next(ByteReader& bytes, NpyType type, std::vector<To>& to) {
  switch (type) {
    case NpyType::float32:
      return read_as<float>(bytes, to);
    case NpyType::float64:
      return read_as<double>(bytes, to);
    case NpyType::int8:
      return read_as<std::int8_t>(bytes, to);
    case NpyType::int16:
      return read_as<std::int16_t>(bytes, to);
    case NpyType::int32:
      return read_as<std::int32_t>(bytes, to);
    case NpyType::int64:
      return read_as<std::int64_t>(bytes, to);
    case NpyType::boolean:
    case NpyType::uint8:
      return read_as<std::uint8_t>(bytes, to);
    case NpyType::uint16:
      return read_as<std::uint16_t>(bytes, to);
    case NpyType::uint32:
      return read_as<std::uint32_t>(bytes, to);
    case NpyType::uint64:
      return read_as<std::uint64_t>(bytes, to);
    case NpyType::bytes:
    case NpyType::text:
    case NpyType::object:
      return;
  }
}

std::size_t item_count(const NpyHeader& header) {
  Index count = 1;
  for (const Index length : header.shape) count *= length;
  return static_cast<std::size_t>(count);
}

template <class T>
DenseBlock<T> load_block(ByteReader& bytes, const NpyHeader& header) {
  const Index rows = header.rows();
  const Index cols = header.cols();
  std::vector<T> values = read_npy_values<T>(bytes, header);
  if (header.by_row()) return {rows, cols, std::move(values)};
  DenseBlock<T> block{rows, cols, std::vector<T>(values.size())};
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      block.values[static_cast<std::size_t>(i * cols + j)] = values[static_cast<std::size_t>(j * rows + i)];
    }
  }
  return block;
}

class NpyReader final : public ViewReader {
 public:
  NpyReader(std::string where, ViewSchema schema, std::unique_ptr<ByteReader> bytes, const NpyHeader& header)
      : where_(std::move(where)), schema_(std::move(schema)), bytes_(std::move(bytes)), header_(header) {
    bytes_->restart(header_.data_offset);
  }

  const std::string& path() const override { return where_; }
  const ViewSchema& schema() const override { return schema_; }
  std::optional<Index> rows() const override { return header_.rows(); }

  ViewRows read(Index max_rows) override {
    const Index count = std::min(max_rows, header_.rows() - next_);
    ViewRows out{header_.type == NpyType::float32 ? read_block<float>(count) : read_block<double>(count), count};
    next_ += count;
    return out;
  }

  bool rewind() override {
    bytes_->restart(header_.data_offset);
    next_ = 0;
    return true;
  }

 private:
  template <class T>
  ChunkView read_block(Index count) {
    DenseBlock<T> block{count, header_.cols(), std::vector<T>(static_cast<std::size_t>(count * header_.cols()))};
    read_next(*bytes_, header_.type, block.values.own());
    return view_from_rows(std::move(block), where_, next_);
  }

  std::string where_;
  ViewSchema schema_;
  std::unique_ptr<ByteReader> bytes_;
  NpyHeader header_;
  Index next_ = 0;
};

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x110000) {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += '?';
  }
}

// An item of text without the zeros that fill it up.
template <class Char>
std::string item_text(const std::vector<Char>& item) {
  const auto end = std::find_if(item.rbegin(), item.rend(), [](Char c) { return c != Char{0}; }).base();
  std::string out;
  for (auto at = item.begin(); at != end; ++at) {
    if constexpr (sizeof(Char) == 1) {
      out += *at;
    } else {
      append_utf8(out, *at);
    }
  }
  return out;
}

template <class Char>
std::vector<std::string> read_text(ByteReader& bytes, const NpyHeader& header) {
  std::vector<Char> item(static_cast<std::size_t>(header.item_bytes) / sizeof(Char));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < item_count(header); ++i) {
    bytes.read(item.data(), header.item_bytes);
    out.push_back(item_text(item));
  }
  return out;
}

}  // namespace

template <class T>
std::vector<T> read_npy_values(ByteReader& bytes, const NpyHeader& header) {
  bytes.restart(header.data_offset);
  std::vector<T> values(item_count(header));
  read_next(bytes, header.type, values);
  return values;
}

template std::vector<float> read_npy_values<float>(ByteReader&, const NpyHeader&);
template std::vector<double> read_npy_values<double>(ByteReader&, const NpyHeader&);
template std::vector<Index> read_npy_values<Index>(ByteReader&, const NpyHeader&);
template std::vector<std::uint64_t> read_npy_values<std::uint64_t>(ByteReader&, const NpyHeader&);

namespace {

template <class T>
std::vector<std::string> number_strings(ByteReader& bytes, const NpyHeader& header) {
  std::vector<std::string> out;
  for (const T value : read_npy_values<T>(bytes, header)) out.push_back(std::to_string(value));
  return out;
}

// Whole numbers that became floating point on their way, as those of a pandas column with gaps do. Beyond the largest
// of which each has a value of its own, several may have become one.
std::vector<std::string> whole_strings(ByteReader& bytes, const NpyHeader& header, const std::string& where) {
  const double most = header.type == NpyType::float32 ? 0x1p24 : 0x1p53;
  std::vector<std::string> out;
  for (const double value : read_npy_values<double>(bytes, header)) {
    if (!(std::abs(value) < most) || value != std::floor(value)) {
      fail(where, "entry {} is {}, and ids are text or whole numbers{}", out.size() + 1, value,
           std::abs(value) >= most ? " small enough to be exact" : "");
    }
    out.push_back(std::to_string(static_cast<Index>(value)));
  }
  return out;
}

}  // namespace

std::vector<std::string> read_npy_strings(ByteReader& bytes, const NpyHeader& header, const std::string& where) {
  if (header.type == NpyType::float32 || header.type == NpyType::float64) return whole_strings(bytes, header, where);
  if (header.type == NpyType::uint64) return number_strings<std::uint64_t>(bytes, header);
  if (!header.is_text()) return number_strings<Index>(bytes, header);
  bytes.restart(header.data_offset);
  return header.type == NpyType::bytes ? read_text<char>(bytes, header) : read_text<char32_t>(bytes, header);
}

DenseBlock<double> read_npy_block(ByteReader& bytes, const NpyHeader& header) {
  return load_block<double>(bytes, header);
}

std::unique_ptr<ViewReader> make_npy_reader(std::string where, ViewSchema schema, std::unique_ptr<ByteReader> bytes,
                                            const NpyHeader& header) {
  if (header.by_row()) {
    return std::make_unique<NpyReader>(std::move(where), std::move(schema), std::move(bytes), header);
  }
  ChunkView view = header.type == NpyType::float32 ? view_from_rows(load_block<float>(*bytes, header), where)
                                                   : view_from_rows(load_block<double>(*bytes, header), where);
  return make_memory_reader(std::move(where), std::move(schema), std::move(view), header.rows());
}

}  // namespace omvc
