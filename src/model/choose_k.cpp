#include "model/choose_k.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/evaluation.hpp"

#include "cut/spectrum.hpp"

namespace omvc {
namespace {

constexpr double kFoundAgain = 0.8;  // agreement of the halves below which K is not found again
constexpr double kApart = 1 - 1e-6;  // eigenvalues of groups that are wholly apart
constexpr double kStandsOut = 1.5;   // a clear gap is so much larger than the next

// Agreement of two groupings of the prototypes, each counting as many times as it has members.
double agreement(const std::vector<int>& one, const std::vector<int>& other, const Vector& mass) {
  Contingency counts;
  for (std::size_t k = 0; k < one.size(); ++k) {
    const auto members = static_cast<Index>(std::llround(mass(static_cast<Index>(k))));
    if (members > 0) counts.add(one[k], other[k], members);
  }
  return counts.scored() > 0 ? score(counts).ari : 0;
}

std::string verdict_of(const ClusterChoice& choice, const KSigns& best, double rival) {
  if (choice.clear) {
    return fmt::format(
        "{} clusters: the gap behind eigenvalue {} is {:.1f} times the next, and both halves of the "
        "data find them (agreement {:.2f}).",
        choice.clusters, choice.clusters, best.gap / std::max(rival, 1e-12), best.agreement);
  }
  if (best.agreement < kFoundAgain) {
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

ClusterChoice choose_clusters(const FinePrototypes& fine, int most, std::uint64_t seed, Workers& workers) {
  const int threads = workers.threads();
  ClusterChoice out;
  const Spectrum whole = spectrum_of(fine.affinity(), most + 1, workers);
  const Spectrum first = spectrum_of(fine.affinity(0), most, workers);
  const Spectrum second = spectrum_of(fine.affinity(1), most, workers);
  out.eigenvalues = whole.values;
  const int last =
      static_cast<int>(std::min({whole.values.size(), first.values.size() + 1, second.values.size() + 1})) - 1;
  for (int k = 2; k <= last; ++k) {
    const auto at = static_cast<std::size_t>(k);
    out.signs.push_back({.clusters = k,
                         .gap = whole.values[at - 1] - whole.values[at],
                         .agreement = agreement(cut_spectrum(first, k, seed, threads),
                                                cut_spectrum(second, k, seed, threads), fine.mass())});
  }
  if (out.signs.empty()) {
    out.clusters = 2;
    out.verdict = "No clear answer: there are too few instances to tell.";
    return out;
  }
  // Groups of prototypes with nothing at all between them are an answer of their own, where no view is missing:
  // instances that lack the same view may be such a group for that reason alone.
  const auto apart =
      std::count_if(whole.values.begin(), whole.values.end(), [](double value) { return value > kApart; });
  if (fine.complete() && apart >= 2 && apart <= last) {
    out.clusters = static_cast<int>(apart);
    out.clear = true;
    out.verdict = fmt::format("{} clusters: nothing lies between them.", apart);
    return out;
  }
  // A gap counts by how well two halves of the data agree on the cut.
  const auto worth = [](const KSigns& k) { return k.gap * std::pow(std::max(k.agreement, 0.0), 2); };
  const KSigns* best = &out.signs.front();
  for (const KSigns& k : out.signs) {
    if (worth(k) > worth(*best)) best = &k;
  }
  double rival = 0;
  for (const KSigns& k : out.signs) {
    if (&k != best) rival = std::max(rival, k.gap);
  }
  out.clusters = best->clusters;
  out.clear = best->agreement >= kFoundAgain && best->gap > kStandsOut * rival;
  out.verdict = verdict_of(out, *best, rival);
  return out;
}

}  // namespace omvc
