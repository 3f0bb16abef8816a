#include "sketch.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unistd.h>

namespace omvc::app {
namespace {

constexpr int kColumns = 72;
constexpr int kLines = 20;
constexpr int kBar = 40;
constexpr std::size_t kMoreValues = 4;  // eigenvalues behind the gap
constexpr std::size_t kMostValues = 16;

// A letter for each cluster: its number where that is one digit, then letters, then the same again.
char letter_of(std::size_t place) {
  constexpr std::string_view kLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return kLetters[place % kLetters.size()];
}

std::string bars(const PrototypeMap& map, std::size_t clusters) {
  const std::size_t last = std::min({map.eigenvalues.size(), clusters + kMoreValues, kMostValues});
  if (last < 2) return "";
  const double low = std::min(0.9, map.eigenvalues[last - 1]);
  std::string out = "\nEigenvalues of the graph of prototypes (K clusters show as a gap behind the K-th)\n";
  for (std::size_t i = 0; i < last; ++i) {
    const double share = std::clamp((map.eigenvalues[i] - low) / (1 - low), 0.0, 1.0);
    out += fmt::format("  {:>3} {:.3f} {}{}\n", i + 1, map.eigenvalues[i],
                       std::string(static_cast<std::size_t>(share * kBar + 0.5), '#'),
                       i + 1 == clusters ? "  <- clusters" : "");
  }
  return out;
}

}  // namespace

std::string draw_map(const PrototypeMap& map) {
  if (map.x.empty()) return "";
  std::map<int, double> sizes;
  for (std::size_t p = 0; p < map.x.size(); ++p) sizes[map.cluster[p]] += map.mass[p];
  std::map<int, char> letters;
  for (const auto& [number, size] : sizes) letters[number] = letter_of(letters.size());
  // Of each cell: the cluster with most instances there.
  std::vector<std::map<int, double>> cells(static_cast<std::size_t>(kColumns * kLines));
  double top = 0;
  for (const double y : map.y) top = std::max(top, std::abs(y));
  const int height = std::clamp(static_cast<int>(std::ceil(kLines * top)), 1, kLines);
  for (std::size_t p = 0; p < map.x.size(); ++p) {
    const double across = (map.x[p] + 1) / 2;
    const double down = top > 0 ? (1 - map.y[p] / top) / 2 : 0;
    const int column = std::clamp(static_cast<int>(across * kColumns), 0, kColumns - 1);
    const int row = std::clamp(static_cast<int>(down * height), 0, height - 1);
    cells[static_cast<std::size_t>(row * kColumns + column)][map.cluster[p]] += map.mass[p];
  }
  std::string out = fmt::format("Map of {} prototypes: those that instances lie between are near\n", map.x.size());
  for (int row = 0; row < height; ++row) {
    std::string line = "  ";
    for (int column = 0; column < kColumns; ++column) {
      const auto& cell = cells[static_cast<std::size_t>(row * kColumns + column)];
      const auto most =
          std::max_element(cell.begin(), cell.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      line += most == cell.end() ? ' ' : letters[most->first];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  if (letters.size() > 10) {
    std::string key;
    for (const auto& [number, letter] : letters) {
      if (key.size() < 600) key += fmt::format("{}{}={}", key.empty() ? "  " : " ", letter, number);
    }
    out += key + '\n';
  }
  return out;
}

std::string describe_map(const PrototypeMap& map) {
  if (map.x.empty()) return "";
  const std::set<int> clusters(map.cluster.begin(), map.cluster.end());
  return draw_map(map) + bars(map, clusters.size());
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) != 0; }

}  // namespace omvc::app
