#include "model/raw_sums.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

namespace omvc {
namespace {

constexpr double kLevel = 0.01;    // of the test, over all features of a view
constexpr Index kRows = 10'000;    // of the sample looked at
constexpr Index kPiece = 500;      // of them, at a time
constexpr double kNothing = 1e-9;  // what rounding leaves of a share of a variance

// One row of a block, handed on as (column, value).
template <class T, class Body>
void for_cells(const DenseBlock<T>& block, Index row, const Body& body) {
  const auto values = block.row(row);
  for (std::size_t j = 0; j < values.size(); ++j) body(static_cast<Index>(j), static_cast<double>(values[j]));
}

template <class T, class Body>
void for_cells(const CsrBlock<T>& block, Index row, const Body& body) {
  const auto last = static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(row) + 1]);
  for (auto e = static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(row)]); e < last; ++e) {
    body(Index{block.columns[e]}, static_cast<double>(block.values[e]));
  }
}

}  // namespace

RawSums::RawSums(const Schema& schema, Index places, std::vector<ViewScaling> scaling) : scaling_(std::move(scaling)) {
  for (const ViewSchema& view : schema.views) {
    above_.emplace_back(Vector::Constant(view.features, kNan));
    sums_.emplace_back(Matrix::Zero(view.features, places));
    squares_.emplace_back(Vector::Zero(view.features));
    counts_.emplace_back(RowVector::Zero(places));
    missing_.emplace_back();
  }
}

void RawSums::add(const Chunk& chunk, const std::vector<std::int32_t>& places) {
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    const std::vector<Index>& present = chunk.views[v].present;
    std::visit(
        [&](const auto& block) {
          for (std::size_t i = 0; i < present.size(); ++i) {
            const std::int32_t place = places[static_cast<std::size_t>(present[i])];
            if (place < 0) continue;
            counts_[v](place) += 1;
            for_cells(block, static_cast<Index>(i), [&](Index j, double x) {
              if (std::isnan(x) || (!scaling_.empty() && is_left_out(scaling_[v], static_cast<std::size_t>(j), x))) {
                if (missing_[v].size() == 0) missing_[v] = Matrix::Zero(sums_[v].rows(), sums_[v].cols());
                missing_[v](j, place) += 1;
                return;
              }
              double& from = above_[v](j);
              if (std::isnan(from)) from = requires {
                  block.columns;
                }
              ? 0 : x;
              sums_[v](j, place) += x - from;
              squares_[v](j) += (x - from) * (x - from);
            });
          }
        },
        chunk.views[v].block);
  }
}

RawSums RawSums::grouped(const std::vector<int>& group, int groups) const {
  RawSums out({}, 0);
  out.above_ = above_;
  out.squares_ = squares_;
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    Matrix sums = Matrix::Zero(sums_[v].rows(), groups);
    Matrix missing;
    if (missing_[v].size() > 0) missing = sums;
    RowVector counts = RowVector::Zero(groups);
    for (std::size_t p = 0; p < group.size(); ++p) {
      if (group[p] < 0) continue;
      sums.col(group[p]) += sums_[v].col(static_cast<Index>(p));
      counts(group[p]) += counts_[v](static_cast<Index>(p));
      if (missing.size() > 0) missing.col(group[p]) += missing_[v].col(static_cast<Index>(p));
    }
    out.sums_.push_back(std::move(sums));
    out.counts_.push_back(std::move(counts));
    out.missing_.push_back(std::move(missing));
  }
  return out;
}

double RawSums::cells(std::size_t view, Index feature, Index place) const {
  return counts_[view](place) - (missing_[view].size() > 0 ? missing_[view](feature, place) : 0);
}

double RawSums::base(std::size_t view, Index feature) const {
  const double from = above_[view](feature);
  return std::isnan(from) ? 0 : from;
}

