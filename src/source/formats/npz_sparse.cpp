#include "source/formats/npz_sparse.hpp"

#include <array>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/formats/fail.hpp"
#include "source/formats/npy_array.hpp"
#include "source/formats/sizes.hpp"
#include "source/formats/triplets.hpp"

namespace omvc {
namespace {

constexpr std::array<std::string_view, 9> kParts{"data", "shape", "format",  "indices",  "indptr",
                                                 "row",  "col",   "offsets", "_is_array"};

// Reads the parts of one matrix.
class Parts {
 public:
  Parts(const NpzArrays& arrays, const NpzSparse& matrix) : arrays_(arrays), matrix_(matrix) {}

  bool has(std::string_view part) const { return arrays_.find(matrix_.prefix + std::string(part)) != nullptr; }

  const NpzArray& get(std::string_view part) const {
    const NpzArray* array = arrays_.find(matrix_.prefix + std::string(part));
    if (array == nullptr) fail(matrix_.where, "the sparse matrix has no array '{}{}'", matrix_.prefix, part);
    return *array;
  }

  std::vector<Index> whole_numbers(std::string_view part) const {
    const NpzArray& array = get(part);
    if (!array.header.is_whole() || array.header.shape.size() != 1) {
      fail(array.where, "a sparse matrix needs whole numbers in one dimension here");
    }
    return read_npy_values<Index>(*arrays_.open(array), array.header);
  }

  std::vector<double> values() const {
    const NpzArray& array = get("data");
    if (array.header.is_text() || array.header.shape.size() != 1) {
      fail(array.where, "a sparse matrix needs numbers in one dimension here");
    }
    return read_npy_values<double>(*arrays_.open(array), array.header);
  }

  std::string format(Index rows, Index cols) const {
    if (has("format")) {
      const NpzArray& array = get("format");
      if (!array.header.is_text() || array.header.rows() != 1 || array.header.cols() != 1) {
        fail(array.where, "a sparse matrix needs the name of its format here");
      }
      return read_npy_strings(*arrays_.open(array), array.header, array.where).front();
    }
    if (!has("indptr")) return "coo";
    const Index offsets = get("indptr").header.rows();
    if (offsets != rows + 1 && offsets != cols + 1) fail(get("indptr").where, "fits neither the rows nor the columns");
    return offsets == rows + 1 ? "csr" : "csc";
  }

 private:
  const NpzArrays& arrays_;
  const NpzSparse& matrix_;
};

struct Shape {
  Index rows = 0;
  Index cols = 0;
};

void check_positions(const std::vector<Index>& positions, std::size_t entries, Index size, const std::string& where) {
  if (positions.size() != entries) fail(where, "has {} items for {} entries", positions.size(), entries);
  for (std::size_t k = 0; k < entries; ++k) {
    if (positions[k] < 0 || positions[k] >= size) {
      fail(where, "item {} (from 0) is {}; the matrix has 0 .. {}", k, positions[k], size - 1);
    }
  }
}

void check_offsets(const std::vector<Index>& offsets, Index lines, std::size_t entries, const std::string& where) {
  if (static_cast<Index>(offsets.size()) != lines + 1) {
    fail(where, "has {} items; the matrix needs {}", offsets.size(), lines + 1);
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) fail(where, "item {} (from 0) is less than the one before it", i);
  }
  if (offsets.front() != 0 || offsets.back() != static_cast<Index>(entries)) {
    fail(where, "runs from {} to {}; it must run from 0 to the {} entries", offsets.front(), offsets.back(), entries);
  }
}

// Whether columns ascend strictly within every row, as CSR needs them.
bool ascending(const std::vector<Index>& offsets, const std::vector<Index>& columns) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (Index k = offsets[i] + 1; k < offsets[i + 1]; ++k) {
      if (columns[static_cast<std::size_t>(k) - 1] >= columns[static_cast<std::size_t>(k)]) return false;
    }
  }
  return true;
}

CsrBlock<double> block_from(const std::vector<Triplet>& entries, Shape shape, const std::string& where) {
  TripletMatrix matrix = csr_from_triplets(entries, shape.rows, shape.cols);
  if (matrix.repeated != nullptr) {
    fail(where,
         "the entry at row {}, column {} (from 0) occurs twice; call sum_duplicates() on the matrix before saving it",
         matrix.repeated->row, matrix.repeated->column);
  }
  return std::move(matrix.block);
}

