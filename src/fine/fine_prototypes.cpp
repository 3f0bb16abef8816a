#include "fine/fine_prototypes.hpp"

#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "kernels/tall.hpp"

namespace omvc {
namespace {

constexpr Index kMostPrototypes = 1000000;  // in an archive: more is nonsense

// How a view of each prototype follows from what there is: scale * sum of its rows, mean * sum of all rows, or it
// stays.
struct Moves {
  RowVector scale;
  RowVector mean;
  RowVector stay;
};

Moves moves_of(const PrototypeSums& sums, std::size_t view, bool prior, double prior_rows) {
  const RowVector none = RowVector::Zero(sums.size());
  Moves out{none, none, none};
  const double rows = sums.rows(view);
  for (Index k = 0; k < sums.size(); ++k) {
    if (prior && sums.mass(k) > 0) {
      out.scale(k) = 1 / (sums.counts[view](k) + prior_rows);
    } else if (sums.counts[view](k) > 0) {
      out.scale(k) = 1 / sums.counts[view](k);
    } else if (sums.mass(k) > 0 && rows > 0) {
      out.mean(k) = 1 / rows;
    } else {
      out.stay(k) = 1;
    }
  }
  return out;
}

}  // namespace

FinePrototypes::FinePrototypes(const Schema& schema, Index count, FineRule rule)
    : rule_(std::move(rule)), sums_(schema, count) {
  auto table = std::make_shared<PrototypeTable>();
  for (const ViewSchema& view : schema.views) {
    table->columns.emplace_back(NarrowMatrix::Zero(view.features, count));
    table->norms.emplace_back(RowVector::Zero(count));
  }
  table_ = std::move(table);
}

void FinePrototypes::settle(Compute& compute) {
  auto next = std::make_shared<PrototypeTable>();
  const bool prior = !prior_.empty();
  for (std::size_t v = 0; v < sums_.sums.size(); ++v) {
    const NarrowMatrix& before = table_->columns[v];
    NarrowMatrix& P = next->columns.emplace_back(before.rows(), before.cols());
    const Moves moves = moves_of(sums_, v, prior, prior_rows_);
    const Matrix& sums = sums_.sums[v];
    for_tall_blocks(compute, P.rows(), P.cols(), [&](Index first, Index count) {
      RowVector row(size());
      for (Index j = first; j < first + count; ++j) {
        row = before.row(j).cast<double>().cwiseProduct(moves.stay) + sums.row(j).cwiseProduct(moves.scale) +
              sums.row(j).sum() * moves.mean;
        if (prior) row += prior_rows_ * prior_[v].row(j).cwiseProduct(moves.scale);
        P.row(j) = row.cast<float>();
      }
    });
  }
  next->measure(compute);
  for (std::size_t v = 0; v < next->columns.size(); ++v) {
    if (!rule_.direction[v]) continue;
    const RowVector shrink = next->norms[v].unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; });
    next->columns[v].array().rowwise() *= shrink.cast<float>().array();
    next->norms[v] = next->norms[v].unaryExpr([](double x) { return x > 0 ? 1.0 : 0.0; });
  }
  table_ = std::move(next);
}

void FinePrototypes::drop_empty(Compute& compute) {
  std::vector<Index> kept;
  for (Index k = 0; k < size(); ++k) {
    if (sums_.mass(k) > 0) kept.push_back(k);
  }
  if (static_cast<Index>(kept.size()) == size()) return;
  auto next = std::make_shared<PrototypeTable>();
  for (const NarrowMatrix& columns : table_->columns) next->columns.emplace_back(columns(Eigen::all, kept));
  for (Matrix& prior : prior_) prior = Matrix(prior(Eigen::all, kept));
  sums_.keep(kept);
  next->measure(compute);
  table_ = std::move(next);
}

void FinePrototypes::save(Archive& archive, const std::string& key, bool sums) const {
  sums_.put(archive, key, sums);
  archive.put(key + "/beyond", std::vector<double>{beyond_, prior_rows_});
  for (std::size_t v = 0; v < table_->columns.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    archive.put(name + "/prototypes", Matrix(table_->columns[v].cast<double>()));
    archive.put(name + "/norms", std::vector<double>(table_->norms[v].begin(), table_->norms[v].end()));
    if (sums && !prior_.empty()) archive.put(name + "/prior", prior_[v]);
  }
}

FinePrototypes FinePrototypes::load(const Archive& archive, const std::string& key, const Schema& schema, FineRule rule,
                                    bool sums) {
  const auto count = static_cast<Index>(archive.numbers(key + "/mass").size());
  if (count > kMostPrototypes) throw Error(ErrorKind::data, "the model's prototypes make no sense");
  FinePrototypes out;
  out.rule_ = std::move(rule);
  const Vector beyond = archive.vector(key + "/beyond", 2, kNonnegative);
  out.beyond_ = beyond(0);
  out.prior_rows_ = beyond(1);
  auto table = std::make_shared<PrototypeTable>();
  const bool prior = sums && archive.has(fmt::format("{}/view0/prior", key));
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    const Index features = schema.views[v].features;
    table->columns.emplace_back(archive.matrix(name + "/prototypes", features, count, kNarrow).cast<float>());
    table->norms.emplace_back(archive.vector(name + "/norms", count, kNonnegative));
    if (prior) out.prior_.push_back(archive.matrix(name + "/prior", features, count, kSquarable));
  }
  out.table_ = std::move(table);
  out.sums_ = PrototypeSums::get(archive, key, schema, count, sums);
  for (std::size_t v = 0; !sums && v < schema.views.size(); ++v) {
    out.sums_.sums.emplace_back(out.table_->columns[v].cast<double>() * out.sums_.counts[v].asDiagonal());
  }
  return out;
}

}  // namespace omvc
