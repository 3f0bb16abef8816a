#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace omvc {
namespace {

constexpr Index kBlock = 4096;  // embedding rows read back at a time

void add_warnings(Report& report) {
  if (report.unobserved > 0) {
    report.warnings.push_back(
        fmt::format("{} of {} instances have no view at all: they get label -1 and do not influence the "
                    "model.",
                    report.unobserved, report.instances));
  }
  std::string negatives;
  for (const ViewReport& view : report.views) {
    if (view.negatives == 0) continue;
    negatives +=
        fmt::format("{}view {}: {} negative entries", negatives.empty() ? "" : ", ", view.name, view.negatives);
  }
  if (!negatives.empty()) {
    report.warnings.push_back(fmt::format("Set to 0, since the factorisation is nonnegative: {}.", negatives));
  }
}

// Offers embedding rows to the sample from which a model that goes on learning finds its centres anew.
void remember_rows(Engine& engine, Index first, Index count, const std::vector<double>& block) {
  if (!engine.factors) return;
  const RowVector& scale = engine.factors->state().scale;
  for (Index i = 0; i < count; ++i) {
    const RowVector row =
        Eigen::Map<const RowVector>(block.data() + i * scale.size(), scale.size()).cwiseQuotient(scale);
    engine.sample->offer(first + i, {row.data(), static_cast<std::size_t>(row.size())});
  }
}

}  // namespace

std::vector<double> sample_rows(const Embedding& embedding, Index limit, std::uint64_t seed) {
  RowSample sample(limit, seed);
  const auto r = static_cast<std::size_t>(embedding.rank());
  std::vector<double> block;
  for (Index first = 0; first < embedding.rows(); first += kBlock) {
    const Index count = std::min(kBlock, embedding.rows() - first);
    block.resize(static_cast<std::size_t>(count) * r);
    embedding.read(first, count, block.data());
    for (Index i = 0; i < count; ++i) sample.offer(first + i, {block.data() + static_cast<std::size_t>(i) * r, r});
  }
  return sample.values();
}

void write_results(const ResultPlaces& places, const Embedding& embedding, const RowStore* stored) {
  auto& [engine, patterns, sink, report] = places;
  add_warnings(report);
  report.cluster_sizes.assign(static_cast<std::size_t>(report.clusters), 0);
  std::vector<double> block;
  std::vector<double> column;
  for (Index first = 0; first < embedding.rows(); first += kBlock) {
    const Index count = std::min(kBlock, embedding.rows() - first);
    block.resize(static_cast<std::size_t>(count * embedding.rank()));
    embedding.read(first, count, block.data());
    std::vector<int> labels;
    if (stored != nullptr) {
      column.resize(static_cast<std::size_t>(count));
      stored->read(first, count, column.data());
      for (const double label : column) {
        const bool known = label >= 0 && label < report.clusters;
        labels.push_back(known ? static_cast<int>(label) : -1);
      }
    } else {
      labels = engine.label(block.data(), count);
    }
    for (const int label : labels) {
      if (label >= 0) ++report.cluster_sizes[static_cast<std::size_t>(label)];
    }
    patterns.count(first, labels, report.clusters);
    remember_rows(engine, first, count, block);
    sink.write({first, labels, {block.data(), count, embedding.rank()}});
  }
  sink.finish();
  patterns.report(report);
}

}  // namespace omvc
