// What is to be run for the tables and figures that were asked for, and what came out of it.
#pragma once

#include <string>
#include <vector>

#include "reproduce/jobs.hpp"

namespace omvc::app {

struct StudyArguments {
  std::string what = "all";
  std::string data;
  std::string out;
  bool grid = false;
  int seeds = 5;
  int passes = 10;
  std::vector<std::string> methods;  // none: those of the paper
  std::vector<std::string> sets;     // none: all that are found
  std::vector<std::string> alphas;   // none: the usual grid
  std::vector<std::string> betas;
};

// One entry of a table or one curve of a figure: a method on a data set, over all seeds and the points of its grid.
struct Cell {
  const DataSet* set = nullptr;
  const Contestant* contestant = nullptr;
  int missing = 40;  // per cent
  Index chunk = 50;  // of on-line methods
  std::vector<Setting> settings;
};

struct MeanAndSpread {
  double mean = 0;
  double spread = 0;  // standard deviation over the seeds, of the population
};

// A cell over the seeds, with the setting whose mean NMI is best where there are several.
struct CellResult {
  int seeds = 0;  // that are done; 0: nothing to show
  Setting setting;
  std::string failure;      // of the first job that failed
  MeanAndSpread nmi;        // at the end
  MeanAndSpread label_nmi;  // of the labels: where clusters are k-means on an embedding, the best of its starts
  MeanAndSpread ac;
  std::vector<MeanAndSpread> nmi_passes;
  std::vector<MeanAndSpread> ac_passes;
  double seconds = 0;  // median over the seeds: of a pass, or of the whole run of an off-line method
  std::vector<std::vector<double>> curves;  // of seed 0
};

class Study {
 public:
  // Throws ErrorKind::usage or ErrorKind::data for what cannot work: an unknown name, a bad grid, absent data.
  explicit Study(StudyArguments arguments);
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;

  const StudyArguments& arguments() const { return arguments_; }
  const std::vector<Contestant>& contestants() const { return contestants_; }
  const FoundSets& found() const { return found_; }
  const DataSet* set(const std::string& role) const;  // null where absent or not asked for
  const Contestant* contestant(const std::string& name) const;

  bool wants(const std::string& what) const { return arguments_.what == "all" || arguments_.what == what; }

  // The cells of Table V (WebKB) or VI (Digit), by the role of the set; of Figs. 1-8 and Table IV; and of Fig. 13,
  // whose settings are always the whole grid.
  Cell cell(const DataSet& set, const Contestant& contestant, int missing, Index chunk) const;
  Cell figure_cell(const DataSet& set, const Contestant& contestant) const;
  Cell sensitivity_cell(const DataSet& set) const;
  // Whether the paper's plan has the method on the set: off-line methods do not run on the large ones.
  static bool runs_on(const Contestant& contestant, const DataSet& set) { return !contestant.offline || !set.large; }

  // Whether a table or figure is to be written: it was asked for, or the folder has all its results of some
  // data set from earlier studies.
  bool shows(const std::string& what, const ResultFile& results) const;

  // All jobs that were asked for, each once; those of a data set stand together.
  std::vector<Job> jobs() const;
  Job job(const Cell& cell, const Setting& setting, int seed) const;

  CellResult result(const Cell& cell, const ResultFile& results) const;
  // With this one setting of the cell.
  CellResult result(const Cell& cell, const Setting& setting, const ResultFile& results) const;

 private:
  std::vector<Cell> cells(const std::string& what) const;

  StudyArguments arguments_;
  FoundSets found_;
  std::vector<Contestant> contestants_;
  Contestant tuned_;  // OMVC, with the grid of Fig. 13
};

// The names that WHAT may have.
std::vector<std::string> study_names();

}  // namespace omvc::app
