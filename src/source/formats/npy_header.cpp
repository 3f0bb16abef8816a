#include "source/formats/npy_header.hpp"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "source/formats/fail.hpp"
#include "source/formats/sizes.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

// NumPy itself refuses to evaluate headers longer than this.
constexpr Index kMaxHeaderBytes = 10'000;

struct TypeName {
  std::string_view name;
  NpyType type;
  Index bytes;
};

constexpr std::array kTypes{
    TypeName{"<f4", NpyType::float32, 4}, TypeName{"<f8", NpyType::float64, 8}, TypeName{"|i1", NpyType::int8, 1},
    TypeName{"<i2", NpyType::int16, 2},   TypeName{"<i4", NpyType::int32, 4},   TypeName{"<i8", NpyType::int64, 8},
    TypeName{"|u1", NpyType::uint8, 1},   TypeName{"<u2", NpyType::uint16, 2},  TypeName{"<u4", NpyType::uint32, 4},
    TypeName{"<u8", NpyType::uint64, 8},  TypeName{"|b1", NpyType::boolean, 1}, TypeName{"|O", NpyType::object, 8},
};

// The text after "'key':" in the header's Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& where) {
  for (const char quote : {'\'', '"'}) {
    const std::string pattern = fmt::format("{}{}{}", quote, key, quote);
    std::size_t at = header.find(pattern);
    if (at == std::string_view::npos) continue;
    at = header.find_first_not_of(' ', at + pattern.size());
    if (at == std::string_view::npos || header[at] != ':') continue;
    at = header.find_first_not_of(' ', at + 1);
    if (at != std::string_view::npos) return header.substr(at);
  }
  fail(where, "the NPY header has no '{}'; write the file with numpy.save", key);
}

// A text type such as <U12 or |S5.
bool read_text_type(std::string_view name, NpyHeader& header) {
  if (name.size() < 3 || (name[0] != '<' && name[0] != '|') || (name[1] != 'U' && name[1] != 'S')) return false;
  const auto length = parse_index(name.substr(2));
  if (!length || *length < 1 || *length > std::numeric_limits<std::int32_t>::max()) return false;
  header.type = name[1] == 'U' ? NpyType::text : NpyType::bytes;
  header.item_bytes = name[1] == 'U' ? 4 * *length : *length;
  return true;
}

void read_type(std::string_view text, const std::string& where, NpyHeader& header) {
  const std::size_t end = text.size() > 1 ? text.find(text.front(), 1) : std::string_view::npos;
  if ((text.front() != '\'' && text.front() != '"') || end == std::string_view::npos) {
    fail(where, "the array has fields; save each of them as an array of its own");
  }
  const std::string_view name = text.substr(1, end - 1);
  for (const TypeName& known : kTypes) {
    if (name != known.name) continue;
    header.type = known.type;
    header.item_bytes = known.bytes;
    return;
  }
  if (!read_text_type(name, header)) {
    fail(where, "arrays of type {} cannot be read; save the array as array.astype('<f8') or array.astype('<f4')",
         omvc::quoted(name));
  }
}

void read_shape(std::string_view text, const std::string& where, NpyHeader& header) {
  const std::size_t end = text.find(')');
  if (text.front() != '(' || end == std::string_view::npos) fail(where, "the NPY header has no usable shape");
  std::vector<std::string_view> fields;
  split_fields(text.substr(1, end - 1), Delimiter::comma, fields);
  if (!fields.empty() && fields.back().empty()) fields.pop_back();  // Python writes (3,) for one dimension
  for (const std::string_view field : fields) {
    const auto length = parse_index(field);
    if (!length || *length < 0) fail(where, "the NPY header has no usable shape");
    header.shape.push_back(*length);
  }
}

// The dictionary, and the offset of the first value.
std::string read_dictionary(ByteReader& bytes, const std::string& where, NpyHeader& header) {
  std::array<unsigned char, 12> start{};
  if (bytes.size() >= 12) bytes.read(start.data(), 10);
  if (std::string_view(reinterpret_cast<char*>(start.data()), 6) != "\x93NUMPY") {
    fail(where, "is not an NPY file; write it with numpy.save");
  }
  const int version = start[6];
  if (version < 1 || version > 3) fail(where, "NPY version {} is not known; versions 1 to 3 are", version);
  const Index before = version == 1 ? 10 : 12;
  bytes.read(start.data() + 10, before - 10);
  const Index length = start[8] + (Index{start[9]} << 8) + (Index{start[10]} << 16) + (Index{start[11]} << 24);
  if (length > kMaxHeaderBytes || before + length > bytes.size()) {
    fail(where, "the NPY header announces {} bytes, which cannot be; the file is damaged", length);
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  bytes.read(text.data(), length);
  header.data_offset = before + length;
  return text;
}

std::string describe(const std::vector<Index>& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

void check_size(const NpyHeader& header, Index bytes, const std::string& where) {
  std::optional<Index> needed = header.item_bytes;
  for (const Index length : header.shape) needed = needed ? size_product(*needed, length) : std::nullopt;
  if (needed == bytes) return;
  fail(where, "a {} array of {}-byte items takes {} bytes, the file has {}; it is truncated or damaged",
       describe(header.shape), header.item_bytes, needed ? fmt::format("{}", *needed) : "far too many", bytes);
}

}  // namespace

NpyHeader read_npy_header(ByteReader& bytes, const std::string& where) {
  NpyHeader header;
  const std::string text = read_dictionary(bytes, where, header);
  read_type(value_of(text, "descr", where), where, header);
  read_shape(value_of(text, "shape", where), where, header);
  const std::string_view order = value_of(text, "fortran_order", where);
  if (!order.starts_with("True") && !order.starts_with("False")) fail(where, "the NPY header has no usable order");
  header.fortran_order = order.starts_with("True");
  if (header.type != NpyType::object) check_size(header, bytes.size() - header.data_offset, where);
  return header;
}

void check_npy_view(const NpyHeader& header, const std::string& where) {
  check_no_objects(header, where);
  if (header.is_text()) fail(where, "holds text; a view is an array of numbers");
  const std::size_t dimensions = header.shape.size();
  if (dimensions != 2) {
    fail(where, "the array has {} dimension{}; a view has two, instances x features{}", dimensions,
         dimensions == 1 ? "" : "s",
         dimensions == 1  ? ": save array.reshape(-1, 1)"
         : dimensions > 2 ? ": save array.reshape(len(array), -1)"
                          : "");
  }
  if (header.rows() == 0 || header.cols() == 0) {
    fail(where, "the array is {}; a view needs rows and columns", describe(header.shape));
  }
}

void check_no_objects(const NpyHeader& header, const std::string& where) {
  if (header.type != NpyType::object) return;
  fail(where,
       "holds Python objects (type '|O', pickled), which only Python can read; load it there with "
       "numpy.load(..., allow_pickle=True) and save plain arrays with numpy.savez, or a sparse matrix with "
       "scipy.sparse.save_npz");
}

}  // namespace omvc
