#include "report/tally.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace omvc {
namespace {

// Keeps the first `most` of what `before` puts in order.
template <class Before>
void keep(std::vector<Notable>& kept, const Notable& one, std::size_t most, const Before& before) {
  if (kept.size() >= most && !before(one, kept.back())) return;
  kept.insert(std::upper_bound(kept.begin(), kept.end(), one, before), one);
  if (kept.size() > most) kept.pop_back();
}

}  // namespace

Tally::Tally(const std::vector<int>& clusters, double outlier) : outlier_(outlier), histogram_(kSteps, 0) {
  for (const int number : clusters) clusters_[number];
}

void Tally::add(Index row, int label, double confidence, double distance) {
  const Notable one{row, confidence, distance};
  if (distance > outlier_) {
    ++outliers_;
    keep(farthest_, one, kFarthest, [](const Notable& a, const Notable& b) {
      return std::tuple(-a.distance, a.row) < std::tuple(-b.distance, b.row);
    });
  }
  if (label < 0) return;
  ++labelled_;
  Cluster& cluster = clusters_[label];
  ++cluster.size;
  if (std::isnan(confidence)) return;
  sure_ = true;
  cluster.confidence += confidence;
  const auto step = static_cast<std::size_t>(std::clamp(confidence, 0.0, 1.0) * kSteps);
  ++histogram_[std::min(step, kSteps - 1)];
  keep(cluster.typical, one, kMembers, [](const Notable& a, const Notable& b) {
    return std::tuple(-a.confidence, a.distance, a.row) < std::tuple(-b.confidence, b.distance, b.row);
  });
  keep(cluster.borderline, one, kMembers, [](const Notable& a, const Notable& b) {
    return std::tuple(a.confidence, -a.distance, a.row) < std::tuple(b.confidence, -b.distance, b.row);
  });
}

void Tally::report(Report& report) const {
  report.cluster_numbers.clear();
  report.cluster_sizes.clear();
  report.cluster_members.clear();
  double confident = 0;
  for (const auto& [number, cluster] : clusters_) {
    report.cluster_numbers.push_back(number);
    report.cluster_sizes.push_back(cluster.size);
    confident += cluster.confidence;
    if (!sure_) continue;
    report.cluster_members.push_back(
        {.confidence = cluster.size > 0 ? cluster.confidence / static_cast<double>(cluster.size) : 0,
         .typical = cluster.typical,
         .borderline = cluster.borderline});
  }
  report.outliers = outliers_;
  report.farthest = farthest_;
  if (sure_) report.confidence_histogram = histogram_;
  if (labelled_ > 0) report.confidence = confident / static_cast<double>(labelled_);
}

}  // namespace omvc
