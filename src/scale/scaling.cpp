#include "scale/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <variant>

#include "omvc/error.hpp"

#include "scale/log_ratio.hpp"

namespace omvc {
namespace {

// Calls f(entry value, feature) for the entries of row i.
template <class B, class F>
void for_row(B& X, Index i, const F& f) {
  auto* values = X.values.data();
  if constexpr (requires { X.offsets; }) {
    for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
         e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
      f(values[e], static_cast<std::size_t>(X.columns[e]));
    }
  } else {
    const auto d = static_cast<std::size_t>(X.cols);
    for (std::size_t j = 0; j < d; ++j) f(values[static_cast<std::size_t>(i) * d + j], j);
  }
}

// Whether the scaling leaves finite values as they are.
bool changes_nothing(const ViewScaling& scaling) {
  return !scaling.clip && !scaling.unit_rows && scaling.factor == 1 && scaling.shift.empty() && scaling.gain.empty() &&
         scaling.ceiling.empty() && scaling.unit.empty();
}

// A number as the scaling takes it: its logarithm where that was asked for.
double logarithm(const ViewScaling& scaling, std::size_t j, double x) {
  if (scaling.unit.empty() || !(scaling.unit[j] > 0)) return x;
  return std::log1p(std::max(x, 0.0) / scaling.unit[j]);
}

// Features shifted and stretched, without regard to the rest of the row: most dense views.
template <class T>
void apply_by_feature(const ViewScaling& scaling, bool keep_sign, DenseBlock<T>& X) {
  const auto d = static_cast<std::size_t>(X.cols);
  std::vector<double> shift = scaling.shift;
  std::vector<double> gain = scaling.gain;
  shift.resize(d, 0.0);
  gain.resize(d, 1.0);
  std::vector<double> fill = scaling.fill;
  fill.resize(d, 0.0);
  std::vector<double> ceiling = scaling.ceiling;
  ceiling.resize(d, std::numeric_limits<double>::infinity());
  const double least = keep_sign ? -std::numeric_limits<double>::infinity() : 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(X.rows); ++i) {
    T* row = X.values.data() + i * d;
    for (std::size_t j = 0; j < d; ++j) {
      const double cell = is_missing(scaling, j, static_cast<double>(row[j]))
                              ? fill[j]
                              : logarithm(scaling, j, static_cast<double>(row[j]));
      const double x = ((cell > ceiling[j] ? ceiling[j] : cell) - shift[j]) * gain[j];
      row[j] = static_cast<T>((x < least ? least : x) * scaling.factor);
    }
  }
}

// `refuse(i)` reports that row i holds a negative value that the scaling does not allow.
template <class B, class Refuse>
Index apply(const ViewScaling& scaling, B& X, const Refuse& refuse) {
  using T = typename B::Scalar;
  Index clipped = 0;
  if (changes_nothing(scaling)) {
    const B& same = X;  // which may be lent, and stays so
    bool gaps = false;
    for (Index i = 0; i < same.rows; ++i) {
      for_row(same, i, [&](const T& entry, std::size_t) {
        gaps = gaps || entry != entry;
        if (scaling.refuse_negatives && entry < 0) refuse(i);
      });
    }
    if (!gaps) return 0;
  }
  const bool keep_sign = !scaling.clip && !scaling.refuse_negatives && scaling.shift.empty();
  if constexpr (requires(const B& block) { block.row(0); }) {
    if (!scaling.clip && !scaling.refuse_negatives && !scaling.unit_rows) {
      apply_by_feature(scaling, keep_sign, X);
      return 0;
    }
  }
  for (Index i = 0; i < X.rows; ++i) {
    double squares = 0;
    for_row(X, i, [&](T& entry, std::size_t j) {
      auto x = static_cast<double>(entry);
      const bool missing = is_missing(scaling, j, x);
      if (scaling.refuse_negatives && x < 0 && !missing) refuse(i);
      x = missing ? (scaling.fill.empty() ? 0 : scaling.fill[j]) : logarithm(scaling, j, x);
      if (!scaling.ceiling.empty()) x = std::min(x, scaling.ceiling[j]);
      if (scaling.clip && x < 0) {
        x = 0;
        ++clipped;
      }
      if (!scaling.shift.empty()) x -= scaling.shift[j];
      if (!scaling.gain.empty()) x *= scaling.gain[j];
      // A new instance may lie below the range of those the scaling was chosen on.
      if (!keep_sign) x = std::max(x, 0.0);
      squares += x * x;
      entry = static_cast<T>(scaling.unit_rows ? x : x * scaling.factor);
    });
    if (!scaling.unit_rows) continue;
    const double factor = scaling.factor * (squares > 0 ? 1 / std::sqrt(squares) : 1);
    for_row(X, i, [&](T& entry, std::size_t) { entry = static_cast<T>(static_cast<double>(entry) * factor); });
  }
  return clipped;
}

// Rows of counts as log ratios, which are dense however the counts are stored.
template <class B, class Refuse>
Block apply_log_ratios(const ViewScaling& scaling, const B& X, const Refuse& refuse, Index& clipped) {
  using T = typename B::Scalar;
  const auto d = static_cast<std::size_t>(X.cols);
  DenseBlock<T> out{X.rows, X.cols, std::vector<T>(static_cast<std::size_t>(X.rows) * d)};
  T* to = out.values.data();
  std::vector<double> ratios(d);
  for (Index i = 0; i < X.rows; ++i, to += d) {
    for_row(X, i, [&](const T& entry, std::size_t) {
      if (!(entry < 0)) return;
      if (scaling.refuse_negatives) refuse(i);
      ++clipped;
    });
    log_ratios(X, i, i + 1, ratios.data());
    for (std::size_t j = 0; j < d; ++j) {
      const double y = std::isnan(ratios[j]) ? scaling.fill[j] : ratios[j];
      to[j] = static_cast<T>(std::max((y - scaling.shift[j]) * scaling.gain[j], 0.0) * scaling.factor);
    }
  }
  return out;
}

}  // namespace

