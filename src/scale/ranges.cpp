#include "scale/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace omvc {
namespace {

constexpr double kLeftOut = 0.05;          // of the values of a feature, at either end
constexpr std::size_t kMostValues = 2000;  // of a feature that its quantiles are taken from
constexpr double kCore = 0.35;             // of the values of a feature, at either end, that may make no sense
constexpr double kAbsurd = 1000;           // times all that was usual: a gap that no data have

// The values of every feature over the rows that have the view, zeros of sparse rows included and missing cells left
// out; of every `step`th row. `sizes` gets the mean size of the values of each row that are not 0: by row, since rows
// that make no sense may have many more values than others.
std::vector<std::vector<double>> values_by_feature(std::span<const Chunk> rows, std::size_t view, Index features,
                                                   std::size_t step, std::vector<double>& sizes, double& seen) {
  std::vector<std::vector<double>> out(static_cast<std::size_t>(features));
  double sum = 0;
  double count = 0;
  const auto take = [&](std::size_t j, double x) {
    if (std::isnan(x)) return;
    out[j].push_back(x);
    sum += std::abs(x);
    count += x != 0 ? 1 : 0;
  };
  std::size_t at = 0;
  for (const Chunk& chunk : rows) {
    std::visit(
        [&](const auto& X) {
          for (Index i = 0; i < X.rows; ++i, ++at) {
            if (at % step != 0) continue;
            seen += 1;
            sum = count = 0;
            if constexpr (requires { X.offsets; }) {
              for (Index e = X.offsets[static_cast<std::size_t>(i)]; e < X.offsets[static_cast<std::size_t>(i) + 1];
                   ++e) {
                take(static_cast<std::size_t>(X.columns[static_cast<std::size_t>(e)]),
                     static_cast<double>(X.values[static_cast<std::size_t>(e)]));
              }
            } else {
              const auto row = X.row(i);
              for (std::size_t j = 0; j < row.size(); ++j) take(j, static_cast<double>(row[j]));
            }
            if (count > 0) sizes.push_back(sum / count);
          }
        },
        chunk.views[view].block);
  }
  return out;
}

// Whether the way from one value to the next is an absurd one for those who know the values `low` to `high`, and how
// large the values of the view usually are.
bool is_absurd(double gap, double low, double high, double usual) {
  return gap > kAbsurd * std::max({high - low, std::abs(low), std::abs(high), usual});
}

// The range of most of `values` and `zeros` zeros beside them: without a few at either end, and without those that lie
// beyond an absurd gap, seen from the middle, which may be many.
std::pair<double, double> most_of(std::vector<double> values, double zeros, double usual) {
  values.insert(values.end(), static_cast<std::size_t>(std::max(zeros, 0.0)), 0.0);
  if (values.empty()) return {0, 0};
  std::sort(values.begin(), values.end());
  const auto size = static_cast<double>(values.size());
  const auto first = static_cast<std::size_t>(kLeftOut * size);
  const std::size_t last = values.size() - 1 - first;
  auto low = static_cast<std::size_t>(kCore * size);
  std::size_t high = values.size() - 1 - low;
  const auto next_is_absurd = [&](std::size_t from, std::size_t to) {
    return is_absurd(std::abs(values[to] - values[from]), values[low], values[high], usual);
  };
  while (high < last && !next_is_absurd(high, high + 1)) ++high;
  while (low > first && !next_is_absurd(low, low - 1)) --low;
  return {values[low], values[high]};
}

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double squares(const Ranges::Excess& excess) {
  return std::accumulate(excess.begin(), excess.end(), 0.0,
                         [](double sum, const auto& entry) { return sum + entry.second * entry.second; });
}

}  // namespace

// A feature that had one value only is measured by the widest of the view, and by `otherwise` where all had.
void Ranges::set_widths(View& view, double otherwise) {
  double widest = 0;
  for (std::size_t j = 0; j < view.low.size(); ++j) {
    view.width.push_back(view.high[j] - view.low[j]);
    widest = std::max(widest, view.width.back());
  }
  if (!(widest > 0)) widest = otherwise;
  for (double& width : view.width) width = width > 0 ? width : widest;
  view.judged = view.judged && widest > 0;
}

Ranges::Ranges(const Survey& survey, const std::vector<bool>& compressed) {
  Index first = 0;
  for (std::size_t v = 0; v < survey.views.size(); ++v) {
    const ViewSurvey& seen = survey.views[v];
    View& view = views_.emplace_back();
    view.first = first;
    first += static_cast<Index>(seen.sum.size());
    view.reach = compressed[v] ? kCompressedReach : kReach;
    view.judged = seen.observed >= kLeastShown;
    if (!view.judged) continue;
    double largest = 0;
    for (std::size_t j = 0; j < seen.sum.size(); ++j) {
      const bool known = seen.minimum[j] <= seen.maximum[j];
      const bool zero = !known || seen.nonzeros[j] < seen.known(j);  // of a sparse row, which stores none
      view.low.push_back(known ? zero ? std::min(seen.minimum[j], 0.0) : seen.minimum[j] : 0);
      view.high.push_back(known ? zero ? std::max(seen.maximum[j], 0.0) : seen.maximum[j] : 0);
      largest = std::max({largest, std::abs(view.low[j]), std::abs(view.high[j])});
    }
    set_widths(view, largest);
  }
}