CsrBlock<double> load_compressed(const Parts& parts, Shape shape, bool by_row, const std::string& where) {
  std::vector<Index> offsets = parts.whole_numbers("indptr");
  const std::vector<Index> positions = parts.whole_numbers("indices");
  std::vector<double> values = parts.values();
  check_sparse_shape(where, shape.rows, shape.cols, static_cast<Index>(values.size()));
  check_offsets(offsets, by_row ? shape.rows : shape.cols, values.size(), parts.get("indptr").where);
  check_positions(positions, values.size(), by_row ? shape.cols : shape.rows, parts.get("indices").where);
  if (by_row && ascending(offsets, positions)) {
    CsrBlock<double> block{shape.rows, shape.cols, std::move(offsets), {}, std::move(values)};
    block.columns.assign(positions.begin(), positions.end());
    return block;
  }
  std::vector<Triplet> entries;
  entries.reserve(values.size());
  for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
    for (auto k = static_cast<std::size_t>(offsets[line]); k < static_cast<std::size_t>(offsets[line + 1]); ++k) {
      const Index row = by_row ? static_cast<Index>(line) : positions[k];
      const Index column = by_row ? positions[k] : static_cast<Index>(line);
      entries.push_back({row, static_cast<std::int32_t>(column), 0, values[k]});
    }
  }
  return block_from(entries, shape, where);
}

CsrBlock<double> load_coordinates(const Parts& parts, Shape shape, const std::string& where) {
  const std::vector<Index> rows = parts.whole_numbers("row");
  const std::vector<Index> columns = parts.whole_numbers("col");
  const std::vector<double> values = parts.values();
  check_sparse_shape(where, shape.rows, shape.cols, static_cast<Index>(values.size()));
  check_positions(rows, values.size(), shape.rows, parts.get("row").where);
  check_positions(columns, values.size(), shape.cols, parts.get("col").where);
  std::vector<Triplet> entries;
  entries.reserve(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    entries.push_back({rows[k], static_cast<std::int32_t>(columns[k]), 0, values[k]});
  }
  return block_from(entries, shape, where);
}

CsrBlock<float> narrowed(CsrBlock<double> block) {
  CsrBlock<float> out{block.rows, block.cols, std::move(block.offsets), std::move(block.columns), {}};
  out.values.assign(block.values.begin(), block.values.end());
  return out;
}

}  // namespace

std::optional<NpzSparse> sparse_of(const NpzArrays& arrays, const NpzArray& part) {
  for (const std::string_view name : kParts) {
    if (!part.name.ends_with(name)) continue;
    const std::string prefix = part.name.substr(0, part.name.size() - name.size());
    if (!prefix.empty() && (prefix.size() < 2 || std::string_view("_./-").find(prefix.back()) == std::string::npos)) {
      continue;
    }
    const NpzSparse matrix{prefix, prefix.empty()
                                       ? arrays.path()
                                       : fmt::format("{}: {}", arrays.path(), prefix.substr(0, prefix.size() - 1))};
    const Parts parts(arrays, matrix);
    const bool entries = parts.has("indptr") || parts.has("row") || parts.has("format");
    if (parts.has("data") && parts.has("shape") && entries) return matrix;
  }
  return std::nullopt;
}

SparseView load_sparse(const NpzArrays& arrays, const NpzSparse& matrix) {
  const Parts parts(arrays, matrix);
  const std::vector<Index> sizes = parts.whole_numbers("shape");
  if (sizes.size() != 2) fail(matrix.where, "the sparse matrix has {} dimensions; a view has two", sizes.size());
  const Shape shape{sizes[0], sizes[1]};
  if (shape.rows < 0 || shape.cols < 0) fail(matrix.where, "the sparse matrix has no usable shape");
  const std::string format = parts.format(shape.rows, shape.cols);
  if (format != "csr" && format != "csc" && format != "coo") {
    fail(matrix.where, "sparse matrices in the format '{}' cannot be read; save matrix.tocsr()", format);
  }
  CsrBlock<double> block = format == "coo" ? load_coordinates(parts, shape, matrix.where)
                                           : load_compressed(parts, shape, format == "csr", matrix.where);
  if (parts.get("data").header.type == NpyType::float32) {
    return {view_from_rows(narrowed(std::move(block)), matrix.where), shape.rows};
  }
  return {view_from_rows(std::move(block), matrix.where), shape.rows};
}

}  // namespace omvc
