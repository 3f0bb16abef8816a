#include "report/raw_means.hpp"

#include <cmath>
#include <limits>
#include <variant>

namespace omvc {
namespace {

template <class T>
void add_row(const DenseBlock<T>& block, Index row, const ViewSurvey& survey, Eigen::Ref<Matrix> sums, Index place) {
  const auto values = block.row(row);
  for (std::size_t j = 0; j < values.size(); ++j) {
    double x = static_cast<double>(values[j]);
    if (std::isnan(x)) x = survey.known(j) > 0 ? survey.sum[j] / survey.known(j) : 0;
    sums(static_cast<Index>(j), place) += x;
  }
}

template <class T>
void add_row(const CsrBlock<T>& block, Index row, const ViewSurvey& survey, Eigen::Ref<Matrix> sums, Index place) {
  const auto first = static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(row)]);
  const auto last = static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(row) + 1]);
  for (std::size_t e = first; e < last; ++e) {
    const auto j = static_cast<std::size_t>(block.columns[e]);
    double x = static_cast<double>(block.values[e]);
    if (std::isnan(x)) x = survey.known(j) > 0 ? survey.sum[j] / survey.known(j) : 0;
    sums(static_cast<Index>(j), place) += x;
  }
}

}  // namespace

RawSums::RawSums(const Schema& schema, Index places) {
  for (const ViewSchema& view : schema.views) {
    sums_.emplace_back(Matrix::Zero(view.features, places));
    counts_.emplace_back(RowVector::Zero(places));
  }
}

void RawSums::add(const Chunk& chunk, const std::vector<std::int32_t>& places, const Survey& survey) {
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    const std::vector<Index>& present = chunk.views[v].present;
    Eigen::Ref<Matrix> sums = sums_[v];
    std::visit(
        [&](const auto& block) {
          for (std::size_t i = 0; i < present.size(); ++i) {
            const std::int32_t place = places[static_cast<std::size_t>(present[i])];
            if (place < 0) continue;
            add_row(block, static_cast<Index>(i), survey.views[v], sums, place);
            counts_[v](place) += 1;
          }
        },
        chunk.views[v].block);
  }
}

RawSums RawSums::grouped(const std::vector<int>& group, int groups) const {
  RawSums out({}, 0);
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    Matrix sums = Matrix::Zero(sums_[v].rows(), groups);
    RowVector counts = RowVector::Zero(groups);
    for (std::size_t p = 0; p < group.size(); ++p) {
      if (group[p] < 0) continue;
      sums.col(group[p]) += sums_[v].col(static_cast<Index>(p));
      counts(group[p]) += counts_[v](static_cast<Index>(p));
    }
    out.sums_.push_back(std::move(sums));
    out.counts_.push_back(std::move(counts));
  }
  return out;
}

double RawSums::own(std::size_t view, Index feature, Index place) const {
  const double rows = counts_[view](place);
  return rows > 0 ? sums_[view](feature, place) / rows : std::numeric_limits<double>::quiet_NaN();
}

double RawSums::rest(std::size_t view, Index feature, Index place) const {
  const double rows = counts_[view].sum() - counts_[view](place);
  return rows > 0 ? (sums_[view].row(feature).sum() - sums_[view](feature, place)) / rows
                  : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace omvc
