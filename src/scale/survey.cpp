#include "scale/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "chunk/kinds.hpp"
#include "parallel/prefetch.hpp"
#include "scale/log_ratio.hpp"

namespace omvc {
namespace {

constexpr std::size_t kLeastStripe = 64;  // features of a stripe
constexpr double kWorthThreads = 1 << 14;

constexpr Index kLogRows = 512;  // of which log ratios are made at a time

// Some neighbouring features of a view, in memory of their own: threads that wrote to one array would wait for each
// other's cache lines.
struct Stripe {
  std::size_t view = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  ViewSurvey own;                    // of these features alone
  std::vector<std::size_t> missing;  // features, one for each cell
  bool whole = false;                // these are all features of the view

  void take(ViewSurvey& from) {
    for (const auto values : kOfFeatures) {
      if (whole) {
        (own.*values).swap(from.*values);
      } else {
        (own.*values)
            .assign((from.*values).begin() + static_cast<std::ptrdiff_t>(first),
                    (from.*values).begin() + static_cast<std::ptrdiff_t>(last));
      }
    }
  }
  void give(ViewSurvey& to) {
    for (const auto values : kOfFeatures) {
      if (whole) {
        (own.*values).swap(to.*values);
      } else {
        std::copy((own.*values).begin(), (own.*values).end(),
                  (to.*values).begin() + static_cast<std::ptrdiff_t>(first));
      }
    }
  }
};

// Adding and subtracting 1.5 * 2^52 rounds to a whole number; beyond 2^51 there is next to nothing between those.
bool is_whole(double x) {
  constexpr double kRound = 6755399441055744.0;
  return (x + kRound) - kRound == x || std::abs(x) >= 2251799813685248.0;
}

void add_entry(Stripe& stripe, std::size_t feature, double x) {
  if (std::isnan(x)) {
    stripe.missing.push_back(feature);
    return;
  }
  ViewSurvey& own = stripe.own;
  const std::size_t at = feature - stripe.first;
  own.minimum[at] = std::min(own.minimum[at], x);
  own.maximum[at] = std::max(own.maximum[at], x);
  if (x == 0) return;
  own.entries += 1;
  own.nonzeros[at] += 1;
  own.sum[at] += x;
  own.squares[at] += x * x;
  if (x < 0) own.negatives += 1;
  if (!is_whole(x)) own.fractions += 1;
}

// The same for neighbouring features of one row without missing cells, in loops that compilers make vectors of.
template <class T>
void add_full_row(const T* x, ViewSurvey& own) {
  const std::size_t count = own.sum.size();
  double* minimum = own.minimum.data();
  double* maximum = own.maximum.data();
  double* sum = own.sum.data();
  double* squares = own.squares.data();
  double* nonzeros = own.nonzeros.data();
  for (std::size_t j = 0; j < count; ++j) {
    const auto value = static_cast<double>(x[j]);
    minimum[j] = std::min(minimum[j], value);
    maximum[j] = std::max(maximum[j], value);
  }
  for (std::size_t j = 0; j < count; ++j) {
    const auto value = static_cast<double>(x[j]);
    sum[j] += value;
    squares[j] += value * value;
    nonzeros[j] += value != 0 ? 1.0 : 0.0;
  }
  Index entries = 0;
  Index negatives = 0;
  Index fractions = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const auto value = static_cast<double>(x[j]);
    entries += value != 0 ? 1 : 0;
    negatives += value < 0 ? 1 : 0;
    fractions += is_whole(value) ? 0 : 1;
  }
  own.entries += static_cast<double>(entries);
  own.negatives += static_cast<double>(negatives);
  own.fractions += static_cast<double>(fractions);
}

template <class B>
void add_rows(const B& X, Stripe& stripe) {
  for (Index i = 0; i < X.rows; ++i) {
    if constexpr (requires { X.offsets; }) {
      const auto begin = X.columns.begin() + X.offsets[static_cast<std::size_t>(i)];
      const auto end = X.columns.begin() + X.offsets[static_cast<std::size_t>(i) + 1];
      for (auto column = std::lower_bound(begin, end, static_cast<Index>(stripe.first));
           column != end && static_cast<std::size_t>(*column) < stripe.last; ++column) {
        const auto e = static_cast<std::size_t>(column - X.columns.begin());
        add_entry(stripe, static_cast<std::size_t>(*column), static_cast<double>(X.values[e]));
      }
    } else {
      const auto* x = X.values.data() + i * X.cols;
      prefetch_stripe(x, X.rows - i, X.cols, static_cast<Index>(stripe.first), static_cast<Index>(stripe.last));
      bool full = true;
      for (std::size_t j = stripe.first; j < stripe.last; ++j) full &= x[j] == x[j];
      if (full) {
        add_full_row(x + stripe.first, stripe.own);
      } else {
        for (std::size_t j = stripe.first; j < stripe.last; ++j) add_entry(stripe, j, static_cast<double>(x[j]));
      }
    }
  }
}

// In the order in which the entries are stored, as one chain.
template <class B>
void add_total(const B& X, double& total) {
  for (const auto x : X.values) {
    if (x > 0) total += static_cast<double>(x);
  }
}

// Every feature takes its entries in the order of the rows, whatever the stripes: so neither threads nor chunks change
// a sum of a feature.
void append_stripes(std::size_t view, std::size_t features, int threads, std::vector<Stripe>& stripes) {
  const auto wanted = static_cast<std::size_t>(threads);
  const std::size_t width = std::max(kLeastStripe, (features + wanted - 1) / wanted);
  for (std::size_t first = 0; first < features; first += width) {
    stripes.push_back({.view = view,
                       .first = first,
                       .last = std::min(features, first + width),
                       .own = {},
                       .missing = {},
                       .whole = width >= features});
  }
}

// What a stripe knows of all its features together.
void add_counts(const Stripe& stripe, ViewSurvey& view) {
  view.entries += stripe.own.entries;
  view.negatives += stripe.own.negatives;
  view.fractions += stripe.own.fractions;
  view.cells += static_cast<double>(stripe.missing.size());
  if (!stripe.missing.empty()) view.missing.resize(view.sum.size(), 0);
  for (const std::size_t feature : stripe.missing) view.missing[feature] += 1;
}

// The log ratios of a block of counts, some rows at a time, to their survey.
void add_log_ratios(const Block& block, ViewSurvey& survey, Compute& compute) {
  const Index rows = block_rows(block);
  const Index cols = block_cols(block);
  const bool worth = static_cast<double>(rows * cols) > kWorthThreads;
  DenseBlock<double> ratios{.rows = 0, .cols = cols, .values = {}};
  survey.observed += static_cast<double>(rows);
  for (Index first = 0; first < rows; first += kLogRows) {
    ratios.rows = std::min(kLogRows, rows - first);
    ratios.values.own().resize(static_cast<std::size_t>(ratios.rows * cols));
    double* out = ratios.values.own().data();
    for_blocks(compute, ratios.rows, kLogRows / 16, worth, [&](Index begin, Index end) {
      std::visit([&](const auto& X) { log_ratios(X, first + begin, first + end, out + begin * cols); }, block);
    });
    std::vector<Stripe> stripes;
    append_stripes(0, survey.sum.size(), compute.threads(), stripes);
    for_blocks(compute, static_cast<Index>(stripes.size()), 1, worth, [&](Index at, Index) {
      Stripe& stripe = stripes[static_cast<std::size_t>(at)];
      stripe.take(survey);
      add_rows(ratios, stripe);
      stripe.give(survey);
    });
    for (const Stripe& stripe : stripes) add_counts(stripe, survey);
  }
}

}  // namespace

