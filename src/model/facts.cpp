#include "model/facts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "omvc/error.hpp"

#include "model/leading_column.hpp"
#include "model/raw_sums.hpp"
#include "pass/setting.hpp"
#include "scale/columns.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

// Each level in the order of its numbers; the parent of a cluster is the one before that holds most of its rows.
std::vector<CutLevel> levels_of(const std::vector<NamedCut>& cuts) {
  std::vector<CutLevel> levels;
  for (std::size_t at = 0; at < cuts.size(); ++at) {
    const NamedCut& cut = cuts[at];
    std::vector<std::size_t> order(cut.numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return cut.numbers[a] < cut.numbers[b]; });
    Matrix shared = Matrix::Zero(cut.cut.count, at > 0 ? cuts[at - 1].cut.count : 0);
    for (std::size_t i = 0; at > 0 && i < cut.rows.size(); ++i) {
      if (cut.rows[i] >= 0 && cuts[at - 1].rows[i] >= 0) shared(cut.rows[i], cuts[at - 1].rows[i]) += 1;
    }
    CutLevel& level = levels.emplace_back();
    for (const std::size_t k : order) {
      level.numbers.push_back(cut.numbers[k]);
      level.sizes.push_back(cut.sizes[k]);
      Index parent = 0;
      if (at > 0) shared.row(static_cast<Index>(k)).maxCoeff(&parent);
      level.parents.push_back(at > 0 ? cuts[at - 1].numbers[static_cast<std::size_t>(parent)] : -1);
    }
  }
  return levels;
}

// The sums of prototypes are of places and not of labels, and hold the mean of a feature where a cell is missing, which
// explains nothing. Where a scaling multiplies features, the share is that of the labels of the sample, and of the
// cells that are there.
void explain_by_labels(const Model& model, std::vector<double>& share) {
  if (!model.can_learn()) return;
  std::optional<RawSums> sums;
  for (std::size_t v = 0; v < share.size(); ++v) {
    const ViewScaling& scaling = model.intake().scaling()[v];
    if (scaling.unit_rows || scaling.log_ratios || !scaling.unit.empty()) continue;
    Compute compute;
    if (!sums) sums = cluster_sums(model, compute);
    const auto features = static_cast<std::size_t>(model.intake().schema().views[v].features);
    share[v] = sums->explained(v, scaling.gain.empty() ? std::vector<double>(features, 1.0) : scaling.gain);
  }
}

}  // namespace

std::vector<double> cluster_sizes(const Model& model) {
  const std::vector<int>& numbers = model.names().numbers();
  if (model.tally().sizes.size() == numbers.size()) return model.tally().sizes;
  const std::vector<double> sizes = model.clusters().sizes(model.prototypes());
  std::map<int, double> by_number;
  for (std::size_t k = 0; k < numbers.size(); ++k) by_number[numbers[k]] = sizes[k];
  std::vector<double> out;
  for (const auto& [number, size] : by_number) out.push_back(size);
  return out;
}

Matrix cluster_profiles(const Model& model, std::size_t view) {
  return model.placing().sums().means(view, model.clusters().group, model.clusters().count);
}

std::vector<double> explained(const Model& model) {
  // Of the variance of the rows about the mean of the view: between clusters, over all.
  const PrototypeSums& sums = model.placing().sums();
  const std::vector<int>& group = model.clusters().group;
  const std::vector<double> between = sums.between(group, model.clusters().count);
  const std::vector<double> about_mean = sums.between(std::vector<int>(group.size(), 0), 1);
  std::vector<double> share;
  for (std::size_t v = 0; v < between.size(); ++v) {
    const double total = model.prototypes().squares[v] * sums.rows(v) - about_mean[v];
    share.push_back(total > 0 ? std::clamp((between[v] - about_mean[v]) / total, 0.0, 1.0) : 0);
  }
  explain_by_labels(model, share);
  return share;
}

std::vector<ViewReport> view_reports(const Model& model) {
  std::vector<ViewReport> reports;
  const Schema& schema = model.intake().schema();
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const ViewScaling& scaling = model.intake().scaling()[v];
    const ViewSurvey& survey = model.seen().survey().views[v];
    const TableColumns columns = table_columns(survey, schema.views[v]);
    reports.push_back(
        {.name = schema.views[v].name,
         .features = schema.views[v].features,
         .table_columns = columns.count,
         .observed = static_cast<Index>(model.placing().size() > 0 ? model.placing().sums().rows(v) : survey.observed),
         .missing = columns.missing,
         .negatives = model.tally().negatives[v],
         .scaling = scaling.known ? scaling.description : "never seen",
         .reason = scaling.reason,
         .columns = column_reports(scaling, schema.views[v])});
  }
  return reports;
}

Matrix embed_prototypes(const Model& model, Compute& compute) {
  Chunk chunk;
  const Index m = model.placing().size();
  std::vector<Index> all(static_cast<std::size_t>(m));
  std::iota(all.begin(), all.end(), Index{0});
  chunk.rows = all;
  for (const NarrowMatrix& columns : model.placing().table()->columns) {
    DenseBlock<double> block{.rows = m, .cols = columns.rows(), .values = {}};
    const Matrix rows = columns.transpose().cast<double>();
    block.values.assign(rows.data(), rows.data() + rows.size());
    chunk.views.push_back({std::move(block), all});
  }
  return model.prototypes().factors->embed(PreparedChunk(chunk), compute);
}

void describe(const Model& model, Report& report) {
  const Cut& cut = model.clusters();
  report.clusters = cut.count;
  report.cluster_numbers = model.names().numbers();
  report.rank = model.prototypes().factors->rank();
  report.prototypes = model.prototypes().size();
  report.sampled = !model.seen().reservoir().whole();
  report.found_by = cut.found_by;
  report.choice = cut.choice;
  const std::vector<TimePoint>& timeline = model.names().history().points();
  if (timeline.size() > 1) report.timeline = timeline;
  report.views = view_reports(model);
  report.leading = leading_column(model);
  const std::vector<double> share = explained(model);
  for (std::size_t v = 0; v < share.size(); ++v) {
    report.views[v].explained = share[v];
    if (v < cut.worth.size()) report.views[v].worth = cut.worth[v];
  }
}

std::vector<CutLevel> cluster_tree(Model& model, int most, Compute& compute) {
  const Index nodes = model.prototypes().size();
  if (nodes < 2) {
    throw Error(ErrorKind::usage, "this model has no fine prototypes, so it shows no tree of clusters");
  }
  if (most < 2)
    throw Error(ErrorKind::usage, fmt::format("a tree begins with 2 clusters, so it cannot end at {}", most));
  std::vector<int> numbers(static_cast<std::size_t>(std::min<Index>(most, nodes)) - 1);
  std::iota(numbers.begin(), numbers.end(), 2);
  return levels_of(model.cuts(numbers, compute));
}

}  // namespace omvc
