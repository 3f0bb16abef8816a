#include "cut/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/error.hpp"

#include "recipe/recipe.hpp"

namespace omvc {
namespace {

constexpr double kMostDistance = 1e6;
constexpr double kNear = 1.5;          // distances up to which a vote counts in full
constexpr double kLeastSpread = 0.05;  // rows that are all alike leave no room for a usual distance
// Of a normal distribution: from the middle to the share of false alarms, over that to the ninth tenth.
constexpr double kBeyondTenth = 2.3263 / 1.2816;

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct Pool {
  double first = 0;  // share
  double last = 0;
  double same = 0;
  double count = 0;
  double chance() const { return same / count; }
};

}  // namespace

Curve::Curve(std::vector<Point> points) {
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.share < b.share; });
  std::vector<Pool> pools;
  for (const Point& point : points) {
    pools.push_back({point.share, point.share, point.same ? 1.0 : 0.0, 1});
    while (pools.size() > 1) {
      const Pool last = pools.back();
      Pool& before = pools[pools.size() - 2];
      // Equal shares have one chance, whatever it is.
      if (before.chance() < last.chance() && before.last < last.first) break;
      before.last = last.last;
      before.same += last.same;
      before.count += last.count;
      pools.pop_back();
    }
  }
  if (pools.empty()) return;
  shares_ = {0};
  chances_ = {0};
  for (const Pool& pool : pools) {
    for (const double share : {pool.first, pool.last}) {
      if (!(share > shares_.back())) continue;
      shares_.push_back(share);
      chances_.push_back(pool.chance());
    }
  }
}

double Curve::operator()(double share) const {
  if (std::isnan(share)) return share;
  const auto above = std::upper_bound(shares_.begin(), shares_.end(), share);
  if (above == shares_.begin()) return chances_.front();
  if (above == shares_.end()) return chances_.back();
  const auto at = static_cast<std::size_t>(above - shares_.begin());
  const double part = (share - shares_[at - 1]) / (shares_[at] - shares_[at - 1]);
  return chances_[at - 1] + part * (chances_[at] - chances_[at - 1]);
}

void Curve::save(Archive& archive, const std::string& key) const {
  archive.put(key + "/shares", shares_);
  archive.put(key + "/chances", chances_);
}

Curve Curve::load(const Archive& archive, const std::string& key) {
  constexpr Range kShare{0, 1 + 1e-9};
  Curve out;
  out.shares_ = archive.numbers(key + "/shares", kShare);
  out.chances_ = archive.numbers(key + "/chances", kShare);
  const bool rises =
      std::adjacent_find(out.shares_.begin(), out.shares_.end(), std::greater_equal<>()) == out.shares_.end();
  if (out.shares_.empty() || out.shares_.size() != out.chances_.size() || !rises ||
      !std::is_sorted(out.chances_.begin(), out.chances_.end())) {
    throw Error(ErrorKind::data, "what the model knows of its confidence makes no sense");
  }
  return out;
}

DistanceScale::DistanceScale(std::vector<double> distances) {
  std::erase_if(distances, [](double distance) { return !std::isfinite(distance); });
  if (distances.empty()) return;
  std::sort(distances.begin(), distances.end());
  // Where most rows are alike, those that are not tell what is usual.
  const auto first = std::upper_bound(distances.begin(), distances.end(), 0.0);
  if (first == distances.end()) return;
  middle_ = quantile(distances, 0.5);
  if (!(middle_ > 0)) middle_ = *first;
  const double tenth = std::max(quantile(distances, 0.9), middle_);
  spread_ = std::max(kBeyondTenth * std::log(tenth / middle_), kLeastSpread);
}

double DistanceScale::operator()(double distance) const {
  if (std::isnan(distance)) return distance;
  if (!(distance > 0)) return 0;
  return std::min(std::pow(kOutlier, std::log(distance / middle_) / spread_), kMostDistance);
}

void DistanceScale::save(Archive& archive, const std::string& key) const {
  archive.put(key, std::vector<double>{middle_, spread_});
}

DistanceScale DistanceScale::load(const Archive& archive, const std::string& key) {
  const Vector stored = archive.vector(key, 2, {1e-300, 1e300});
  DistanceScale out;
  out.middle_ = stored(0);
  out.spread_ = std::max(stored(1), kLeastSpread);
  return out;
}

void Calibration::save(Archive& archive, const std::string& key) const {
  chance.save(archive, key + "/chance");
  alone.save(archive, key + "/alone");
  rows.save(archive, key + "/rows");
  prototypes.save(archive, key + "/prototypes");
  archive.put(key + "/models", std::vector<Index>{models, compared});
}

Calibration Calibration::load(const Archive& archive, const std::string& key) {
  Calibration out{.chance = Curve::load(archive, key + "/chance"),
                  .alone = Curve::load(archive, key + "/alone"),
                  .rows = DistanceScale::load(archive, key + "/rows"),
                  .prototypes = DistanceScale::load(archive, key + "/prototypes")};
  const std::vector<Index>& counts = archive.integers(key + "/models");
  if (counts.size() != 2 || counts[0] < 0 || counts[1] < 0) {
    throw Error(ErrorKind::data, "what the model knows of its confidence makes no sense");
  }
  out.models = counts[0];
  out.compared = counts[1];
  return out;
}

double drawn(double share, double distance, int clusters) {
  const double by_chance = 1.0 / clusters;
  return distance > kNear ? by_chance + (share - by_chance) * kNear / distance : share;
}

RowVector divided(RowVector chances, int cluster, double sure) {
  std::vector<Index> open;  // those that have not got `sure` yet
  for (Index k = 0; k < chances.size(); ++k) {
    if (k != cluster) open.push_back(k);
  }
  double left = 1 - sure;
  while (!open.empty()) {
    double sum = 0;
    for (const Index k : open) sum += chances(k);
    const auto part = [&](Index k) {
      return left * (sum > 0 ? chances(k) / sum : 1.0 / static_cast<double>(open.size()));
    };
    const auto full = std::stable_partition(open.begin(), open.end(), [&](Index k) { return part(k) <= sure; });
    if (full == open.end() || full == open.begin()) {
      for (const Index k : open) chances(k) = std::min(part(k), sure);
      break;
    }
    for (auto k = full; k != open.end(); ++k) chances(*k) = sure;
    left -= sure * static_cast<double>(open.end() - full);
    open.erase(full, open.end());
  }
  chances(cluster) = sure;
  return chances;
}

}  // namespace omvc
