// Rows with everything that makes rows awkward, in every form in which they can be delivered, and every verb that takes
// rows: for tests that a row means the same to all of them.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/plan.hpp"
#include "omvc/stream.hpp"

#include "chunk/rows.hpp"
#include "support/random_data.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_exchange.hpp"

namespace omvc::test {

enum class Form { dense_double, dense_float, csr_double, csr_float };
inline constexpr std::array kForms = {Form::dense_double, Form::dense_float, Form::csr_double, Form::csr_float};

inline Block block_of(const Matrix& X, Form form) {
  switch (form) {
    case Form::dense_double:
      return dense_block<double>(X);
    case Form::dense_float:
      return dense_block<float>(X);
    case Form::csr_double:
      return csr_block<double>(X);
    default:
      return csr_block<float>(X);
  }
}

// Rows as numbers; a missing cell is NaN.
struct AwkwardRows {
  Schema schema;
  std::vector<Matrix> views;
  std::vector<std::vector<Index>> present;

  Index rows() const { return views[0].rows(); }
  Chunk chunk(const std::vector<Form>& forms) const {
    Chunk out{iota(rows()), {}};
    for (std::size_t v = 0; v < views.size(); ++v) {
      out.views.push_back(
          view_of(views[v], present[v], [&](const Matrix& X) { return block_of(X, forms[v % forms.size()]); }));
    }
    return out;
  }
  std::unique_ptr<Source> source(const std::vector<Form>& forms) const {
    return make_table_source(schema, chunk(forms));
  }
};

// Three clusters in a view "spectrum" of 4 features that have 0 within their range and a view "words" of 30 features
// that are mostly zero; `late` adds a view that no row has. Some rows lack a view, some all of them, some single cells.
// All numbers are multiples of 1/64; `low` is the least of the spectrum, about.
inline AwkwardRows awkward_rows(Index n, std::uint64_t seed, double low = -3, bool late = false) {
  AwkwardRows out{{{{"spectrum", 4, {}}, {"words", 30, {}}}}, {}, {{}, {}}};
  const Random random(seed, Purpose::planted_data);
  std::uint64_t drawn = 0;
  const auto draw = [&](double most) { return std::floor(64 * most * random.uniform(drawn++)) / 64; };
  Matrix spectrum(n, 4);
  Matrix words = Matrix::Zero(n, 30);
  for (Index i = 0; i < n; ++i) {
    const Index kind = i % 3;
    for (Index j = 0; j < 4; ++j) spectrum(i, j) = low + draw(1) + (j == kind || j == 3 ? 3.0 : 0.0) * (j == 3 ? 1 : 2);
    if (i % 7 == 3) spectrum(i, 2) = 0;
    if (i % 13 == 5) spectrum(i, i % 4) = std::nan("");
    for (int k = 0; k < 4; ++k) words(i, 10 * kind + static_cast<Index>(draw(10))) = 0.5 + draw(2);
    if (i % 17 == 4) words(i, (10 * kind + 15) % 30) = std::nan("");
    if (i % 4 != 0) out.present[0].push_back(i);
    if (i % 5 != 0) out.present[1].push_back(i);
  }
  out.views = {std::move(spectrum), std::move(words)};
  if (late) {
    out.schema.views.push_back({"late", 2, {}});
    out.views.emplace_back(Matrix::Ones(n, 2));
    out.present.emplace_back();
  }
  return out;
}

// What was said of rows, to the bit.
struct Said : Sink {
  void write(const ResultRows& rows) override {
    labels.insert(labels.end(), rows.labels.begin(), rows.labels.end());
    add(rows.confidence, confidence);
    add(rows.distance, distance);
  }
  bool wants_embedding() const override { return false; }
  bool operator==(const Said& other) const {
    return labels == other.labels && confidence == other.confidence && distance == other.distance;
  }
  template <class Numbers>
  static void add(const Numbers& numbers, std::vector<std::uint64_t>& bits) {
    for (const double x : numbers) bits.push_back(std::bit_cast<std::uint64_t>(x != x ? std::nan("") : x));
  }
  std::vector<int> labels;
  std::vector<std::uint64_t> confidence;
  std::vector<std::uint64_t> distance;
};

inline Said said(const Assignment& found) {
  Said out;
  out.labels = found.labels;
  Said::add(found.confidence, out.confidence);
  Said::add(found.distance, out.distance);
  return out;
}

// How they differ, in words; empty where they do not.
inline std::string difference(const Said& a, const Said& b) {
  if (a.labels != b.labels) return "other labels";
  if (a.confidence != b.confidence) return "the same labels, other confidences";
  for (std::size_t i = 0; i < a.distance.size() && i < b.distance.size(); ++i) {
    if (a.distance[i] == b.distance[i]) continue;
    return "row " + std::to_string(i) + ": distance " + std::to_string(std::bit_cast<double>(a.distance[i])) + " and " +
           std::to_string(std::bit_cast<double>(b.distance[i]));
  }
  return a.distance.size() == b.distance.size() ? "" : "other numbers of distances";
}

inline Options awkward_options(Scaling scaling) {
  Options options;
  options.clusters = 3;
  options.scaling = {scaling};
  options.threads = 1;
  return options;
}

// The rows [first, first + count) of a chunk, numbered from 0.
inline Chunk part_of(const Chunk& chunk, Index first, Index count) {
  Chunk part = take_instances(chunk, iota(count, first));
  part.rows = iota(count);
  return part;
}

// A fit by a plan whose parts begin at even places; the task that labels is left in `task`. Returns the model.
inline std::string planned(const Plan& plan, const Chunk& chunk, Index parts, Sink& sink, std::string* task = nullptr) {
  Observer silent;
  const auto all = [&](const auto& step, auto merge) {
    std::string sum;
    for (Index p = 0; p < parts; ++p) {
      const Index first = chunk.size() * p / parts;
      const auto part = make_table_source(plan.schema(), part_of(chunk, first, chunk.size() * (p + 1) / parts - first));
      const std::string bytes = step(*part, first);
      sum = p == 0 ? bytes : (plan.*merge)(sum, bytes);
    }
    return sum;
  };
  std::string state = plan.make(
      all([&](Source& part, Index first) { return plan.look(part, first, silent); }, &Plan::merge_looks), silent);
  while (plan.wants_pass(state)) {
    const std::string counting = plan.task(state);
    state = plan.end_pass(
        state,
        all([&](Source& part, Index first) { return plan.count(counting, part, first, silent); }, &Plan::merge_counts));
  }
  const std::string labelling = plan.task(state);
  if (task != nullptr) *task = labelling;
  const std::string tally =
      all([&](Source& part, Index first) { return plan.label(labelling, part, first, sink, silent); },
          &Plan::merge_tallies);
  return plan.finish(state, tally).first;
}

}  // namespace omvc::test
