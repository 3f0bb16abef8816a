#include "model/leading_column.hpp"

#include "scale/columns.hpp"

namespace omvc {
namespace {

constexpr double kAlone = 0.5;
constexpr std::size_t kFewColumns = 4;

// Of every feature of a view: the sum over clusters of rows times the squared distance of their mean from that of all.
Vector between_clusters(const Model& model, std::size_t view) {
  const PrototypeSums& sums = model.placing().sums();
  const std::vector<int>& group = model.clusters().group;
  Vector rows = Vector::Zero(model.clusters().count);
  for (std::size_t p = 0; p < group.size(); ++p) {
    if (group[p] >= 0) rows(group[p]) += sums.counts[view](static_cast<Index>(p));
  }
  const Matrix means = sums.means(view, group, model.clusters().count);
  if (!(rows.sum() > 0)) return Vector::Zero(means.rows());
  const Vector all = means * rows / rows.sum();
  return (means.colwise() - all).cwiseAbs2() * rows;
}

}  // namespace

std::optional<LeadingColumn> leading_column(const Model& model) {
  if (model.clusters().count < 2) return std::nullopt;
  const Schema& schema = model.intake().schema();
  LeadingColumn leading;
  double most = 0;
  double total = 0;
  std::size_t columns = 0;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::vector<std::string>& names = schema.views[v].feature_names;
    const Vector between = between_clusters(model, v);
    total += between.sum();
    for (const ColumnUnit& unit : column_units(model.seen().survey().views[v], names)) {
      ++columns;
      const double own =
          between.segment(static_cast<Index>(unit.first), static_cast<Index>(unit.last - unit.first)).sum();
      if (own <= most) continue;
      most = own;
      leading = {.view = schema.views[v].name, .column = unit_name(unit, schema.views[v])};
    }
  }
  if (columns < kFewColumns || !(most > kAlone * total)) return std::nullopt;
  leading.share = most / total;
  return leading;
}

}  // namespace omvc
