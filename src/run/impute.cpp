#include <cmath>
#include <fmt/format.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "model/expected.hpp"
#include "run/impl.hpp"

namespace omvc {
namespace {

// Puts what was observed in the place of what was expected.
template <class T>
void keep_observed(const DenseBlock<T>& block, const std::vector<Index>& present, Matrix& out) {
  for (Index i = 0; i < block.rows; ++i) {
    const auto row = block.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!std::isnan(row[j])) out(present[static_cast<std::size_t>(i)], static_cast<Index>(j)) = row[j];
    }
  }
}

// Entries that are not stored are zeros that were observed.
template <class T>
void keep_observed(const CsrBlock<T>& block, const std::vector<Index>& present, Matrix& out) {
  for (std::size_t i = 0; i < present.size(); ++i) {
    const RowVector expected = out.row(present[i]);
    out.row(present[i]).setZero();
    for (Index e = block.offsets[i]; e < block.offsets[i + 1]; ++e) {
      const Index column = block.columns[static_cast<std::size_t>(e)];
      const double value = block.values[static_cast<std::size_t>(e)];
      out(present[i], column) = std::isnan(value) ? expected(column) : value;
    }
  }
}

}  // namespace

std::vector<double> Clusterer::impute(Chunk chunk, std::size_t view) const {
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
  const ChunkView observed = chunk.views[view];
  model.intake().prepare(chunk);
  Matrix out = impl().share([&](Compute& compute) { return expected(model, PreparedChunk(chunk), view, compute); });
  std::visit([&](const auto& block) { keep_observed(block, observed.present, out); }, observed.block);
  return {out.data(), out.data() + out.size()};
}

}  // namespace omvc
