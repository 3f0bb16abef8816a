#include "run/results.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "model/model.hpp"

namespace omvc {
namespace {

constexpr Index kBlock = 4096;  // embedding rows read back at a time
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void warn_of_views(Report& report) {
  if (report.unobserved > 0) {
    report.warnings.push_back(
        fmt::format("{} of {} instances have no view at all: they get label -1 and do not influence the "
                    "model.",
                    report.unobserved, report.instances));
  }
  constexpr double kMany = 0.2;
  for (const ViewReport& view : report.views) {
    const double cells = static_cast<double>(view.observed) * static_cast<double>(view.features);
    const double share = cells > 0 ? static_cast<double>(view.missing) / cells : 0;
    if (share <= kMany) continue;
    report.warnings.push_back(
        fmt::format("View {} lacks {:.0f} % of the cells of its {} instances; the mean of each "
                    "feature stands in for them, which draws instances together.",
                    view.name, 100 * share, view.observed));
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

void write_results(const ResultRowsOf& results, Rows rows, Sink& sink, LabelCounts& counts) {
  const auto& [embedding, stored, model, patterns] = results;
  const Index width = stored != nullptr ? stored->width() : 0;
  const Index end = rows.first + rows.count;
  std::vector<double> block;
  std::vector<double> columns;
  for (Index first = rows.first; first < end; first += kBlock) {
    const Index count = std::min(kBlock, end - first);
    block.resize(static_cast<std::size_t>(count * embedding.rank()));
    embedding.read(first, count, block.data());
    std::vector<int> labels;
    std::vector<double> confidence;
    std::vector<double> distance;
    if (stored != nullptr) {
      columns.resize(static_cast<std::size_t>(count * width));
      stored->read(first, count, columns.data());
      for (Index i = 0; i < count; ++i) {
        const double* row = columns.data() + i * width;
        const bool known = row[0] >= 0 && row[0] < std::numeric_limits<int>::max();
        labels.push_back(known ? static_cast<int>(row[0]) : -1);
        if (width < 3) continue;
        confidence.push_back(row[1]);
        distance.push_back(row[2]);
      }
    } else {
      labels = model->label(block.data(), count);
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      counts.tally.add(first + static_cast<Index>(i), labels[i], confidence.empty() ? kNan : confidence[i],
                       distance.empty() ? kNan : distance[i]);
    }
    patterns.count(first, labels, counts.patterns);
    sink.write({first, labels, {block.data(), count, embedding.rank()}, confidence, distance});
  }
}

}  // namespace omvc
