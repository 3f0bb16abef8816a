#include "reproduce/study.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "omvc/error.hpp"

#include "reproduce/paper_tables.hpp"

namespace omvc::app {
namespace {

constexpr int kFigureMissing = 40;

MeanAndSpread over_seeds(const std::vector<double>& values) {
  MeanAndSpread out;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean) / count;
  out.spread = std::sqrt(squares);
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void check_numbers(const StudyArguments& arguments) {
  if (arguments.seeds < 1 || arguments.seeds > 1000) {
    throw Error(ErrorKind::usage, fmt::format("--seeds {}: give 1 to 1000", arguments.seeds));
  }
  if (arguments.passes < 1 || arguments.passes > 10000) {
    throw Error(ErrorKind::usage, fmt::format("--passes {}: give 1 to 10000", arguments.passes));
  }
}

// Leaves the sets that were asked for.
void choose_sets(FoundSets& found, const StudyArguments& arguments) {
  const std::set<std::string> known{"webkb", "digit", "reuters", "youtube"};
  for (const std::string& name : arguments.sets) {
    if (!known.contains(name)) {
      throw Error(ErrorKind::usage,
                  fmt::format("--sets: there is no data set '{}': choose from {}", name, fmt::join(known, ", ")));
    }
    if (std::none_of(found.sets.begin(), found.sets.end(), [&](const DataSet& set) { return set.role == name; })) {
      throw Error(ErrorKind::data, fmt::format("--sets {}: it is not in {}", name, arguments.data));
    }
  }
  if (arguments.sets.empty()) return;
  std::erase_if(found.sets, [&](const DataSet& set) {
    return std::find(arguments.sets.begin(), arguments.sets.end(), set.role) == arguments.sets.end();
  });
}

}  // namespace

std::vector<std::string> study_names() { return {"table4", "table5", "table6", "fig1-8", "fig9-12", "fig13", "all"}; }

Study::Study(StudyArguments arguments) : arguments_(std::move(arguments)) {
  const std::vector<std::string> names = study_names();
  if (std::find(names.begin(), names.end(), arguments_.what) == names.end()) {
    throw Error(ErrorKind::usage, fmt::format("there is nothing named '{}' to reproduce: choose from {}",
                                              arguments_.what, fmt::join(names, ", ")));
  }
  check_numbers(arguments_);
  contestants_ = find_contestants(arguments_.methods.empty() ? paper_contestants() : arguments_.methods);
  tuned_ = find_contestants({"omvc-paper"}).front();
  const auto set_axes = [&](Contestant& one) {
    for (GridAxis& axis : one.grid) {
      if (axis.option == "alpha" && !arguments_.alphas.empty()) axis.values = arguments_.alphas;
      if (axis.option == "beta" && !arguments_.betas.empty()) axis.values = arguments_.betas;
    }
    grid_points(one.grid);
  };
  set_axes(tuned_);
  for (Contestant& one : contestants_) set_axes(one);
  if ((!arguments_.alphas.empty() || !arguments_.betas.empty()) && !arguments_.grid && !wants("fig13")) {
    throw Error(ErrorKind::usage, "--alphas and --betas are the grid of fig13 and of --grid: neither is asked for");
  }
  found_ = find_data_sets(arguments_.data);
  choose_sets(found_, arguments_);
  if (jobs().empty()) {
    std::string why;
    for (const std::string& sentence : found_.absent) why += fmt::format("; {}", sentence);
    throw Error(ErrorKind::data,
                fmt::format("there is nothing to run for {} in {}{}", arguments_.what, arguments_.data, why));
  }
}

const DataSet* Study::set(const std::string& role) const {
  for (const DataSet& one : found_.sets) {
    if (one.role == role) return &one;
  }
  return nullptr;
}

const Contestant* Study::contestant(const std::string& name) const {
  for (const Contestant& one : contestants_) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

Cell Study::cell(const DataSet& set, const Contestant& contestant, int missing, Index chunk) const {
  return {&set, &contestant, missing, chunk, arguments_.grid ? grid_points(contestant.grid) : std::vector<Setting>{{}}};
}

Cell Study::figure_cell(const DataSet& set, const Contestant& contestant) const {
  return cell(set, contestant, kFigureMissing, set.chunk);
}

Cell Study::sensitivity_cell(const DataSet& set) const {
  return {&set, &tuned_, kFigureMissing, set.chunk, grid_points(tuned_.grid)};
}

std::vector<Cell> Study::cells(const std::string& what) const {
  std::vector<Cell> all;
  for (const DataSet& one : found_.sets) {
    if (what == "fig13" && !one.large) all.push_back(sensitivity_cell(one));
    const bool table = (what == "table5" && one.role == "webkb") || (what == "table6" && one.role == "digit");
    for (const Contestant& contestant : contestants_) {
      if (!runs_on(contestant, one)) continue;
      const bool loss = what == "fig9-12" && contestant.name == "omvc-paper";
      if (what == "table4" || what == "fig1-8" || loss) all.push_back(figure_cell(one, contestant));
      for (const int missing : kPaperMissing) {
        for (const int chunk : kPaperChunks) {
          if (table) all.push_back(cell(one, contestant, missing, chunk));
        }
      }
    }
  }
  return all;
}

Job Study::job(const Cell& cell, const Setting& setting, int seed) const {
  Job job{cell.set, cell.contestant, cell.missing, setting, cell.contestant->options};
  apply_setting(job.options, setting);
  job.options.seed = static_cast<std::uint64_t>(seed);
  if (!cell.contestant->offline) {
    job.options.chunk = cell.chunk;
    job.options.passes = arguments_.passes;
  }
  return job;
}

std::vector<Job> Study::jobs() const {
  std::vector<Job> all;
  std::set<std::string> seen;
  for (const std::string& what : study_names()) {
    if (!wants(what)) continue;
    for (const Cell& one : cells(what)) {
      for (const Setting& setting : one.settings) {
        for (int seed = 0; seed < arguments_.seeds; ++seed) {
          Job next = job(one, setting, seed);
          if (seen.insert(next.key()).second) all.push_back(std::move(next));
        }
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Job& a, const Job& b) { return a.set < b.set; });
  return all;
}

bool Study::shows(const std::string& what, const ResultFile& results) const {
  if (wants(what)) return true;
  std::map<const DataSet*, bool> complete;
  for (const Cell& one : cells(what)) {
    bool& whole = complete.try_emplace(one.set, true).first->second;
    for (const Setting& setting : one.settings) {
      for (int seed = 0; seed < arguments_.seeds && whole; ++seed) {
        whole = results.find_any(job(one, setting, seed).key()) != nullptr;
      }
    }
  }
  return std::any_of(complete.begin(), complete.end(), [](const auto& one) { return one.second; });
}

CellResult Study::result(const Cell& cell, const Setting& setting, const ResultFile& results) const {
  CellResult out{.setting = setting};
  std::vector<std::vector<double>> nmi;
  std::vector<std::vector<double>> ac;
  std::vector<double> seconds;
  std::vector<double> last_nmi;
  std::vector<double> last_ac;
  std::vector<double> label_nmi;
  for (int seed = 0; seed < arguments_.seeds; ++seed) {
    const Result* found = results.find_any(job(cell, setting, seed).key());
    if (found == nullptr) continue;
    if (!found->failure.empty()) {
      if (out.failure.empty()) out.failure = found->failure;
      continue;
    }
    nmi.resize(std::max(nmi.size(), found->nmi.size()));
    ac.resize(nmi.size());
    for (std::size_t pass = 0; pass < found->nmi.size(); ++pass) {
      nmi[pass].push_back(found->nmi[pass]);
      ac[pass].push_back(found->ac[pass]);
    }
    last_nmi.push_back(cell.contestant->own_labels ? found->label_nmi : found->nmi.back());
    last_ac.push_back(cell.contestant->own_labels ? found->label_ac : found->ac.back());
    label_nmi.push_back(found->label_nmi);
    seconds.push_back(cell.contestant->offline ? found->total
                                               : found->total / static_cast<double>(found->seconds.size()));
    if (!found->curves.empty()) out.curves = found->curves;
  }
  out.seeds = static_cast<int>(last_nmi.size());
  if (out.seeds == 0) return out;
  for (const auto& pass : nmi) out.nmi_passes.push_back(over_seeds(pass));
  for (const auto& pass : ac) out.ac_passes.push_back(over_seeds(pass));
  out.nmi = over_seeds(last_nmi);
  out.label_nmi = over_seeds(label_nmi);
  out.ac = over_seeds(last_ac);
  out.seconds = median(seconds);
  return out;
}

CellResult Study::result(const Cell& cell, const ResultFile& results) const {
  CellResult best;
  for (const Setting& setting : cell.settings) {
    CellResult next = result(cell, setting, results);
    if (next.seeds == 0) {
      if (best.seeds == 0 && best.failure.empty()) best.failure = next.failure;
    } else if (next.seeds > best.seeds || (next.seeds == best.seeds && next.nmi.mean > best.nmi.mean)) {
      best = std::move(next);
    }
  }
  return best;
}

}  // namespace omvc::app