Ranges::Ranges(std::span<const Chunk> rows, const Schema& schema, const std::vector<bool>& compressed) {
  Index first = 0;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    View& view = views_.emplace_back();
    view.first = first;
    const Index features = schema.views[v].features;
    first += features;
    view.reach = compressed[v] ? kCompressedReach : kReach;
    std::size_t count = 0;
    for (const Chunk& chunk : rows) count += chunk.views[v].present.size();
    view.judged = static_cast<double>(count) >= kLeastShown;
    if (!view.judged) continue;
    double seen = 0;
    const std::size_t step = (count + kMostValues - 1) / kMostValues;
    std::vector<double> sizes;
    std::vector<std::vector<double>> values = values_by_feature(rows, v, features, step, sizes, seen);
    const double usual = median(sizes);
    for (std::vector<double>& of_feature : values) {
      const bool sparse = std::any_of(rows.begin(), rows.end(), [&](const Chunk& chunk) {
        return std::visit(
            [](const auto& X) {
              return requires { X.offsets; };
            },
            chunk.views[v].block);
      });
      const double zeros = sparse ? seen - static_cast<double>(of_feature.size()) : 0;
      const auto [low, high] = most_of(std::move(of_feature), zeros, usual);
      view.low.push_back(low);
      view.high.push_back(high);
    }
    set_widths(view, usual);
  }
}

// Calls f(feature, widths beyond its range) for the values of a row that lie outside.
template <class F>
void Ranges::for_outside(const View& view, const Block& block, Index row, const F& f) {
  const auto look = [&](std::size_t j, double x) {
    if (x > view.high[j]) {
      f(j, (x - view.high[j]) / view.width[j]);
    } else if (x < view.low[j]) {
      f(j, (x - view.low[j]) / view.width[j]);
    }
  };
  std::visit(
      [&](const auto& X) {
        if constexpr (requires { X.offsets; }) {
          for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row)]);
               e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row) + 1]); ++e) {
            look(static_cast<std::size_t>(X.columns[e]), static_cast<double>(X.values[e]));
          }
        } else {
          const auto values = X.row(row);
          for (std::size_t j = 0; j < values.size(); ++j) look(j, static_cast<double>(values[j]));
        }
      },
      block);
}

std::vector<Ranges::Outside> Ranges::outside(const Chunk& chunk) const {
  std::vector<Outside> out(chunk.rows.size());
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const View& view = views_[v];
    if (!view.judged) continue;
    const ChunkView& rows = chunk.views[v];
    for (std::size_t i = 0; i < rows.present.size(); ++i) {
      double sum = 0;
      for_outside(view, rows.block, static_cast<Index>(i), [&](std::size_t, double widths) { sum += widths * widths; });
      if (!(sum > 0)) continue;
      const double widths = std::sqrt(sum / static_cast<double>(view.low.size()));
      Outside& worst = out[static_cast<std::size_t>(rows.present[i])];
      if (widths / view.reach > worst.reach) worst = {.reach = widths / view.reach, .view = v, .widths = widths};
    }
  }
  return out;
}

Ranges::Excess Ranges::excess(const Chunk& chunk, Index instance) const {
  Excess out;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const View& view = views_[v];
    const ChunkView& rows = chunk.views[v];
    const auto found = std::lower_bound(rows.present.begin(), rows.present.end(), instance);
    if (!view.judged || found == rows.present.end() || *found != instance) continue;
    const double scale = 1 / std::sqrt(static_cast<double>(view.low.size()));
    for_outside(view, rows.block, found - rows.present.begin(), [&](std::size_t j, double widths) {
      out.emplace_back(view.first + static_cast<Index>(j), widths * scale);
    });
  }
  return out;
}

void Ranges::save(Archive& archive, const std::string& key) const {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const View& view = views_[v];
    if (!view.judged) continue;
    const std::string name = fmt::format("{}/view{}", key, v);
    archive.put(name + "/reach", view.reach);
    archive.put(name + "/low", view.low);
    archive.put(name + "/high", view.high);
    archive.put(name + "/width", view.width);
  }
}

Ranges Ranges::load(const Archive& archive, const std::string& key, const Schema& schema) {
  Ranges out;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const Index features = schema.views[v].features;
    View& view = out.views_.emplace_back();
    const std::string name = fmt::format("{}/view{}", key, v);
    view.judged = archive.has(name + "/reach");
    if (!view.judged) continue;
    constexpr Range kValues{-kLargestValue, kLargestValue};
    const auto values = [&](const char* entry, Range range) {
      const Vector stored = archive.vector(name + entry, features, range);
      return std::vector<double>(stored.begin(), stored.end());
    };
    view.reach = archive.number(name + "/reach", {1, kCompressedReach});
    view.low = values("/low", kValues);
    view.high = values("/high", kValues);
    view.width = values("/width", {std::numeric_limits<double>::min(), 2 * kLargestValue});
  }
  return out;
}

bool agree(const Ranges::Excess& a, const Ranges::Excess& b) {
  const double most = 0.25 * std::min(squares(a), squares(b));
  double apart = 0;
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    const bool first = right == b.end() || (left != a.end() && left->first <= right->first);
    const bool second = left == a.end() || (right != b.end() && right->first <= left->first);
    const double difference = (first ? left->second : 0) - (second ? right->second : 0);
    apart += difference * difference;
    if (apart > most) return false;
    if (first) ++left;
    if (second) ++right;
  }
  return apart <= most;
}

}  // namespace omvc
