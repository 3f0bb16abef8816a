#include "omvc/look.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "omvc/files.hpp"

#include "command.hpp"
#include "inputs.hpp"
#include "json_text.hpp"
#include "option_flags.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

struct LookArguments {
  InputArguments input;
  OptionFlags flags;
  std::string report;
  bool json = false;
};

constexpr std::size_t kColumnsShown = 40;  // of a view on a terminal

using Rows = std::vector<std::vector<std::string>>;

std::string found_in_words(const ColumnFacts& column) {
  const std::string cells = fmt::format("{} cell{}", column.cells, column.cells == 1 ? "" : "s");
  if (column.found == "missing_word") return fmt::format("{} of {:.10g}: missing?", cells, column.value);
  if (column.found == "heavy_tail") return fmt::format("heavy tail: {}, up to {:.6g}", cells, column.value);
  if (!column.found.empty()) return fmt::format("far out: {}, up to {:.6g}", cells, column.value);
  if (column.kind == "constant") return "tells nothing";
  if (column.kind == "row numbers") return "numbers the rows: an id, no feature?";
  if (std::isnan(column.deviation)) return "too large beside its range to tell the deviation";
  return "";
}

std::string more_columns(std::size_t count) { return fmt::format("{} more column{}", count, count == 1 ? "" : "s"); }

// The columns of a view: those of which something is to be said first, since a wide view is cut off.
Rows column_rows(const ViewFacts& view, std::size_t most) {
  Rows rows{{"column", "kind", "from", "to", "mean", "deviation", "missing", ""}};
  std::vector<const ColumnFacts*> order;
  for (const ColumnFacts& column : view.columns) order.push_back(&column);
  if (order.size() > most) {
    std::stable_partition(order.begin(), order.end(),
                          [](const ColumnFacts* column) { return !found_in_words(*column).empty(); });
  }
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const ColumnFacts& column = *order[i];
    if (column.values > 1) {
      rows.push_back({column.name, fmt::format("category of {}", column.values), "", "", "", "",
                      fmt::format("{}", column.missing), ""});
      continue;
    }
    rows.push_back({column.name, column.kind, fmt::format("{:.6g}", column.minimum),
                    fmt::format("{:.6g}", column.maximum), fmt::format("{:.6g}", column.mean),
                    std::isnan(column.deviation) ? "?" : fmt::format("{:.6g}", column.deviation),
                    fmt::format("{}", column.missing), found_in_words(column)});
  }
  return rows;
}

std::string describe_instances(const DataLook& look, const Input& input) {
  const std::size_t views = look.views.size();
  std::string out = fmt::format("{} instances in {} view{}", look.instances, views, views == 1 ? "" : "s");
  out += look.first_id.empty()
             ? ", by row (the files have no sample ids)"
             : fmt::format(", {}; the first is {}, the last {}",
                           input.ids_of_some ? "by row, since not all files have sample ids" : "by sample id",
                           look.first_id, look.last_id);
  if (look.in_views.back() == look.instances) return out + (views > 1 ? ", all of them in every view" : "");
  for (std::size_t count = look.in_views.size(); count-- > 0;) {
    if (look.in_views[count] == 0) continue;
    out += fmt::format("{} {} in {}", count + 1 == look.in_views.size() ? ":" : ",", look.in_views[count],
                       count == 0                          ? "none"
                       : count + 1 == look.in_views.size() ? "all views"
                                                           : fmt::format("{} of them", count));
  }
  return out;
}

// The share of zeros among the observed numbers, in percent, as the reason of the scaling has it: a category has zeros
// only as features.
double percent_zero(const ViewFacts& view) {
  const auto rows = static_cast<double>(view.rows);
  double zeros = view.zeros * rows * static_cast<double>(view.features);
  double cells = 0;
  for (const ColumnFacts& column : view.columns) {
    const double known = rows - static_cast<double>(column.missing);
    if (column.values > 1) {
      zeros -= known * static_cast<double>(column.values - 1);
    } else {
      cells += known;
    }
  }
  return cells > 0 ? 100 * std::max(zeros, 0.0) / cells : 0;
}

std::string describe_view(const ViewFacts& view) {
  const double cells = static_cast<double>(view.rows) * static_cast<double>(view.columns.size());
  return fmt::format(
      "{} rows of {} columns ({} feature{}), {}, {:.1f} % of the numbers zero, {} cells missing ({:.1f} %)", view.rows,
      view.columns.size(), view.features, view.features == 1 ? "" : "s", view.sparse ? "sparse" : "dense",
      percent_zero(view), view.missing, cells > 0 ? 100 * static_cast<double>(view.missing) / cells : 0);
}

