#include "source/formats/mat_presence.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "omvc/error.hpp"

#include "source/formats/fail.hpp"
#include "source/table/presence.hpp"

namespace omvc {
namespace {

std::vector<std::vector<bool>> read_index(MatFile& file, std::size_t views, Index rows) {
  const MatInfo* index = file.find("index");
  if (index == nullptr || !index->cell) return {};
  const std::string where = file.path() + ": index";
  const std::vector<MatMatrix> cells = file.read(index->name);
  if (cells.size() != views) fail(where, "has {} cells for {} views", cells.size(), views);
  std::vector<std::vector<bool>> present;
  for (std::size_t v = 0; v < views; ++v) {
    const bool empty = cells[v].rows == 0 || cells[v].cols == 0;
    if (!empty && !cells[v].is_vector()) fail(where, "cell {} is not a vector of instance numbers", v + 1);
    present.emplace_back(static_cast<std::size_t>(rows), false);
    for (const double value : empty ? std::vector<double>() : dense_values(cells[v])) {
      if (!(value >= 1.0 && value <= static_cast<double>(rows)) || value != std::floor(value)) {
        fail(where, "cell {} lists instance {}; instances are numbered 1 .. {}", v + 1, value, rows);
      }
      present.back()[static_cast<std::size_t>(value) - 1] = true;
    }
  }
  return present;
}

}  // namespace

std::optional<DenseBlock<double>> read_fold(MatFile& file, std::optional<Index> fold) {
  const MatInfo* info = file.find(kFolds);
  const std::string where = fmt::format("{}: {}", file.path(), kFolds);
  if (info == nullptr || !(info->cell || info->numeric)) {
    if (!fold) return std::nullopt;
    fail(file.path(), "fold {} was asked for, but there is no variable 'folds'", *fold);
  }
  const std::vector<MatMatrix> folds = file.read(info->name);
  const Index which = fold.value_or(1);
  if (which < 1 || which > static_cast<Index>(folds.size())) {
    fail(where, "fold {} was asked for; there are {}, numbered from 1", which, folds.size());
  }
  const std::string name = info->cell ? fmt::format("{}{{{}}}", where, which) : where;
  return block_from_mat(folds[static_cast<std::size_t>(which) - 1], name);
}

std::optional<Index> fold_instances(const DenseBlock<double>& fold, Index views) {
  if (fold.cols == views) return fold.rows;
  return fold.rows == views ? std::optional<Index>(fold.cols) : std::nullopt;
}

std::vector<std::vector<bool>> read_mat_presence(MatFile& file, const std::optional<DenseBlock<double>>& fold,
                                                 std::size_t views, Index rows) {
  std::vector<std::vector<bool>> present = read_index(file, views, rows);
  if (!fold) return present;
  const std::string where = fmt::format("{}: {}", file.path(), kFolds);
  const std::vector<bool> mask = presence_from_matrix(*fold, static_cast<Index>(views), where);
  if (static_cast<Index>(mask.size()) != rows * static_cast<Index>(views)) {
    fail(where, "is about {} instances, the data have {}", mask.size() / views, rows);
  }
  if (present.empty()) present.assign(views, std::vector<bool>(static_cast<std::size_t>(rows), true));
  for (std::size_t v = 0; v < views; ++v) {
    for (std::size_t i = 0; i < present[v].size(); ++i) present[v][i] = present[v][i] && mask[i * views + v];
  }
  return present;
}

}  // namespace omvc
