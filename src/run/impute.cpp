#include <cmath>
#include <fmt/format.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "model/expected.hpp"
#include "run/impl.hpp"

namespace omvc {
namespace {

// The observed values of a view, instances x features; NaN where there are none. Entries that are not stored are zeros
// that were observed.
Matrix observed_values(const ChunkView& view, Index instances) {
  Matrix out = Matrix::Constant(instances, block_cols(view.block), kNan);
  const Block dense = as_dense(widened(view.block));
  const auto& block = std::get<DenseBlock<double>>(dense);
  for (Index i = 0; i < block.rows; ++i) {
    out.row(view.present[static_cast<std::size_t>(i)]) =
        Eigen::Map<const RowVector>(block.values.data() + i * block.cols, block.cols);
  }
  return out;
}

}  // namespace

std::shared_ptr<const Expectation> Clusterer::Impl::expectation(std::size_t view, bool cells) {
  const std::lock_guard lock(filling);
  if (std::vector<double> now = state(); now != expected_at) {
    expectations.clear();
    expected_at = std::move(now);
  }
  std::shared_ptr<Expectation>& found = expectations[view];
  if (!found) found = share([&](Compute& own) { return std::make_shared<Expectation>(*model, view, own); });
  if (cells) share([&](Compute& own) { found->learn_cells(own); });
  return found;
}

Imputed Clusterer::impute(Chunk chunk, std::size_t view) const {
  const Usage::Read read(impl().usage);
  impl().labeller();
  if (!impl().model) {
    throw Error(ErrorKind::usage, fmt::format("a model of method {} cannot fill in views: fit with method omvc",
                                              name_of(impl().options.method)));
  }
  const Model& model = *impl().model;
  model.intake().admit(chunk);
  if (view >= chunk.views.size()) {
    throw Error(ErrorKind::usage, fmt::format("there is no view {}: the model has {}", view, chunk.views.size()));
  }
  if (!model.intake().scaling()[view].known) {
    throw Error(ErrorKind::data,
                fmt::format("view {} was never seen, so nobody knows it", model.intake().schema().views[view].name));
  }
  Matrix values = observed_values(chunk.views[view], chunk.size());
  Matrix spread = Matrix::Zero(values.rows(), values.cols());
  std::vector<Index> lacking;
  for (Index i = 0; i < values.rows(); ++i) {
    if (values.row(i).array().isNaN().any()) lacking.push_back(i);
  }
  if (!lacking.empty()) {
    Chunk rows = take_instances(chunk, lacking);
    const Holes holes = holes_of(rows, model.intake().scaling());
    const bool cells = !rows.views[view].present.empty();
    model.intake().prepare(rows);
    const std::shared_ptr<const Expectation> expectation = impl().expectation(view, cells);
    const Expectation::Found found =
        impl().share([&](Compute& compute) { return expectation->of(rows, holes, compute); });
    for (std::size_t i = 0; i < lacking.size(); ++i) {
      for (Index j = 0; j < values.cols(); ++j) {
        if (!std::isnan(values(lacking[i], j))) continue;
        values(lacking[i], j) = found.values(static_cast<Index>(i), j);
        spread(lacking[i], j) = found.spread(static_cast<Index>(i), j);
      }
    }
  }
  return {.values = {values.data(), values.data() + values.size()},
          .spread = {spread.data(), spread.data() + spread.size()}};
}

}  // namespace omvc
