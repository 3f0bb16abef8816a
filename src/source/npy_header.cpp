#include "source/npy_header.hpp"

#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <string_view>

#include "source/line_reader.hpp"
#include "source/sizes.hpp"

namespace omvc {
namespace {

// NumPy itself refuses to evaluate headers longer than this.
constexpr Index kMaxHeaderBytes = 10'000;

template <class... Parts>
[[noreturn]] void fail(const std::string& path, fmt::format_string<Parts...> format, Parts&&... parts) {
  throw Error(ErrorKind::data, path + ": " + fmt::format(format, std::forward<Parts>(parts)...));
}

struct TypeName {
  std::string_view name;
  NpyType type;
  Index bytes;
};

constexpr std::array kTypes{
    TypeName{"<f4", NpyType::float32, 4}, TypeName{"<f8", NpyType::float64, 8}, TypeName{"|i1", NpyType::int8, 1},
    TypeName{"<i2", NpyType::int16, 2},   TypeName{"<i4", NpyType::int32, 4},   TypeName{"<i8", NpyType::int64, 8},
    TypeName{"|u1", NpyType::uint8, 1},   TypeName{"<u2", NpyType::uint16, 2},  TypeName{"<u4", NpyType::uint32, 4},
    TypeName{"<u8", NpyType::uint64, 8},  TypeName{"|b1", NpyType::boolean, 1},
};

// The text after "'key':" in the header's Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& path) {
  for (const char quote : {'\'', '"'}) {
    const std::string pattern = fmt::format("{}{}{}", quote, key, quote);
    std::size_t at = header.find(pattern);
    if (at == std::string_view::npos) continue;
    at = header.find_first_not_of(' ', at + pattern.size());
    if (at == std::string_view::npos || header[at] != ':') continue;
    at = header.find_first_not_of(' ', at + 1);
    if (at != std::string_view::npos) return header.substr(at);
  }
  fail(path, "the NPY header has no '{}'; write the file with numpy.save", key);
}

void read_type(std::string_view text, const std::string& path, NpyHeader& header) {
  const std::size_t end = text.size() > 1 ? text.find(text.front(), 1) : std::string_view::npos;
  if ((text.front() != '\'' && text.front() != '"') || end == std::string_view::npos) {
    fail(path, "the array has fields or objects; a view is a plain array of numbers");
  }
  const std::string_view name = text.substr(1, end - 1);
  for (const TypeName& known : kTypes) {
    if (name != known.name) continue;
    header.type = known.type;
    header.item_bytes = known.bytes;
    return;
  }
  fail(path, "arrays of type {} cannot be read; save the array as array.astype('<f8') or array.astype('<f4')",
       quoted(name));
}

void read_shape(std::string_view text, const std::string& path, NpyHeader& header) {
  const std::size_t end = text.find(')');
  if (text.front() != '(' || end == std::string_view::npos) fail(path, "the NPY header has no usable shape");
  std::vector<std::string_view> fields;
  split_fields(text.substr(1, end - 1), Delimiter::comma, fields);
  if (!fields.empty() && fields.back().empty()) fields.pop_back();  // Python writes (3,) for one dimension
  if (fields.size() != 2) {
    fail(path, "the array has {} dimension{}; a view has two, instances x features{}", fields.size(),
         fields.size() == 1 ? "" : "s", fields.size() == 1 ? ": save array.reshape(-1, 1)" : "");
  }
  const auto rows = parse_index(fields[0]);
  const auto cols = parse_index(fields[1]);
  if (!rows || !cols || *rows < 0 || *cols < 0) fail(path, "the NPY header has no usable shape");
  if (*rows == 0 || *cols == 0) fail(path, "the array is {} x {}; a view needs rows and columns", *rows, *cols);
  header.rows = *rows;
  header.cols = *cols;
}

// The dictionary, and the offset of the first value.
std::string read_dictionary(std::ifstream& file, const std::string& path, Index file_bytes, NpyHeader& header) {
  std::array<unsigned char, 12> start{};
  file.read(reinterpret_cast<char*>(start.data()), static_cast<std::streamsize>(start.size()));
  if (file.gcount() < 12 || std::string_view(reinterpret_cast<char*>(start.data()), 6) != "\x93NUMPY") {
    fail(path, "is not an NPY file; write it with numpy.save");
  }
  const int version = start[6];
  if (version < 1 || version > 3) fail(path, "NPY version {} is not known; versions 1 to 3 are", version);
  const Index length = version == 1
                           ? start[8] + 256 * start[9]
                           : start[8] + (Index{start[9]} << 8) + (Index{start[10]} << 16) + (Index{start[11]} << 24);
  const Index before = version == 1 ? 10 : 12;
  if (length > kMaxHeaderBytes || before + length > file_bytes) {
    fail(path, "the NPY header announces {} bytes, which cannot be; the file is damaged", length);
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  file.seekg(before);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) throw Error(ErrorKind::io, fmt::format("{}: cannot read the NPY header", path));
  header.data_offset = before + length;
  return text;
}

}  // namespace

NpyHeader read_npy_header(std::ifstream& file, const std::string& path) {
  std::error_code error;
  const auto file_bytes = static_cast<Index>(std::filesystem::file_size(path, error));
  if (error)
    throw Error(ErrorKind::io, fmt::format("{}: an NPY file must be a regular file: {}", path, error.message()));
  NpyHeader header;
  const std::string text = read_dictionary(file, path, file_bytes, header);
  read_type(value_of(text, "descr", path), path, header);
  read_shape(value_of(text, "shape", path), path, header);
  const std::string_view order = value_of(text, "fortran_order", path);
  if (!order.starts_with("True") && !order.starts_with("False")) fail(path, "the NPY header has no usable order");
  header.fortran_order = order.starts_with("True");

  const auto items = size_product(header.rows, header.cols);
  const auto bytes = items ? size_product(*items, header.item_bytes) : std::nullopt;
  if (!bytes || *bytes != file_bytes - header.data_offset) {
    fail(path, "a {} x {} array of {}-byte numbers takes {} bytes, the file has {}; it is truncated or damaged",
         header.rows, header.cols, header.item_bytes, bytes ? fmt::format("{}", *bytes) : "far too many",
         file_bytes - header.data_offset);
  }
  return header;
}

}  // namespace omvc
