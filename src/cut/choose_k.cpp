#include "cut/choose_k.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/evaluation.hpp"

#include "cut/spectrum.hpp"

namespace omvc {
namespace {

// Agreement of two groupings of the prototypes, each counting as many times as it has members.
double agreement(const std::vector<int>& one, const std::vector<int>& other, const Vector& mass) {
  Contingency counts;
  for (std::size_t k = 0; k < one.size(); ++k) {
    const auto members = static_cast<Index>(std::llround(mass(static_cast<Index>(k))));
    if (members > 0) counts.add(one[k], other[k], members);
  }
  return counts.scored() > 0 ? score(counts).ari : 0;
}

// The largest gap of another number of clusters.
double rival_of(const KSigns& best, const std::vector<KSigns>& signs) {
  double rival = 0;
  for (const KSigns& k : signs) {
    if (&k != &best) rival = std::max(rival, k.gap);
  }
  return rival;
}

// Data without clusters are cut here or there by chance. Halves of few rows agree little where clusters overlap: a gap
// that is larger than all others needs less agreement.
bool none_found_again(const std::vector<KSigns>& signs, const Recipe& recipe) {
  const KSigns& widest =
      *std::max_element(signs.begin(), signs.end(), [](const KSigns& a, const KSigns& b) { return a.gap < b.gap; });
  if (widest.agreement >= recipe.by_chance_widest && widest.gap >= recipe.widest * rival_of(widest, signs))
    return false;
  return std::none_of(signs.begin(), signs.end(), [&](const KSigns& k) { return k.agreement >= recipe.by_chance; });
}

std::string verdict_of(const ClusterChoice& choice, const KSigns& best, double rival, bool text, const Recipe& recipe) {
  if (choice.clear) {
    return fmt::format(
        "{} clusters: the gap behind eigenvalue {} is {:.1f} times the next, and both halves of the "
        "data find them (agreement {:.2f}).",
        choice.clusters, choice.clusters, best.gap / std::max(rival, 1e-12), best.agreement);
  }
  if (text) return fmt::format("No clear answer: {} clusters have the largest gap.", choice.clusters);
  if (best.agreement < recipe.found_again) {
    return fmt::format(
        "No clear answer: no number of clusters is found again in other instances; {} has the largest gap.",
        choice.clusters);
  }
  return fmt::format(
      "No clear answer: {} clusters have the largest gap of those that are found again, and another "
      "number comes close.",
      choice.clusters);
}

}  // namespace

int most_clusters(const PrototypeSums& fine, const Recipe& recipe) {
  return static_cast<int>(std::min(recipe.most_clusters, fine.size() / 3));
}

ClusterChoice choose_clusters(const PrototypeSums& fine, std::vector<double> eigenvalues, bool text, std::uint64_t seed,
                              const Recipe& recipe, Compute& compute) {
  const int most = most_clusters(fine, recipe);
  ClusterChoice out;
  const Spectrum first = spectrum_of(fine.affinity[0], most, compute);
  const Spectrum second = spectrum_of(fine.affinity[1], most, compute);
  out.eigenvalues = std::move(eigenvalues);
  const std::vector<double>& values = out.eigenvalues;
  const int last = static_cast<int>(std::min({values.size(), first.values.size() + 1, second.values.size() + 1})) - 1;
  for (int k = 2; k <= last; ++k) {
    const auto at = static_cast<std::size_t>(k);
    out.signs.push_back({.clusters = k,
                         .gap = values[at - 1] - values[at],
                         .agreement = agreement(cut_spectrum(first, k, seed, recipe.cut_starts, compute),
                                                cut_spectrum(second, k, seed, recipe.cut_starts, compute), fine.mass)});
  }
  if (out.signs.empty()) {
    out.clusters = 2;
    out.verdict = "No clear answer: there are too few instances to tell.";
    return out;
  }
  if (!text && none_found_again(out.signs, recipe)) {
    out.clusters = 1;
    out.verdict = "No clusters: no number of them is found again in other instances.";
    return out;
  }
  const auto worth = [&](const KSigns& k) {
    if (text) return k.gap;
    const double left = std::max(1 - values[static_cast<std::size_t>(k.clusters)], 1e-12);
    return k.gap / std::sqrt(left) * std::pow(std::max(k.agreement, 0.0), 2);
  };
  const KSigns* best = &out.signs.front();
  for (const KSigns& k : out.signs) {
    if (worth(k) > worth(*best)) best = &k;
  }
  const double rival = rival_of(*best, out.signs);
  out.clusters = best->clusters;
  out.clear = !text && best->agreement >= recipe.found_again && best->gap > recipe.stands_out * rival;
  out.verdict = verdict_of(out, *best, rival, text, recipe);
  return out;
}

}  // namespace omvc
