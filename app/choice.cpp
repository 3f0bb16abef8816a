#include "choice.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "table.hpp"

namespace omvc::app {
namespace {

constexpr std::size_t kShown = 8;  // numbers of clusters in the table
constexpr int kLongestBar = 40;    // of the longest bar

std::string bar(double share) {
  return std::string(static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kLongestBar + 0.5), '#');
}

}  // namespace

std::string cluster_count(Index count) { return fmt::format("{} cluster{}", count, count == 1 ? "" : "s"); }

std::string describe_choice(const ClusterChoice& choice) {
  std::string out =
      choice.verdict + "\n\nEigenvalues of the graph of rows (K clusters show as a gap behind the K-th)\n";
  const std::size_t last = std::min(choice.eigenvalues.size(), static_cast<std::size_t>(choice.clusters) + kShown);
  const double low = last > 0 ? std::min(0.9, choice.eigenvalues[last - 1]) : 0;
  for (std::size_t i = 0; i < last; ++i) {
    const bool cut = static_cast<int>(i) + 1 == choice.clusters;
    out += fmt::format("  {:>3} {:.3f} {}\n", i + 1, choice.eigenvalues[i],
                       bar((choice.eigenvalues[i] - low) / (1 - low)));
    if (cut) {
      out += fmt::format("  {:->{}} {}\n", "", kLongestBar + 10, cluster_count(choice.clusters));
    }
  }
  std::vector<KSigns> signs = choice.signs;
  std::stable_sort(signs.begin(), signs.end(), [](const KSigns& a, const KSigns& b) { return a.gap > b.gap; });
  signs.resize(std::min(signs.size(), kShown));
  std::vector<std::vector<std::string>> rows{{"clusters", "gap", "agreement of two halves"}};
  for (const KSigns& k : signs) {
    rows.push_back({fmt::format("{}", k.clusters), fmt::format("{:.4f}", k.gap), fmt::format("{:.2f}", k.agreement)});
  }
  out += "\n" + format_table(rows);
  if (choice.clusters == 1) {
    out +=
        "\nA view of noise can hide clusters: leave out the views that you trust least, or give a number (-k) and\n"
        "look at the worth of each view.\n";
  }
  return out;
}

std::string describe_tree(const std::vector<CutLevel>& levels) {
  std::vector<std::vector<std::string>> rows{
      {"clusters", "instances of each, and the cluster of the line before that it was part of"}};
  for (const CutLevel& level : levels) {
    std::string text;
    for (std::size_t k = 0; k < level.sizes.size(); ++k) {
      text += fmt::format("{}{}:{:.0f}", k == 0 ? "" : "  ", level.numbers[k], level.sizes[k]);
      if (level.parents[k] >= 0) text += fmt::format("<{}", level.parents[k]);
    }
    rows.push_back({fmt::format("{}", level.sizes.size()), text});
  }
  return format_table(rows);
}

std::string describe_events(const std::vector<ClusterEvent>& events) {
  std::string out;
  for (const ClusterEvent& event : events) {
    const std::string size = fmt::format("about {:.0f} instances", event.instances);
    switch (event.kind) {
      case ClusterEvent::Kind::born:
        out += fmt::format("cluster {} is new: {}\n", event.cluster, size);
        break;
      case ClusterEvent::Kind::split:
        out += fmt::format("cluster {} was split from {}: {}\n", event.cluster, event.other, size);
        break;
      case ClusterEvent::Kind::merged:
        out += fmt::format("cluster {} is now part of {}: {}\n", event.cluster, event.other, size);
        break;
      case ClusterEvent::Kind::gone:
        out += fmt::format("cluster {} is gone: it had {}\n", event.cluster, size);
        break;
    }
  }
  return out;
}

}  // namespace omvc::app
