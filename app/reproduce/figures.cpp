#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/files.hpp"

#include "reproduce/outputs.hpp"
#include "reproduce/paper_tables.hpp"
#include "reproduce/plot.hpp"
#include "reproduce/plot_ticks.hpp"

namespace omvc::app {
namespace {

// Stands before the conditions, so that no figure passes for one of the paper's data.
std::string stand_in_note(const DataSet& set) {
  if (set.stand_in.empty()) return {};
  return fmt::format("stand-in for {}; ", set.role == "reuters" ? "Reuters" : "YouTube");
}

std::string conditions(const Study& study, const DataSet& set) {
  const StudyArguments& arguments = study.arguments();
  return fmt::format("{}40 % missing from each view, chunks of {}, {} seed{}, {}", stand_in_note(set), set.chunk,
                     arguments.seeds, arguments.seeds == 1 ? "" : "s",
                     arguments.grid ? "tuned with labels" : "stated defaults");
}

// One of Figs. 1 to 8.
bool write_quality_figure(const Study& study, const ResultFile& results, const DataSet& set, int number, bool accuracy,
                          Page& page) {
  const std::string measure = accuracy ? "AC" : "NMI";
  LinePlot plot{.title = fmt::format("Fig. {}: {} on {}", number, measure, set.title),
                .note = conditions(study, set),
                .x = {.name = "pass", .whole = true},
                .y = {.name = measure}};
  std::string csv = fmt::format("data,method,pass,{0},{0}_sd,seeds,setting\n", accuracy ? "ac" : "nmi");
  for (const Contestant& one : study.contestants()) {
    if (!Study::runs_on(one, set)) continue;
    const CellResult cell = study.result(study.figure_cell(set, one), results);
    if (cell.seeds == 0) continue;
    // Where the labels are what counts, there is one clustering, the last.
    const bool level = one.offline || one.own_labels;
    Curve curve{.name = one.title, .level = level};
    const auto add = [&](double pass, const MeanAndSpread& value) {
      curve.x.push_back(pass);
      curve.y.push_back(value.mean);
      if (cell.seeds > 1 && !level) curve.spread.push_back(value.spread);
      csv +=
          fmt::format("{},{},{},{:.6f},{:.6f},{},{}\n", set.name, one.name, level ? "all" : fmt::format("{:.0f}", pass),
                      value.mean, value.spread, cell.seeds, setting_text(cell.setting));
    };
    const auto& passes = accuracy ? cell.ac_passes : cell.nmi_passes;
    if (level) {
      add(1, accuracy ? cell.ac : cell.nmi);
    } else {
      for (std::size_t i = 0; i < passes.size(); ++i) add(static_cast<double>(i + 1), passes[i]);
    }
    plot.curves.push_back(std::move(curve));
  }
  if (plot.curves.empty()) return true;
  const std::string stem = fmt::format("fig{}", number);
  write_whole(fmt::format("{}/{}.csv", study.arguments().out, stem), csv);
  page.picture(stem + ".svg", plot.title);
  return write_figure(fmt::format("{}/{}", study.arguments().out, stem), line_plot(plot));
}

bool write_loss_figure(const Study& study, const CellResult& cell, const DataSet& set, int number, Page& page) {
  LinePlot plot{.title = fmt::format("Fig. {}: average loss on {}", number, set.title),
                .note = fmt::format("{}OMVC, 40 % missing from each view, seed 0{}", stand_in_note(set),
                                    cell.setting.empty() ? "" : ", " + setting_text(cell.setting)),
                .x = {.name = fmt::format("chunks of {} in the pass", set.chunk), .whole = true},
                .y = {.name = "average loss, Eq. (28)"}};
  std::string csv = "data,pass,chunk,average_loss\n";
  for (std::size_t pass = 0; pass < cell.curves.size(); ++pass) {
    const std::vector<double>& loss = cell.curves[pass];
    Curve curve{.name = fmt::format("pass {}", pass + 1)};
    for (std::size_t i = 0; i < loss.size(); ++i) {
      curve.x.push_back(static_cast<double>(i + 1));
      curve.y.push_back(loss[i]);
      csv += fmt::format("{},{},{},{:.6g}\n", set.name, pass + 1, i + 1, loss[i]);
    }
    const bool shown = pass < 3 || pass + 1 == 5 || pass + 1 == cell.curves.size();
    if (shown) plot.curves.push_back(std::move(curve));
  }
  const std::string stem = fmt::format("fig{}", number);
  write_whole(fmt::format("{}/{}.csv", study.arguments().out, stem), csv);
  page.picture(stem + ".svg", plot.title);
  return write_figure(fmt::format("{}/{}", study.arguments().out, stem), line_plot(plot));
}

bool write_sensitivity_figure(const Study& study, const ResultFile& results, const DataSet& set, Page& page) {
  const Cell cell = study.sensitivity_cell(set);
  HeatMap map{
      .title = fmt::format("Fig. 13{}: NMI of OMVC on {}", set.role == "digit" ? "a" : "b", set.title),
      .note = fmt::format("40 % missing, chunks of {}, after {} passes, {} seed{}", set.chunk, study.arguments().passes,
                          study.arguments().seeds, study.arguments().seeds == 1 ? "" : "s"),
      .x_name = "alpha",
      .y_name = "beta",
      .value_name = "NMI"};
  std::string csv = "data,alpha,beta,nmi,nmi_sd,ac,ac_sd,seeds\n";
  const std::vector<GridAxis>& grid = cell.contestant->grid;
  map.columns = grid[0].values;
  map.rows = grid[1].values;
  map.values.assign(map.rows.size(), std::vector<double>(map.columns.size(), std::numeric_limits<double>::quiet_NaN()));
  bool any = false;
  for (std::size_t p = 0; p < cell.settings.size(); ++p) {
    const CellResult one = study.result(cell, cell.settings[p], results);
    if (one.seeds == 0) continue;
    any = true;
    map.values[p % map.rows.size()][p / map.rows.size()] = one.nmi.mean;
    csv += fmt::format("{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{}\n", set.name, cell.settings[p][0].second,
                       cell.settings[p][1].second, one.nmi.mean, one.nmi.spread, one.ac.mean, one.ac.spread, one.seeds);
  }
  if (!any) return true;
  const std::string stem = fmt::format("fig13{}", set.role == "digit" ? "a" : "b");
  write_whole(fmt::format("{}/{}.csv", study.arguments().out, stem), csv);
  page.picture(stem + ".svg", map.title);
  return write_figure(fmt::format("{}/{}", study.arguments().out, stem), heat_map(map));
}

}  // namespace

bool write_quality_figures(const Study& study, const ResultFile& results, Page& page) {
  page.heading("Figs. 1-8: NMI and AC against passes");
  page.paragraph(
      "Off-line methods are horizontal lines, and do not run on the two large sets, as in the paper. So are methods "
      "that "
      "are scored by their labels, which they give at the end.");
  bool png = true;
  int number = 1;
  for (const char* role : {"webkb", "digit", "reuters", "youtube"}) {
    for (const bool accuracy : {false, true}) {
      if (const DataSet* set = study.set(role)) {
        png = write_quality_figure(study, results, *set, number, accuracy, page) && png;
      }
      ++number;
    }
  }
  return png;
}

bool write_loss_figures(const Study& study, const ResultFile& results, Page& page) {
  const Contestant* ours = study.contestant("omvc-paper");
  if (ours == nullptr) return true;
  page.heading("Figs. 9-12: average loss against chunks");
  bool png = true;
  int number = 9;
  for (const char* role : {"webkb", "youtube", "digit", "reuters"}) {
    if (const DataSet* set = study.set(role)) {
      const CellResult cell = study.result(study.figure_cell(*set, *ours), results);
      if (!cell.curves.empty()) png = write_loss_figure(study, cell, *set, number, page) && png;
    }
    ++number;
  }
  return png;
}

bool write_sensitivity_figures(const Study& study, const ResultFile& results, Page& page) {
  page.heading("Fig. 13: sensitivity to alpha and beta");
  page.paragraph("The paper does not say at which share of missing instances; here it is 40 %.");
  bool png = true;
  for (const char* role : {"digit", "webkb"}) {
    if (const DataSet* set = study.set(role)) png = write_sensitivity_figure(study, results, *set, page) && png;
  }
  return png;
}

}  // namespace omvc::app
