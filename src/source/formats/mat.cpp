#include "source/formats/mat.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <numeric>
#include <string_view>

#include "omvc/error.hpp"

#include "source/formats/fail.hpp"
#include "source/formats/known_names.hpp"
#include "source/formats/mat_file.hpp"
#include "source/formats/mat_presence.hpp"
#include "source/formats/mat_view.hpp"
#include "source/table/labels.hpp"
#include "source/table/line_reader.hpp"
#include "source/table/presence.hpp"

namespace omvc {
namespace {

constexpr std::array<std::string_view, 3> kViewNames{"X", "fea", "data"};
constexpr std::array<std::string_view, 5> kLabelVariables{"Y", "y", "gt", "truth", "truelabel"};

// The class labels, or nothing if the file has none that are a vector.
std::optional<std::vector<int>> read_truth(MatFile& file) {
  for (const MatInfo& info : file.variables()) {
    if (!is_one_of(kLabelVariables, info.name) || !(info.cell || info.numeric)) continue;
    const std::vector<MatMatrix> matrices = file.read(info.name);
    if (matrices.empty() || !matrices.front().is_vector()) continue;
    return labels_from_numbers(dense_values(matrices.front()), fmt::format("{}: {}", file.path(), info.name));
  }
  return std::nullopt;
}

// For each matrix, whether its instances are its columns.
std::vector<bool> instances_in_columns(const std::vector<MatMatrix>& cells, std::optional<Index> instances,
                                       const std::string& where) {
  const Index rows = instances.value_or(cells.front().rows);
  const Index cols = instances.value_or(cells.front().cols);
  const auto fits_rows = [&](const MatMatrix& cell) { return cell.rows == rows; };
  const auto fits_cols = [&](const MatMatrix& cell) { return cell.cols == cols; };
  if (std::all_of(cells.begin(), cells.end(), fits_rows)) return std::vector<bool>(cells.size(), false);
  if (std::all_of(cells.begin(), cells.end(), fits_cols)) return std::vector<bool>(cells.size(), true);
  std::vector<bool> columns;
  for (std::size_t v = 0; v < cells.size(); ++v) {
    if (!instances) {
      fail(where,
           "the views agree neither in their rows nor in their columns ({} x {} and {} x {}), so they do not "
           "describe the same instances",
           cells.front().rows, cells.front().cols, cells.back().rows, cells.back().cols);
    }
    if (!fits_rows(cells[v]) && !fits_cols(cells[v])) {
      fail(fmt::format("{}{{{}}}", where, v + 1),
           "is {} x {}, but there are {} labels (or rows of folds); one of its sides must be as long", cells[v].rows,
           cells[v].cols, *instances);
    }
    columns.push_back(!fits_rows(cells[v]));
  }
  return columns;
}

Input make_input(Schema schema, Chunk table, Index rows, std::optional<std::vector<int>> truth) {
  table.rows.resize(static_cast<std::size_t>(rows));
  std::iota(table.rows.begin(), table.rows.end(), Index{0});
  return {make_table_source(std::move(schema), std::move(table)), std::move(truth)};
}

// The number of instances, where labels or a fold tell it.
std::optional<Index> known_instances(const std::optional<std::vector<int>>& truth,
                                     const std::optional<DenseBlock<double>>& fold, std::size_t views) {
  if (truth) return static_cast<Index>(truth->size());
  return fold ? fold_instances(*fold, static_cast<Index>(views)) : std::nullopt;
}

Input open_cells(MatFile& file, const std::string& name, const std::optional<DenseBlock<double>>& fold,
                 std::optional<std::vector<int>> truth) {
  const std::string where = fmt::format("{}: {}", file.path(), name);
  std::vector<MatMatrix> cells = file.read(name);
  if (cells.empty()) fail(where, "the cell array is empty");
  const std::vector<bool> in_columns = instances_in_columns(cells, known_instances(truth, fold, cells.size()), where);
  const Index rows = in_columns.front() ? cells.front().cols : cells.front().rows;
  const auto present = read_mat_presence(file, fold, cells.size(), rows);
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

bool may_be_triplets(const MatInfo& info) {
  return info.numeric && info.cols == 3 && info.rows > 0 && !is_one_of(kLabelVariables, info.name) &&
         info.name != kFolds;
}

// Every matrix of three columns that is not the labels is a view; names are those of the file, and so is the order (in
// version 7.3 it is that of the names).
Input open_triplets(MatFile& file, const std::optional<DenseBlock<double>>& fold,
                    std::optional<std::vector<int>> truth) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> triplets;
  for (const MatInfo& info : file.variables()) {
    if (!may_be_triplets(info)) continue;
    names.push_back(info.name);
    triplets.push_back(dense_values(file.read(info.name).front()));
  }
  if (names.empty()) {
    std::string found;
    for (const MatInfo& info : file.variables()) found += (found.empty() ? "" : ", ") + info.name;
    fail(file.path(),
         "there are no views: expected a cell array X, fea or data, or matrices of three columns (row, "
         "column, value); found {}",
         found.empty() ? "nothing" : found);
  }
  const auto known = known_instances(truth, fold, names.size());
  Index rows = known.value_or(0);
  if (!known) {
    for (const auto& entries : triplets) rows = std::max(rows, triplet_extent(entries, file.path()).rows);
  }
  const auto present = read_mat_presence(file, fold, names.size(), rows);
  Schema schema;
  Chunk table;
  for (std::size_t v = 0; v < names.size(); ++v) {
    ChunkView view = view_from_triplets(triplets[v], rows, fmt::format("{}: {}", file.path(), names[v]));
    table.views.push_back(present.empty() ? std::move(view) : keep_instances(std::move(view), present[v]));
    schema.views.push_back({names[v], block_cols(table.views.back().block), {}});
  }
  return make_input(std::move(schema), std::move(table), rows, std::move(truth));
}

}  // namespace

MatPath split_fold(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || std::filesystem::exists(path, ignored)) return {path, std::nullopt};
  const std::string file = path.substr(0, colon);
  const auto fold = parse_index(std::string_view(path).substr(colon + 1));
  const bool named_mat = file.ends_with(".mat") || file.ends_with(".MAT");
  return fold && named_mat ? MatPath{file, fold} : MatPath{path, std::nullopt};
}

Input open_mat(const std::string& path, const InputOptions& /*options*/) {
  const MatPath parts = split_fold(path);
  const auto file = open_mat_file(parts.path);
  auto truth = read_truth(*file);
  const auto fold = read_fold(*file, parts.fold);
  for (const MatInfo& info : file->variables()) {
    if (info.cell && is_one_of(kViewNames, info.name)) return open_cells(*file, info.name, fold, std::move(truth));
  }
  return open_triplets(*file, fold, std::move(truth));
}

std::vector<bool> read_mat_mask(const std::string& path, Index views) {
  const MatPath parts = split_fold(path);
  const auto file = open_mat_file(parts.path);
  const auto fold = read_fold(*file, parts.fold);
  if (!fold) fail(path, "there is no variable 'folds'; it holds a matrix of 0 and 1, or a cell array of them");
  return presence_from_matrix(*fold, views, path + ": folds");
}

}  // namespace omvc