nlohmann::json look_json(const DataLook& look, const Input& input) {
  nlohmann::json out{{"instances", look.instances},
                     {"unobserved", look.unobserved},
                     {"in_views", look.in_views},
                     {"has_ids", !look.first_id.empty()},
                     {"by_row", look.first_id.empty() || input.ids_of_some},
                     {"notes", input.notes},
                     {"warnings", look.warnings}};
  if (!look.first_id.empty()) out.update({{"first_id", look.first_id}, {"last_id", look.last_id}});
  for (const ViewFacts& view : look.views) {
    nlohmann::json columns = nlohmann::json::array();
    for (const ColumnFacts& column : view.columns) {
      nlohmann::json one{{"name", column.name}, {"kind", column.kind}, {"missing", column.missing}};
      if (column.values > 1) {
        one["values"] = column.values;
      } else {
        one.update({{"minimum", column.minimum},
                    {"maximum", column.maximum},
                    {"mean", column.mean},
                    {"deviation", column.deviation}});
      }
      if (!column.found.empty()) {
        one.update({{"found", column.found}, {"cells", column.cells}, {"value", column.value}});
      }
      columns.push_back(std::move(one));
    }
    out["views"].push_back({{"name", view.name},
                            {"features", view.features},
                            {"rows", view.rows},
                            {"missing", view.missing},
                            {"sparse", view.sparse},
                            {"zeros", view.zeros},
                            {"scaling", view.scaling},
                            {"reason", view.reason},
                            {"columns", std::move(columns)}});
  }
  return out;
}

std::string look_text(const DataLook& look, const Input& input) {
  std::string out = describe_instances(look, input) + "\n";
  for (const ViewFacts& view : look.views) {
    out += fmt::format("\nview {}: {}\nscaling: {} ({})\n{}", view.name, describe_view(view), view.scaling, view.reason,
                       format_table(column_rows(view, kColumnsShown)));
    if (view.columns.size() > kColumnsShown) {
      out += fmt::format("  and {} (--json has all)\n", more_columns(view.columns.size() - kColumnsShown));
    }
  }
  for (const std::string& warning : look.warnings) out += fmt::format("\n{}\n", warning);
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string look_page(const DataLook& look, const Input& input) {
  constexpr std::size_t kMost = 2000;
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>omvc look</title>\n<style>body{font:15px/1.5 "
      "system-ui,sans-serif;margin:2em "
      "auto;max-width:70em;padding:0 "
      "1em}table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.2em "
      ".8em;border-bottom:1px solid #ddd;text-align:left}.found{background:#fff3d6}p.warning{border-left:4px solid "
      "#d08a00;padding-left:.8em}</style>\n<h1>What would be read</h1>\n";
  out += fmt::format("<p>{}</p>\n", escaped(describe_instances(look, input)));
  for (const std::string& warning : look.warnings)
    out += fmt::format("<p class=\"warning\">{}</p>\n", escaped(warning));
  for (const std::string& note : input.notes) out += fmt::format("<p>{}</p>\n", escaped(note));
  for (const ViewFacts& view : look.views) {
    out += fmt::format("<h2>{}</h2>\n<p>{}</p>\n<p>Scaling: {} ({})</p>\n<table>\n", escaped(view.name),
                       escaped(describe_view(view)), escaped(view.scaling), escaped(view.reason));
    const Rows rows = column_rows(view, kMost);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out += i > 0 && !rows[i].back().empty() ? "<tr class=\"found\">" : "<tr>";
      for (const std::string& cell : rows[i]) {
        out += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : "td", escaped(cell));
      }
      out += "</tr>\n";
    }
    out += "</table>\n";
    if (view.columns.size() > kMost) out += fmt::format("<p>and {}</p>\n", more_columns(view.columns.size() - kMost));
  }
  return out + "</html>\n";
}

void look(const LookArguments& arguments) {
  check_outputs({arguments.report}, input_files(arguments.input));
  const Options options = chosen_options(arguments.flags);
  const Input input = open_arguments(arguments.input, 0);
  const DataLook found = look_at_data(*input.source, options);
  if (!arguments.report.empty()) write_whole(arguments.report, look_page(found, input));
  if (arguments.json) {
    fmt::print("{}\n", json_text(look_json(found, input)));
  } else {
    fmt::print("{}", look_text(found, input));
    if (!arguments.report.empty()) fmt::print("page: {}\n", arguments.report);
  }
}

}  // namespace

void add_look(CommandLine& line) {
  auto arguments = std::make_shared<LookArguments>();
  Command command =
      line.add("look", "say what would be read: views, ids, columns, suspicious values, scaling; learns nothing");
  add_input_options(command, arguments->input);
  command.option("--report", arguments->report, "write one HTML page with all of it").type("FILE");
  command.flag("--json", arguments->json, "print JSON");
  add_option_flags(command, arguments->flags, {"scaling", "threads", "memory", "seed"});
  command.runs([arguments] { look(*arguments); });
}

}  // namespace omvc::app
