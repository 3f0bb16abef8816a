#include "source/formats/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "source/formats/market_names.hpp"
#include "source/formats/sizes.hpp"
#include "source/formats/triplets.hpp"
#include "source/table/line_reader.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

struct Banner {
  bool coordinate = false;
  bool pattern = false;
  bool symmetric = false;
};

class Parser {
 public:
  Parser(const std::string& path, bool transpose) : lines_(path), source_(path), transpose_(transpose) {}

  ChunkView parse() {
    banner_ = read_banner();
    read_size(banner_.coordinate ? 3 : 2);
    names_ = find_market_names(source_, rows_, cols_, transpose_);
    return banner_.coordinate ? coordinate() : array();
  }
  Index instances() const { return names_.instances_in_columns ? cols_ : rows_; }
  MarketNames take_names() { return std::move(names_); }
  const std::string& path() const { return lines_.path(); }

 private:
  Banner read_banner();
  std::optional<std::string_view> next_line();
  void read_size(std::size_t numbers);
  ChunkView coordinate();
  Triplet read_entry(std::string_view line);
  ChunkView array();
  double read_value(std::string_view field);
  Index read_position(std::string_view field, Index limit, std::string_view what);

  LineReader lines_;
  std::string source_;
  bool transpose_;
  MarketNames names_;
  Banner banner_;
  std::vector<std::string_view> fields_;
  Index rows_ = 0;
  Index cols_ = 0;
  Index entries_ = 0;  // announced
};

Banner Parser::read_banner() {
  const auto line = lines_.next();
  std::string lower(line.value_or(""));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  split_fields(lower, Delimiter::blanks, fields_);
  if (fields_.size() != 5 || fields_[0] != "%%matrixmarket" || fields_[1] != "matrix") {
    throw Error(ErrorKind::data,
                fmt::format("{}:1: a Matrix Market file starts with '%%MatrixMarket matrix coordinate real general' or "
                            "the like, found {}",
                            lines_.path(), omvc::quoted(line.value_or(""))));
  }
  const std::string_view format = fields_[2];
  const std::string_view field = fields_[3];
  const std::string_view symmetry = fields_[4];
  if (format != "coordinate" && format != "array") {
    lines_.fail(fmt::format("format {} is neither 'coordinate' nor 'array'", omvc::quoted(format)));
  }
  if (field != "real" && field != "integer" && field != "double" && !(field == "pattern" && format == "coordinate")) {
    lines_.fail(fmt::format("values of type {} cannot be used; write real, integer or pattern", omvc::quoted(field)));
  }
  if (symmetry != "general" && symmetry != "symmetric") {
    lines_.fail(fmt::format("symmetry {} cannot be used; write general or symmetric", omvc::quoted(symmetry)));
  }
  return {format == "coordinate", field == "pattern", symmetry == "symmetric"};
}

// The next line that is neither empty nor a comment.
std::optional<std::string_view> Parser::next_line() {
  while (const auto line = lines_.next()) {
    const auto text = trim(*line);
    if (!text.empty() && !text.starts_with('%')) return text;
  }
  return std::nullopt;
}

void Parser::read_size(std::size_t numbers) {
  const auto line = next_line();
  if (!line) throw Error(ErrorKind::data, fmt::format("{}: the file ends before the line of sizes", lines_.path()));
  split_fields(*line, Delimiter::blanks, fields_);
  std::vector<Index> sizes;
  for (const auto field : fields_) sizes.push_back(parse_index(field).value_or(-1));
  if (sizes.size() != numbers || std::any_of(sizes.begin(), sizes.end(), [](Index size) { return size < 0; })) {
    lines_.fail(fmt::format("expected {}, found {}",
                            numbers == 3 ? "rows, columns and number of entries" : "rows and columns",
                            omvc::quoted(*line)));
  }
  rows_ = sizes[0];
  cols_ = sizes[1];
  entries_ = numbers == 3 ? sizes[2] : 0;
  if (banner_.symmetric && rows_ != cols_) {
    lines_.fail(fmt::format("a symmetric matrix is square, not {} x {}", rows_, cols_));
  }
}

double Parser::read_value(std::string_view field) {
  const auto value = parse_number(field);
  if (!value) lines_.fail(fmt::format("{} is not a number", omvc::quoted(field)));
  if (std::isinf(*value))
    lines_.fail(fmt::format("{} is infinite or too large; only finite numbers can be used", omvc::quoted(field)));
  return *value;
}

Index Parser::read_position(std::string_view field, Index limit, std::string_view what) {
  const auto number = parse_index(field);
  if (!number) lines_.fail(fmt::format("{} {} is not a whole number", what, omvc::quoted(field)));
  if (*number < 1 || *number > limit) {
    lines_.fail(fmt::format("{} {} is outside 1 .. {}, the size announced in the header", what, *number, limit));
  }
  return *number - 1;
}

