#include "source/mat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numeric>
#include <string_view>

#include "omvc/error.hpp"

#include "source/mat_file.hpp"
#include "source/mat_view.hpp"
#include "source/sizes.hpp"

namespace omvc {
namespace {

constexpr std::array<std::string_view, 3> kViewNames{"X", "fea", "data"};
constexpr std::array<std::string_view, 5> kLabelNames{"Y", "y", "gt", "truth", "truelabel"};

template <class... Parts>
[[noreturn]] void fail(const std::string& where, fmt::format_string<Parts...> format, Parts&&... parts) {
  throw Error(ErrorKind::data, where + ": " + fmt::format(format, std::forward<Parts>(parts)...));
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<double> as_doubles(const MatMatrix& matrix) {
  if (const auto* values = std::get_if<std::vector<double>>(&matrix.values)) return *values;
  const auto& values = std::get<std::vector<float>>(matrix.values);
  return {values.begin(), values.end()};
}

// The class labels, or nothing if the file has none that are a vector.
std::optional<std::vector<int>> read_truth(MatFile& file) {
  for (const MatInfo& info : file.variables()) {
    if (!is_one_of(kLabelNames, info.name) || !(info.cell || info.numeric)) continue;
    const std::vector<MatMatrix> matrices = file.read(info.name);
    if (matrices.empty() || !matrices.front().is_vector()) continue;
    std::vector<int> labels;
    for (const double value : as_doubles(matrices.front())) {
      if (!(std::abs(value) <= std::numeric_limits<int>::max()) || value != std::floor(value)) {
        fail(fmt::format("{}: {}", file.path(), info.name), "entry {} is {}; a class label is a whole number",
             labels.size() + 1, value);
      }
      labels.push_back(static_cast<int>(value));
    }
    return labels;
  }
  return std::nullopt;
}

// For each matrix, whether its instances are its columns.
std::vector<bool> instances_in_columns(const std::vector<MatMatrix>& cells, std::optional<Index> labels,
                                       const std::string& where) {
  const Index rows = labels.value_or(cells.front().rows);
  const Index cols = labels.value_or(cells.front().cols);
  const auto fits_rows = [&](const MatMatrix& cell) { return cell.rows == rows; };
  const auto fits_cols = [&](const MatMatrix& cell) { return cell.cols == cols; };
  if (std::all_of(cells.begin(), cells.end(), fits_rows)) return std::vector<bool>(cells.size(), false);
  if (std::all_of(cells.begin(), cells.end(), fits_cols)) return std::vector<bool>(cells.size(), true);
  std::vector<bool> columns;
  for (std::size_t v = 0; v < cells.size(); ++v) {
    if (!labels) {
      fail(where,
           "the views agree neither in their rows nor in their columns ({} x {} and {} x {}), so they do not "
           "describe the same instances",
           cells.front().rows, cells.front().cols, cells.back().rows, cells.back().cols);
    }
    if (!fits_rows(cells[v]) && !fits_cols(cells[v])) {
      fail(fmt::format("{}{{{}}}", where, v + 1),
           "is {} x {}, but there are {} labels; one of its sides must be as long", cells[v].rows, cells[v].cols,
           *labels);
    }
    columns.push_back(!fits_rows(cells[v]));
  }
  return columns;
}

// Which instances `index` says are present in each view; empty where the file has no `index`.
std::vector<std::vector<bool>> read_index(MatFile& file, std::size_t views, Index rows) {
  const auto& all = file.variables();
  const auto found = std::find_if(all.begin(), all.end(), [](const MatInfo& v) { return v.cell && v.name == "index"; });
  if (found == all.end()) return {};
  const std::string where = file.path() + ": index";
  const std::vector<MatMatrix> cells = file.read(found->name);
  if (cells.size() != views) fail(where, "has {} cells for {} views", cells.size(), views);
  std::vector<std::vector<bool>> present;
  for (std::size_t v = 0; v < views; ++v) {
    const bool empty = cells[v].rows == 0 || cells[v].cols == 0;
    if (!empty && !cells[v].is_vector()) fail(where, "cell {} is not a vector of instance numbers", v + 1);
    present.emplace_back(static_cast<std::size_t>(rows), false);
    for (const double value : empty ? std::vector<double>() : as_doubles(cells[v])) {
      if (!(value >= 1.0 && value <= static_cast<double>(rows)) || value != std::floor(value)) {
        fail(where, "cell {} lists instance {}; instances are numbered 1 .. {}", v + 1, value, rows);
      }
      present.back()[static_cast<std::size_t>(value) - 1] = true;
    }
  }
  return present;
}

Input make_input(Schema schema, Chunk table, Index rows, std::optional<std::vector<int>> truth) {
  table.rows.resize(static_cast<std::size_t>(rows));
  std::iota(table.rows.begin(), table.rows.end(), Index{0});
  return {make_table_source(std::move(schema), std::move(table)), std::move(truth)};
}

Input open_cells(MatFile& file, const std::string& name, std::optional<std::vector<int>> truth) {
  const std::string where = fmt::format("{}: {}", file.path(), name);
  std::vector<MatMatrix> cells = file.read(name);
  if (cells.empty()) fail(where, "the cell array is empty");
  const auto labels = truth ? std::optional<Index>(static_cast<Index>(truth->size())) : std::nullopt;
  const std::vector<bool> in_columns = instances_in_columns(cells, labels, where);
  const Index rows = in_columns.front() ? cells.front().cols : cells.front().rows;
  const auto present = read_index(file, cells.size(), rows);
  Schema schema;
  Chunk table;
  for (std::size_t v = 0; v < cells.size(); ++v) {
    const std::string view = fmt::format("{}{{{}}}", where, v + 1);
    table.views.push_back(
        view_from_mat(std::move(cells[v]), in_columns[v], present.empty() ? nullptr : &present[v], view));
    schema.views.push_back({fmt::format("view{}", v + 1), block_cols(table.views.back().block), {}});
  }
  return make_input(std::move(schema), std::move(table), rows, std::move(truth));
}

// Every matrix of three columns that is not the labels is a view; order and names are those of the file.
Input open_triplets(MatFile& file, std::optional<std::vector<int>> truth) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> triplets;
  for (const MatInfo& info : file.variables()) {
    if (!info.numeric || info.cols != 3 || info.rows < 1 || is_one_of(kLabelNames, info.name)) continue;
    names.push_back(info.name);
    triplets.push_back(as_doubles(file.read(info.name).front()));
  }
  if (names.empty()) {
    std::string found;
    for (const MatInfo& info : file.variables()) found += (found.empty() ? "" : ", ") + info.name;
    fail(file.path(),
         "there are no views: expected a cell array X, fea or data, or matrices of three columns (row, "
         "column, value); found {}",
         found.empty() ? "nothing" : found);
  }
  Index rows = truth ? static_cast<Index>(truth->size()) : 0;
  if (!truth) {
    for (const auto& entries : triplets) rows = std::max(rows, triplet_extent(entries, file.path()).rows);
  }
  Schema schema;
  Chunk table;
  for (std::size_t v = 0; v < names.size(); ++v) {
    table.views.push_back(view_from_triplets(triplets[v], rows, fmt::format("{}: {}", file.path(), names[v])));
    schema.views.push_back({names[v], block_cols(table.views.back().block), {}});
  }
  return make_input(std::move(schema), std::move(table), rows, std::move(truth));
}

}  // namespace

Input open_mat(const std::string& path, const InputOptions& /*options*/) {
  MatFile file(path);
  auto truth = read_truth(file);
  for (const MatInfo& info : file.variables()) {
    if (info.cell && is_one_of(kViewNames, info.name)) return open_cells(file, info.name, std::move(truth));
  }
  return open_triplets(file, std::move(truth));
}

}  // namespace omvc
