#include <cmath>
#include <fmt/format.h>

#include "omvc/files.hpp"

#include "reproduce/outputs.hpp"
#include "reproduce/paper_tables.hpp"

namespace omvc::app {
namespace {

constexpr double kNotable = 0.05;  // a difference from the paper that calls for an explanation
constexpr const char* kDash = "–";

const auto& paper_table(const DataSet& set) { return set.role == "webkb" ? kTable5 : kTable6; }

std::string paper_text(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : kDash;
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

// The paper's protocol can be read in two ways, of which its authors' script takes the second.
void add_starts(const Study& study, const ResultFile& results, const DataSet& set, Page& page) {
  const Contestant* ours = study.contestant("omvc-paper");
  if (ours == nullptr) return;
  std::vector<std::vector<std::string>> rows{{"missing", "chunk", "single runs", "best of 20", "paper"}};
  for (std::size_t m = 0; m < kPaperMissing.size(); ++m) {
    for (std::size_t c = 0; c < kPaperChunks.size(); ++c) {
      const CellResult cell = study.result(study.cell(set, *ours, kPaperMissing[m], kPaperChunks[c]), results);
      if (cell.seeds == 0) continue;
      rows.push_back({fmt::format("{} %", kPaperMissing[m]), fmt::format("{}", kPaperChunks[c]),
                      mean_text(cell, cell.nmi), mean_text(cell, cell.label_nmi),
                      paper_text(paper_nmi(paper_table(set), ours->name, m, c), "{:.4f}")});
    }
  }
  if (rows.size() == 1) return;
  page.paragraph(
      "OMVC by both readings of the protocol: the mean NMI of 20 k-means runs of one start each, as everywhere else on "
      "this page, and that of the run with the least inertia among the 20, which is what each of the runs that the "
      "authors' script averages is.");
  page.table(rows);
}

}  // namespace

std::string mean_text(const CellResult& cell, const MeanAndSpread& value) {
  return cell.seeds == 0 ? kDash : fmt::format("{:.3f} ± {:.3f}", value.mean, value.spread);
}

void write_table4(const Study& study, const ResultFile& results, Page& page) {
  const std::vector<std::string> roles{"webkb", "digit", "reuters", "youtube"};
  std::vector<std::vector<std::string>> rows{{"method"}};
  for (const std::string& role : roles) {
    if (const DataSet* set = study.set(role)) {
      rows[0].push_back(set->title);
      rows[0].push_back(set->stand_in.empty()
                            ? "the paper"
                            : fmt::format("the paper, full {}", role == "reuters" ? "Reuters" : "YouTube"));
    }
  }
  std::string csv = "method,unit,data,stand_in,seconds,seeds,setting,paper_seconds\n";
  for (const Contestant& one : study.contestants()) {
    const std::string unit = one.offline ? "run" : "pass";
    rows.push_back({fmt::format("{} / {}", one.title, unit)});
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const DataSet* set = study.set(roles[i]);
      if (set == nullptr) continue;
      const CellResult cell =
          Study::runs_on(one, *set) ? study.result(study.figure_cell(*set, one), results) : CellResult{};
      const std::optional<double> paper = paper_seconds(one.name, i);
      rows.back().push_back(cell.seeds == 0 ? kDash : fmt::format("{:.3g}", cell.seconds));
      rows.back().push_back(paper_text(paper, "{:.2f}"));
      if (cell.seeds == 0) continue;
      csv +=
          fmt::format("{},{},{},{},{:.6g},{},{},{}\n", one.name, unit, set->name, set->stand_in.empty() ? "no" : "yes",
                      cell.seconds, cell.seeds, setting_text(cell.setting), csv_number(paper));
    }
  }
  write_whole(study.arguments().out + "/table4.csv", csv);
  page.heading("Table IV: run time in seconds");
  page.paragraph(
      "Of a pass for the on-line methods, of the whole run for the off-line ones, at 40 % missing; one thread, the "
      "median over the seeds; unless --parallel 1 was given, several runs shared the machine. Scoring is not counted. "
      "The paper's machine is not ours: orders of magnitude and ratios "
      "within a column can be compared.");
  page.table(rows);
}

void write_nmi_table(const Study& study, const ResultFile& results, const DataSet& set, Page& page) {
  const bool webkb = set.role == "webkb";
  std::vector<std::vector<std::string>> rows{{"missing", "chunk"}};
  std::vector<std::vector<std::string>> differences{
      {"missing", "chunk", "method", "ours", "paper", "ours - paper", "setting"}};
  for (const Contestant& one : study.contestants()) {
    rows[0].push_back(one.title);
    rows[0].emplace_back("paper");
  }
  std::string csv = "data,missing_percent,chunk,method,nmi,nmi_sd,ac,ac_sd,seeds,setting,paper_nmi,failure\n";
  for (std::size_t m = 0; m < kPaperMissing.size(); ++m) {
    for (std::size_t c = 0; c < kPaperChunks.size(); ++c) {
      rows.push_back({fmt::format("{} %", kPaperMissing[m]), fmt::format("{}", kPaperChunks[c])});
      for (const Contestant& one : study.contestants()) {
        const CellResult cell = study.result(study.cell(set, one, kPaperMissing[m], kPaperChunks[c]), results);
        const std::optional<double> paper = paper_nmi(paper_table(set), one.name, m, c);
        const bool repeated = one.offline && c > 0;  // the chunk does not concern it
        rows.back().push_back(repeated ? "" : mean_text(cell, cell.nmi));
        rows.back().push_back(repeated ? "" : paper_text(paper, "{:.4f}"));
        if (repeated) continue;
        csv += fmt::format("{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{},{},{},{}\n", set.name, kPaperMissing[m],
                           one.offline ? "all" : fmt::format("{}", kPaperChunks[c]), one.name, cell.nmi.mean,
                           cell.nmi.spread, cell.ac.mean, cell.ac.spread, cell.seeds, setting_text(cell.setting),
                           csv_number(paper), cell.failure);
        if (cell.seeds == 0 || !paper || std::abs(cell.nmi.mean - *paper) <= kNotable) continue;
        differences.push_back({rows.back()[0], one.offline ? "all" : rows.back()[1], one.title,
                               fmt::format("{:.3f}", cell.nmi.mean), fmt::format("{:.4f}", *paper),
                               fmt::format("{:+.3f}", cell.nmi.mean - *paper),
                               cell.setting.empty() ? "defaults" : setting_text(cell.setting)});
      }
    }
  }
  write_whole(fmt::format("{}/{}.csv", study.arguments().out, webkb ? "table5" : "table6"), csv);
  page.heading(fmt::format("Table {}: NMI on {}", webkb ? "V" : "VI", set.title));
  page.paragraph(
      fmt::format("After {} passes; mean ± standard deviation over the seeds. Off-line methods have one figure for "
                  "each share of missing instances.",
                  study.arguments().passes));
  page.table(rows);
  add_starts(study, results, set, page);
  if (differences.size() == 1) return;
  page.paragraph(fmt::format("More than {} from the paper:", kNotable));
  page.table(differences);
}

void write_ordering(const Study& study, const ResultFile& results, Page& page) {
  const Contestant* ours = study.contestant("omvc-paper");
  if (ours == nullptr || study.contestants().size() < 2) return;
  std::vector<std::vector<std::string>> rows{{"data", "OMVC", "against", "NMI", "OMVC above", "in the paper"}};
  for (const DataSet& set : study.found().sets) {
    if (set.large) continue;
    const CellResult own = study.result(study.figure_cell(set, *ours), results);
    for (const Contestant& other : study.contestants()) {
      if (&other == ours || own.seeds == 0) continue;
      const CellResult cell = study.result(study.figure_cell(set, other), results);
      if (cell.seeds == 0) continue;
      const auto theirs = paper_nmi(paper_table(set), other.name, 2, 2);
      const auto paper = paper_nmi(paper_table(set), "omvc-paper", 2, 2);
      rows.push_back({set.title, mean_text(own, own.nmi), other.title, mean_text(cell, cell.nmi),
                      own.nmi.mean > cell.nmi.mean ? "yes" : "no", theirs ? (*paper > *theirs ? "yes" : "no") : kDash});
    }
  }
  if (rows.size() == 1) return;
  page.heading("The ordering at 40 % missing, chunks of 50");
  page.table(rows);
}

}  // namespace omvc::app