Triplet Parser::read_entry(std::string_view line) {
  split_fields(line, Delimiter::blanks, fields_);
  const std::size_t numbers = banner_.pattern ? 2 : 3;
  if (fields_.size() != numbers) {
    lines_.fail(fmt::format("expected {} numbers ({}), found {}", numbers,
                            banner_.pattern ? "row, column" : "row, column, value", fields_.size()));
  }
  Triplet entry;
  entry.row = read_position(fields_[0], rows_, "row");
  entry.column = static_cast<std::int32_t>(read_position(fields_[1], cols_, "column"));
  entry.place =
      static_cast<std::uint32_t>(std::min<Index>(lines_.line_number(), std::numeric_limits<std::uint32_t>::max()));
  entry.value = banner_.pattern ? 1.0 : read_value(fields_[2]);
  return entry;
}

ChunkView Parser::coordinate() {
  check_sparse_shape(lines_.path(), rows_, cols_, entries_);
  if (names_.instances_in_columns) check_sparse_shape(lines_.path() + " (transposed)", cols_, rows_, entries_);
  std::vector<Triplet> entries;
  Index found = 0;
  while (const auto line = next_line()) {
    if (found == entries_)
      lines_.fail(fmt::format("there are more entries than the {} the header announces", entries_));
    entries.push_back(read_entry(*line));
    ++found;
    Triplet mirrored = entries.back();
    if (!banner_.symmetric || mirrored.row == mirrored.column) continue;
    mirrored.row = entries.back().column;
    mirrored.column = static_cast<std::int32_t>(entries.back().row);
    entries.push_back(mirrored);
  }
  if (found != entries_) {
    throw Error(ErrorKind::data, fmt::format("{}: the header announces {} entries, the file has {}; it is truncated",
                                             lines_.path(), entries_, found));
  }
  if (names_.instances_in_columns) {
    for (Triplet& entry : entries) {
      const Index instance = entry.column;
      entry.column = static_cast<std::int32_t>(entry.row);
      entry.row = instance;
    }
  }
  TripletMatrix matrix = csr_from_triplets(entries, instances(), rows_ + cols_ - instances());
  if (matrix.repeated != nullptr) {
    Index row = matrix.repeated->row + 1;
    Index column = matrix.repeated->column + 1;
    if (names_.instances_in_columns) std::swap(row, column);
    throw Error(ErrorKind::data, fmt::format("{}:{}: row {}, column {} was given before; keep one of the two entries",
                                             lines_.path(), matrix.repeated->place, row, column));
  }
  return view_from_rows(std::move(matrix.block), lines_.path());
}

// Values come column after column; of a symmetric matrix only the part on and below the diagonal.
ChunkView Parser::array() {
  const auto size = size_product(rows_, cols_);
  if (!size || *size == 0) {
    lines_.fail(fmt::format("the matrix is {} x {}; a view needs rows and columns in sensible numbers", rows_, cols_));
  }
  const Index expected = banner_.symmetric ? (*size - rows_) / 2 + rows_ : *size;
  std::vector<double> by_column;
  while (const auto line = next_line()) {
    split_fields(*line, Delimiter::blanks, fields_);
    for (const auto field : fields_) by_column.push_back(read_value(field));
    if (static_cast<Index>(by_column.size()) > expected) {
      lines_.fail(fmt::format("there are more values than the {} of a {} x {} matrix", expected, rows_, cols_));
    }
  }
  if (static_cast<Index>(by_column.size()) != expected) {
    throw Error(ErrorKind::data,
                fmt::format("{}: a {} x {} matrix has {} values here, the file has {}; it is truncated", lines_.path(),
                            rows_, cols_, expected, by_column.size()));
  }
  if (names_.instances_in_columns && !banner_.symmetric) {
    return view_from_rows(DenseBlock<double>{cols_, rows_, std::move(by_column)}, lines_.path());
  }
  DenseBlock<double> block{rows_, cols_, std::vector<double>(static_cast<std::size_t>(*size))};
  auto value = by_column.begin();
  for (Index j = 0; j < cols_; ++j) {
    for (Index i = banner_.symmetric ? j : 0; i < rows_; ++i, ++value) {
      block.values[static_cast<std::size_t>(i * cols_ + j)] = *value;
      if (banner_.symmetric) block.values[static_cast<std::size_t>(j * cols_ + i)] = *value;
    }
  }
  return view_from_rows(std::move(block), lines_.path());
}

}  // namespace

std::unique_ptr<ViewReader> open_matrix_market(const std::string& path, const std::string& view_name,
                                               const InputOptions& options) {
  Parser parser(path, options.transpose);
  ChunkView view = parser.parse();
  MarketNames names = parser.take_names();
  ViewSchema schema{view_name, block_cols(view.block), std::move(names.features)};
  schema.first_number = 1;  // as the file counts them
  return make_memory_reader(parser.path(), std::move(schema), std::move(view), parser.instances(),
                            std::move(names.samples));
}

}  // namespace omvc