bool is_missing(const ViewScaling& scaling, std::size_t j, double x) {
  if (x != x) return true;
  return !scaling.missing_below.empty() && (x <= scaling.missing_below[j] || x >= scaling.missing_above[j]);
}

bool is_left_out(const ViewScaling& scaling, std::size_t j, double x) {
  if (is_missing(scaling, j, x)) return true;
  const bool logarithms = scaling.log_ratios || (!scaling.unit.empty() && scaling.unit[j] != 0);
  if (scaling.notes.empty() || logarithms || scaling.shift.empty() || scaling.ceiling.empty()) return false;
  if (x >= scaling.shift[j] && x <= scaling.ceiling[j]) return false;
  return std::any_of(scaling.notes.begin(), scaling.notes.end(), [&](const ColumnNote& note) {
    return note.feature == j && note.kind == ColumnNote::Kind::glitches;
  });
}

void check_magnitudes(const Chunk& chunk, const Schema& schema) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const auto check = [&](const auto& X) {
      const auto too_large = [](auto x) { return std::abs(static_cast<double>(x)) > kLargestValue; };
      const auto found = std::find_if(X.values.begin(), X.values.end(), too_large);
      if (found == X.values.end()) return;
      const Index at = found - X.values.begin();
      Index row = at / std::max<Index>(X.cols, 1);
      if constexpr (requires { X.offsets; }) {
        row = std::upper_bound(X.offsets.begin(), X.offsets.end(), at) - X.offsets.begin() - 1;
      }
      throw Error(
          ErrorKind::data,
          fmt::format("view {}, row {}: {:.3g} is too large to be squared: bring the view to values below {:.0e} first",
                      schema.views[v].name,
                      chunk.rows[static_cast<std::size_t>(chunk.views[v].present[static_cast<std::size_t>(row)])],
                      static_cast<double>(*found), kLargestValue));
    };
    std::visit(check, chunk.views[v].block);
  }
}

bool refuses_negatives(Scaling asked, bool sparse) {
  const bool shifts =
      asked == Scaling::minmax || asked == Scaling::standard || asked == Scaling::variance || asked == Scaling::log;
  return asked == Scaling::none || asked == Scaling::clr || (shifts && sparse);
}

namespace {

Index number_of(const Chunk& chunk, std::size_t view, Index row) {
  return chunk.rows[static_cast<std::size_t>(chunk.views[view].present[static_cast<std::size_t>(row)])];
}

[[noreturn]] void refuse_fraction(const Chunk& chunk, std::size_t view, Index row, const Schema& schema) {
  throw Error(ErrorKind::data,
              fmt::format("view {}, row {}: a value that is not whole, and scaling clr is for counts; choose scaling "
                          "auto or variance",
                          schema.views[view].name, number_of(chunk, view, row)));
}

[[noreturn]] void refuse_negative(const Chunk& chunk, std::size_t view, Index row, const Schema& schema) {
  throw Error(
      ErrorKind::data,
      fmt::format("view {}, row {}: a negative value, which a nonnegative factorisation cannot represent; choose "
                  "scaling auto, minmax or standard (shift dense views), or l2, tfidf or total (set negatives to 0)",
                  schema.views[view].name, number_of(chunk, view, row)));
}

}  // namespace

void check_negatives(const Chunk& chunk, const Schema& schema, const std::vector<Scaling>& asked) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const auto check = [&](const auto& X) {
      if (!refuses_negatives(
              of_view(asked, v), requires { X.offsets; }))
        return;
      for (Index i = 0; i < X.rows; ++i) {
        for_row(X, i, [&](const auto& entry, std::size_t) {
          if (entry < 0) refuse_negative(chunk, v, i, schema);
          if (of_view(asked, v) == Scaling::clr && entry - std::floor(entry) > 0) refuse_fraction(chunk, v, i, schema);
        });
      }
    };
    std::visit(check, chunk.views[v].block);
  }
}

std::vector<Index> apply_scaling(const std::vector<ViewScaling>& scaling, const Schema& schema, Chunk& chunk) {
  std::vector<Index> clipped;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const auto refuse = [&](Index i) { refuse_negative(chunk, v, i, schema); };
    Block& block = chunk.views[v].block;
    Index count = 0;
    if (scaling[v].log_ratios) {
      block = std::visit([&](const auto& X) { return apply_log_ratios(scaling[v], X, refuse, count); }, block);
    } else {
      count = std::visit([&](auto& X) { return apply(scaling[v], X, refuse); }, block);
    }
    clipped.push_back(count);
  }
  return clipped;
}

void clamp_to_narrow(Chunk& chunk) {
  for (ChunkView& view : chunk.views) {
    std::visit(
        [](auto& X) {
          using Number = typename std::remove_reference_t<decltype(X)>::Scalar;
          constexpr auto kFar = static_cast<Number>(kNarrowValue);
          const auto& same = X.values;  // reading through this makes no copy of what is lent
          if (std::none_of(same.begin(), same.end(), [](Number x) { return std::abs(x) > kFar; })) return;
          for (Number& x : X.values.own()) x = std::clamp(x, -kFar, kFar);
        },
        view.block);
  }
}

}  // namespace omvc
