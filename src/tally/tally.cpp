#include "tally/tally.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

#include "omvc/error.hpp"

namespace omvc {
namespace {

[[noreturn]] void fail() { throw Error(ErrorKind::data, "what was counted of labels contradicts itself"); }

// Keeps the first `most` of what `before` puts in order.
template <class Before>
void keep(std::vector<Notable>& kept, const Notable& one, std::size_t most, const Before& before) {
  if (kept.size() >= most && !before(one, kept.back())) return;
  kept.insert(std::upper_bound(kept.begin(), kept.end(), one, before), one);
  if (kept.size() > most) kept.pop_back();
}

bool is_farther(const Notable& a, const Notable& b) {
  return std::tuple(-a.distance, a.row) < std::tuple(-b.distance, b.row);
}

bool is_surer(const Notable& a, const Notable& b) {
  return std::tuple(-a.confidence, a.distance, a.row) < std::tuple(-b.confidence, b.distance, b.row);
}

bool is_less_sure(const Notable& a, const Notable& b) {
  return std::tuple(a.confidence, -a.distance, a.row) < std::tuple(b.confidence, -b.distance, b.row);
}

void put_notable(Archive& archive, const std::string& key, const std::vector<Notable>& kept) {
  std::vector<double> numbers;
  for (const Notable& one : kept) {
    numbers.insert(numbers.end(), {static_cast<double>(one.row), one.confidence, one.distance});
  }
  archive.put(key, std::move(numbers));
}

std::vector<Notable> get_notable(const Archive& archive, const std::string& key, std::size_t most) {
  const std::vector<double>& numbers = archive.numbers(key);
  std::vector<Notable> kept;
  if (numbers.size() % 3 != 0 || numbers.size() > 3 * most) fail();
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    if (!(numbers[i] >= 0 && numbers[i] <= kCount.high)) fail();
    kept.push_back({static_cast<Index>(numbers[i]), numbers[i + 1], numbers[i + 2]});
  }
  return kept;
}

}  // namespace

ClusterTally::ClusterTally(const std::vector<int>& clusters, double outlier)
    : outlier_(outlier), histogram_(kSteps, 0) {
  for (const int number : clusters) clusters_[number];
}

void ClusterTally::add(Index row, int label, double confidence, double distance) {
  const Notable one{row, confidence, distance};
  if (distance > outlier_) {
    ++outliers_;
    keep(farthest_, one, kFarthest, is_farther);
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
  keep(cluster.typical, one, kMembers, is_surer);
  keep(cluster.borderline, one, kMembers, is_less_sure);
}

void ClusterTally::merge(const ClusterTally& other) {
  outliers_ += other.outliers_;
  labelled_ += other.labelled_;
  sure_ = sure_ || other.sure_;
  for (std::size_t i = 0; i < kSteps; ++i) histogram_[i] += other.histogram_[i];
  for (const Notable& one : other.farthest_) keep(farthest_, one, kFarthest, is_farther);
  for (const auto& [number, theirs] : other.clusters_) {
    Cluster& cluster = clusters_[number];
    cluster.size += theirs.size;
    cluster.confidence += theirs.confidence;
    for (const Notable& one : theirs.typical) keep(cluster.typical, one, kMembers, is_surer);
    for (const Notable& one : theirs.borderline) keep(cluster.borderline, one, kMembers, is_less_sure);
  }
}

void ClusterTally::save(Archive& archive, const std::string& key) const {
  archive.put(key + "/counts", std::vector<Index>{outliers_, labelled_, sure_});
  archive.put(key + "/histogram", histogram_);
  put_notable(archive, key + "/farthest", farthest_);
  std::vector<Index> numbers;
  std::vector<Index> sizes;
  std::vector<double> confidence;
  for (const auto& [number, cluster] : clusters_) {
    put_notable(archive, fmt::format("{}/typical{}", key, number), cluster.typical);
    put_notable(archive, fmt::format("{}/borderline{}", key, number), cluster.borderline);
    numbers.push_back(number);
    sizes.push_back(cluster.size);
    confidence.push_back(cluster.confidence);
  }
  archive.put(key + "/clusters", std::move(numbers));
  archive.put(key + "/sizes", std::move(sizes));
  archive.put(key + "/confidence", std::move(confidence));
}

ClusterTally ClusterTally::load(const Archive& archive, const std::string& key, double outlier) {
  const std::vector<Index>& numbers = archive.integers(key + "/clusters");
  const auto is_number = [](Index n) { return n >= 0 && n <= std::numeric_limits<int>::max(); };
  if (!std::all_of(numbers.begin(), numbers.end(), is_number)) fail();
  ClusterTally out({numbers.begin(), numbers.end()}, outlier);
  const std::vector<Index>& counts = archive.integers(key + "/counts");
  const std::vector<Index>& sizes = archive.integers(key + "/sizes");
  out.histogram_ = archive.integers(key + "/histogram");
  if (counts.size() != 3 || sizes.size() != out.clusters_.size() || out.histogram_.size() != kSteps) fail();
  const Vector confidence = archive.vector(key + "/confidence", static_cast<Index>(sizes.size()), kCount);
  out.outliers_ = counts[0];
  out.labelled_ = counts[1];
  out.sure_ = counts[2] != 0;
  out.farthest_ = get_notable(archive, key + "/farthest", kFarthest);
  std::size_t at = 0;
  for (auto& [number, cluster] : out.clusters_) {
    cluster.typical = get_notable(archive, fmt::format("{}/typical{}", key, number), kMembers);
    cluster.borderline = get_notable(archive, fmt::format("{}/borderline{}", key, number), kMembers);
    cluster.size = sizes[at];
    cluster.confidence = confidence(static_cast<Index>(at++));
  }
  return out;
}

void ClusterTally::report(Report& report) const {
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
