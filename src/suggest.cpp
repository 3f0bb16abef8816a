#include "omvc/suggest.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/mask.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr Index kRows = 512;          // read at a time
constexpr double kStable = 0.5;       // below this agreement nothing was found again
constexpr int kLeastPerCluster = 10;  // instances that a part must have for each cluster

struct Nowhere : Sink {
  void write(const ResultRows&) override {}
};

Index count_instances(Source& source) {
  if (!source.rewind()) {
    throw Error(ErrorKind::data,
                "choosing the number of clusters needs data that can be read again: give a file, not a pipe");
  }
  if (const auto size = source.size()) return *size;
  Index count = 0;
  while (const auto chunk = source.next(kRows)) count += chunk->size();
  source.rewind();
  return count;
}

// Labels of the rows in `part` by a model that learned the rows of another part.
std::vector<int> labels_after(Source& table, const Options& options, const std::function<bool(Index)>& learn,
                              const std::function<bool(Index)>& part) {
  Nowhere nowhere;
  Clusterer model(options);
  model.fit(*make_filtered_source(table, learn), nowhere);
  table.rewind();
  const auto held_out = make_filtered_source(table, part);
  std::vector<int> labels;
  while (auto chunk = held_out->next(kRows)) {
    const Assignment found = model.assign(std::move(*chunk));
    labels.insert(labels.end(), found.labels.begin(), found.labels.end());
  }
  return labels;
}

double agreement(Source& table, Options options, int clusters, int split) {
  const Random random(options.seed, Purpose::split, static_cast<std::uint32_t>(split));
  const auto part = [random](Index row) { return random.below(3, static_cast<std::uint64_t>(row)); };
  options.clusters = clusters;
  const auto third = [part](Index row) { return part(row) == 2; };
  const std::vector<int> one = labels_after(
      table, options, [part](Index row) { return part(row) == 0; }, third);
  options.seed += 1;
  const std::vector<int> other = labels_after(
      table, options, [part](Index row) { return part(row) == 1; }, third);
  Contingency counts;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] >= 0) counts.add(one[i], other[i]);
  }
  return score(counts).ari;
}

// The most stable K. It is a clear answer unless another peak of the curve comes within the spread of either.
void decide(Suggestion& out) {
  const auto& tried = out.tried;
  const auto best = std::max_element(
      tried.begin(), tried.end(), [](const KStability& a, const KStability& b) { return a.stability < b.stability; });
  out.clusters = best->clusters;
  std::string rivals;
  for (auto k = tried.begin(); k != tried.end(); ++k) {
    const bool peak = (k == tried.begin() || k->stability >= std::prev(k)->stability) &&
                      (std::next(k) == tried.end() || k->stability >= std::next(k)->stability);
    if (k == best || !peak || best->stability - k->stability > std::max(best->spread, k->spread)) continue;
    rivals += fmt::format("{}{}", rivals.empty() ? "" : ", ", k->clusters);
  }
  out.clear = best->stability >= kStable && rivals.empty();
  if (out.clear) {
    out.verdict = fmt::format("{} clusters are found again most reliably.", out.clusters);
  } else if (best->stability < kStable) {
    out.verdict =
        fmt::format("No number of clusters from {} to {} is found again reliably: the data give no clear answer.",
                    tried.front().clusters, tried.back().clusters);
  } else {
    out.verdict = fmt::format("The data give no clear answer: {} clusters are the most stable, and {} about as stable.",
                              out.clusters, rivals);
  }
}

}  // namespace

Suggestion suggest_clusters(Source& source, const SuggestOptions& options,
                            const std::function<bool(double)>& progress) {
  if (options.least < 2 || options.most < options.least || options.splits < 2 || options.sample < 1) {
    throw Error(ErrorKind::usage,
                fmt::format("clusters from {} to {} in {} splits of {} instances cannot be tried: give 2 <= "
                            "from <= to, at least 2 splits and a positive sample",
                            options.least, options.most, options.splits, options.sample));
  }
  const Index instances = count_instances(source);
  const double share = static_cast<double>(options.sample) / static_cast<double>(std::max<Index>(instances, 1));
  const Random random(options.options.seed, Purpose::sample);
  const auto sampled =
      make_filtered_source(source, [&](Index row) { return random.uniform(static_cast<std::uint64_t>(row)) < share; });
  Chunk sample = read_all(*sampled);
  Suggestion out;
  out.sampled = sample.size();
  if (out.sampled < Index{3} * kLeastPerCluster * options.most) {
    throw Error(ErrorKind::data,
                fmt::format("{} instances are too few to try {} clusters: a third of them must hold {} for "
                            "each; lower the largest number",
                            out.sampled, options.most, kLeastPerCluster));
  }
  // Many files are sorted by class, which would make the first chunk all of one kind.
  std::vector<Index> order = random_order(out.sampled, options.options.seed);
  const auto table = make_table_source(source.schema(), std::move(sample), std::move(order));
  const double total = static_cast<double>((options.most - options.least + 1) * options.splits);
  for (int clusters = options.least; clusters <= options.most; ++clusters) {
    KStability k{.clusters = clusters};
    double squares = 0;
    for (int split = 0; split < options.splits; ++split) {
      const double ari = agreement(*table, options.options, clusters, split);
      k.stability += ari / options.splits;
      squares += ari * ari / options.splits;
      const double done = static_cast<double>((clusters - options.least) * options.splits + split + 1);
      if (!progress(done / total)) throw Error(ErrorKind::interrupted, "interrupted before every number was tried");
    }
    k.spread = std::sqrt(std::max(0.0, squares - k.stability * k.stability));
    out.tried.push_back(k);
  }
  decide(out);
  return out;
}

}  // namespace omvc