RawSums::Feature RawSums::all(std::size_t view, Index feature) const {
  Feature out{.cells = counts_[view].sum(), .sum = sums_[view].row(feature).sum()};
  if (missing_[view].size() > 0) out.cells -= missing_[view].row(feature).sum();
  const double about = out.cells > 0 ? out.sum * out.sum / out.cells : 0;
  out.variance = squares_[view](feature) - about;
  if (!(out.variance > kNothing * about)) out.variance = 0;
  return out;
}

double RawSums::own(std::size_t view, Index feature, Index place) const {
  const double count = cells(view, feature, place);
  return count > 0 ? base(view, feature) + sums_[view](feature, place) / count : kNan;
}

double RawSums::rest(std::size_t view, Index feature, Index place) const {
  const Feature every = all(view, feature);
  const double count = every.cells - cells(view, feature, place);
  return count > 0 ? base(view, feature) + (every.sum - sums_[view](feature, place)) / count : kNan;
}

Telling RawSums::compare(std::size_t view, Index feature, Index place) const {
  const Feature every = all(view, feature);
  const double members = cells(view, feature, place);
  const double others = every.cells - members;
  Telling out{.feature = feature, .own = own(view, feature, place), .others = rest(view, feature, place)};
  if (!(members > 0 && others > 0) || every.cells < 3) return out;
  const double differ = out.own - out.others;
  const double between = members * others / every.cells * differ * differ;
  if (!(between > kNothing * every.variance)) return out;
  const double within = std::max(every.variance - between, kNothing * every.variance) / (every.cells - 2);
  out.effect = differ / std::sqrt(within);
  const double deviations = std::abs(out.effect) / std::sqrt(1 / members + 1 / others);
  out.chance = std::min(1.0, static_cast<double>(sums_[view].rows()) * std::erfc(deviations / std::sqrt(2.0)));
  return out;
}

std::vector<Telling> RawSums::telling(std::size_t view, Index place, Index count) const {
  std::vector<Telling> out;
  for (Index j = 0; j < sums_[view].rows(); ++j) {
    const Telling one = compare(view, j, place);
    if (one.chance < kLevel) out.push_back(one);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Telling& a, const Telling& b) { return std::abs(a.effect) > std::abs(b.effect); });
  if (static_cast<Index>(out.size()) > count) out.resize(static_cast<std::size_t>(count));
  return out;
}

double RawSums::explained(std::size_t view, const std::vector<double>& weights) const {
  double between = 0;
  double total = 0;
  for (Index j = 0; j < sums_[view].rows(); ++j) {
    const Feature every = all(view, j);
    if (!(every.cells > 0)) continue;
    const double square = weights[static_cast<std::size_t>(j)] * weights[static_cast<std::size_t>(j)];
    double own_means = -every.sum * every.sum / every.cells;
    for (Index k = 0; k < counts_[view].size(); ++k) {
      const double count = cells(view, j, k);
      if (count > 0) own_means += sums_[view](j, k) * sums_[view](j, k) / count;
    }
    between += square * own_means;
    total += square * every.variance;
  }
  return total > 0 ? std::clamp(between / total, 0.0, 1.0) : 0;
}

RawSums cluster_sums(const Model& model, Compute& compute) {
  RawSums out(model.intake().schema(), model.clusters().count, model.intake().scaling());
  const std::vector<Chunk> known = model.rows_as_they_came(compute);
  if (!known.empty()) {
    const std::vector<int>& clusters = model.clusters().votes->clusters_of_rows();
    std::size_t row = 0;
    for (const Chunk& chunk : known) {
      std::vector<std::int32_t> places(chunk.rows.size(), -1);
      for (std::size_t i = 0; i < places.size() && row < clusters.size(); ++i, ++row) places[i] = clusters[row];
      out.add(chunk, places);
    }
    return out;
  }
  const std::shared_ptr<const Placer> placer = model.placer();
  for (const Chunk& raw : model.seen().reservoir().pieces(kPiece, compute, kRows)) {
    compute.poll();
    Chunk chunk = raw;
    model.intake().prepare(chunk);
    const std::vector<int> clusters = placer->place(PreparedChunk(chunk), compute).clusters;
    out.add(raw, {clusters.begin(), clusters.end()});
  }
  return out;
}

}  // namespace omvc
