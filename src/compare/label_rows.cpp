#include "compare/label_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "omvc/error.hpp"

#include "compare/method.hpp"

namespace omvc {
namespace {

constexpr Index kBlock = 4096;

int checked_label(double label, int clusters) {
  if (std::isnan(label)) return -1;
  if (label >= -1 && label < clusters && label == std::floor(label)) return static_cast<int>(label);
  throw Error(ErrorKind::data,
              fmt::format("the stored labels hold {}, and there are {} clusters: they belong to another "
                          "run; start again without --resume",
                          label, clusters));
}

}  // namespace

LabelRows::LabelRows(RowFolder folder, int candidates, int clusters)
    : folder_(std::move(folder)), clusters_(clusters), store_(folder_.open("candidates", candidates)) {}

CandidateLabels LabelRows::last(const Chunk& chunk, int candidates) const {
  std::vector<double> stored(chunk.rows.size() * static_cast<std::size_t>(store_->width()));
  store_->read_last(chunk.rows, stored.data());
  CandidateLabels labels(chunk.size(), candidates);
  for (Index i = 0; i < labels.rows(); ++i) {
    for (Index c = 0; c < labels.cols(); ++c) {
      labels(i, c) = checked_label(stored[static_cast<std::size_t>(i * store_->width() + c)], clusters_);
    }
  }
  return labels;
}

void LabelRows::write(const PreparedChunk& chunk, const CandidateLabels& labels) {
  std::vector<Index> rows;
  std::vector<double> values;
  for (Index i = 0; i < labels.rows(); ++i) {
    if (!chunk.observed[static_cast<std::size_t>(i)]) continue;
    rows.push_back(chunk.chunk->rows[static_cast<std::size_t>(i)]);
    for (Index c = 0; c < store_->width(); ++c) values.push_back(c < labels.cols() ? labels(i, c) : -1);
  }
  store_->write(rows, values.data());
}

void LabelRows::keep(int candidate) {
  auto kept = folder_.open("chosen", 1);
  std::vector<double> block;
  std::vector<double> column;
  std::vector<Index> rows;
  for (Index first = 0; first < store_->rows(); first += kBlock) {
    const Index count = std::min(kBlock, store_->rows() - first);
    block.resize(static_cast<std::size_t>(count * store_->width()));
    store_->read(first, count, block.data());
    rows.clear();
    column.clear();
    for (Index i = 0; i < count; ++i) {
      const double label = block[static_cast<std::size_t>(i * store_->width() + candidate)];
      if (std::isnan(label)) continue;
      checked_label(label, clusters_);
      rows.push_back(first + i);
      column.push_back(label);
    }
    kept->write(rows, column.data());
  }
  store_ = std::move(kept);
  kept_ = true;
}

void LabelRows::save(Archive& archive) const {
  archive.put("labels/kept", std::vector<Index>{kept_});
  put_position(archive, "labels/rows", *store_);
}

void LabelRows::load(const Archive& archive, int candidates) {
  const std::vector<Index>& kept = archive.integers("labels/kept");
  if (kept.size() != 1) throw Error(ErrorKind::data, "the checkpoint's labels make no sense");
  kept_ = kept[0] != 0;
  if (kept_) store_ = folder_.open("chosen", 1);
  if (candidates > store_->width() || (kept_ && candidates != 1)) {
    throw Error(ErrorKind::data, "the checkpoint's labels are not those of its clusters");
  }
  restore_position(archive, "labels/rows", *store_);
}

void OneHotEmbedding::read(Index first, Index count, double* out) const {
  const Index width = labels_->width();
  std::vector<double> block(static_cast<std::size_t>(count * width));
  labels_->read(first, count, block.data());
  for (Index i = 0; i < count; ++i) {
    double* row = out + i * clusters_;
    const int label = checked_label(block[static_cast<std::size_t>(i * width + candidate_)], clusters_);
    // A candidate that was not there when the instance was met has -1.
    const bool known = label >= 0;
    std::fill_n(row, clusters_, known ? 0.0 : std::numeric_limits<double>::quiet_NaN());
    if (known) row[label] = 1;
  }
}

}  // namespace omvc