void Survey::add(std::span<const Chunk* const> chunks, Compute& compute) {
  double numbers = 0;
  for (const Chunk* chunk : chunks) {
    std::vector<bool> seen(chunk->rows.size(), false);
    for (std::size_t v = 0; v < views.size(); ++v) {
      const ChunkView& view = chunk->views[v];
      views[v].observed += static_cast<double>(view.present.size());
      views[v].sparse = views[v].sparse || is_sparse(view.block);
      for (const Index at : view.present) seen[static_cast<std::size_t>(at)] = true;
      numbers += std::visit([](const auto& X) { return static_cast<double>(X.values.size()); }, view.block);
    }
    instances += static_cast<double>(chunk->size());
    unobserved += static_cast<double>(std::count(seen.begin(), seen.end(), false));
  }
  std::vector<Stripe> stripes;
  for (std::size_t v = 0; v < views.size(); ++v) append_stripes(v, views[v].sum.size(), compute.threads(), stripes);
  const auto chains = totals ? static_cast<Index>(views.size()) : 0;
  for_blocks(compute, chains + static_cast<Index>(stripes.size()), 1, numbers > kWorthThreads, [&](Index at, Index) {
    if (at < chains) {
      ViewSurvey& view = views[static_cast<std::size_t>(at)];
      for (const Chunk* chunk : chunks) {
        std::visit([&](const auto& X) { add_total(X, view.total); }, chunk->views[static_cast<std::size_t>(at)].block);
      }
      return;
    }
    Stripe stripe = std::move(stripes[static_cast<std::size_t>(at - chains)]);
    stripe.take(views[stripe.view]);
    for (const Chunk* chunk : chunks) {
      std::visit([&](const auto& X) { add_rows(X, stripe); }, chunk->views[stripe.view].block);
    }
    stripe.give(views[stripe.view]);
    stripes[static_cast<std::size_t>(at - chains)] = std::move(stripe);
  });
  for (const Stripe& stripe : stripes) add_counts(stripe, views[stripe.view]);
  for (std::size_t v = 0; v < views.size(); ++v) {
    ViewSurvey& view = views[v];
    if (view.negatives > 0 || view.fractions > 0) view.log_ratios.clear();
    if (view.log_ratios.empty()) continue;
    for (const Chunk* chunk : chunks) add_log_ratios(chunk->views[v].block, view.log_ratios[0], compute);
  }
}

}  // namespace omvc
