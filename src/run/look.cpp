#include "omvc/look.hpp"

#include <algorithm>
#include <cmath>

#include "model/look.hpp"
#include "pass/first_look.hpp"
#include "pass/fit_base.hpp"
#include "pass/setting.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

constexpr Index kPieceRows = 512;

// Whether the values of a feature are 0 .. n - 1 or 1 .. n, each once: then so are their sum and that of their squares.
bool counts_rows(const ViewSurvey& survey, std::size_t j) {
  const double n = survey.known(j);
  if (n < 3 || (survey.minimum[j] != 0 && survey.minimum[j] != 1)) return false;
  const double last = survey.minimum[j] + n - 1;
  const double sum = (survey.minimum[j] + last) * n / 2;
  const double squares = last * (last + 1) * (2 * last + 1) / 6;
  return survey.maximum[j] == last && survey.sum[j] == sum && survey.squares[j] == squares;
}

std::string kind_of(const ViewSurvey& survey, const ColumnUnit& unit) {
  const std::size_t j = unit.first;
  if (unit.last > unit.first + 1) return "category";
  if (!(survey.known(j) > 0)) return "empty";
  if (unit.two_values) return "two values";
  const double low = survey.nonzeros[j] < survey.known(j) ? std::min(survey.minimum[j], 0.0) : survey.minimum[j];
  if (!(low < survey.maximum[j])) return "constant";
  return counts_rows(survey, j) ? "row numbers" : "number";
}

ColumnFacts facts_of(const ViewSurvey& survey, const ColumnUnit& unit, const ViewSchema& schema) {
  const std::size_t j = unit.first;
  ColumnFacts out{.name = unit_name(unit, schema),
                  .kind = kind_of(survey, unit),
                  .values = static_cast<Index>(unit.last - unit.first)};
  out.missing = static_cast<Index>(survey.observed - survey.known(j));
  if (out.values > 1 || !(survey.known(j) > 0)) return out;
  const bool zeros = survey.nonzeros[j] < survey.known(j);
  out.minimum = zeros ? std::min(survey.minimum[j], 0.0) : survey.minimum[j];
  out.maximum = zeros ? std::max(survey.maximum[j], 0.0) : survey.maximum[j];
  out.mean = survey.sum[j] / survey.known(j);
  const double variance = survey.squares[j] / survey.known(j) - out.mean * out.mean;
  // Far from zero the squares cancel, and nothing is left to tell.
  const bool cancelled = out.minimum < out.maximum && variance <= 1e-12 * out.mean * out.mean;
  out.deviation = cancelled ? kNan : std::sqrt(std::max(0.0, variance));
  return out;
}

ViewFacts facts_of(const ViewSurvey& survey, const ViewSchema& schema, const ViewReport& report) {
  const double cells = survey.observed * static_cast<double>(schema.features);
  ViewFacts out{.name = schema.name,
                .features = schema.features,
                .rows = static_cast<Index>(survey.observed),
                .missing = report.missing,
                .sparse = survey.sparse,
                .zeros = cells > 0 ? 1 - (survey.entries + survey.cells) / cells : 0,
                .scaling = report.scaling,
                .reason = report.reason,
                .columns = {}};
  for (const ColumnUnit& unit : column_units(survey, schema.feature_names)) {
    ColumnFacts& column = out.columns.emplace_back(facts_of(survey, unit, schema));
    for (const ColumnReport& found : report.columns) {
      if (found.name != column.name) continue;
      column.found = found.found;
      column.cells = found.cells;
      column.value = found.value;
    }
  }
  return out;
}

}  // namespace

DataLook look_at_data(Source& source, const Options& options) {
  Setting setting{.options = options, .schema = {}, .scaling = {}, .clipped = {}};
  setting.start(source.schema());
  const Schema& schema = setting.schema;
  Compute compute(options.threads);
  Look look(options, schema);
  DataLook out;
  out.in_views.assign(schema.views.size() + 1, 0);
  Observer observer;
  look_at(source, {}, observer, compute,
          [&](std::span<const Chunk* const> chunks, std::uint64_t fingerprint, Compute& some) {
            look.add(chunks, fingerprint, some);
            for (const Chunk* chunk : chunks) {
              std::vector<std::size_t> present(chunk->rows.size(), 0);
              for (const ChunkView& view : chunk->views) {
                for (const Index at : view.present) ++present[static_cast<std::size_t>(at)];
              }
              for (const std::size_t views : present) ++out.in_views[views];
            }
          });
  look.settle(compute);
  const Survey survey = look.survey.sum();
  check_survey(survey, schema, options);
  const std::vector<Chunk> rows = look.sample.pieces(kPieceRows, compute);
  setting.scaling = choose_scalings(options.scaling, schema, survey, rows, setting.scaling);
  out.instances = look.instances;
  out.unobserved = static_cast<Index>(survey.unobserved);
  std::vector<Index> observed;
  for (const ViewSurvey& view : survey.views) observed.push_back(static_cast<Index>(view.observed));
  Report report;
  report.instances = out.instances;
  report.unobserved = out.unobserved;
  report.views = setting.views(observed);
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const TableColumns columns = table_columns(survey.views[v], schema.views[v]);
    report.views[v].table_columns = columns.count;
    report.views[v].missing = columns.missing;
    out.views.push_back(facts_of(survey.views[v], schema.views[v], report.views[v]));
  }
  warn_of_views(report);
  out.warnings = report.warnings;
  const std::vector<std::string> first = source.ids(0, 1);
  const std::vector<std::string> last = source.ids(std::max<Index>(out.instances - 1, 0), 1);
  if (!first.empty()) out.first_id = first[0];
  if (!last.empty()) out.last_id = last[0];
  return out;
}

}  // namespace omvc
