// The methods as the evaluation runs them, and the grids on which they are tuned.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "omvc/options.hpp"

namespace omvc::app {

// Values for some options, by name: one point of a grid. None: the stated defaults.
using Setting = std::vector<std::pair<std::string, std::string>>;
std::string setting_text(const Setting& setting);  // such as alpha=0.01 beta=1e-7

// An option and the values that are tried for it.
struct GridAxis {
  std::string option;
  std::vector<std::string> values;
};

struct Contestant {
  std::string name;         // as --methods takes it
  std::string title;        // as tables and figures print it
  Options options;          // its stated defaults; clusters, seed and threads are still to be set
  bool offline = false;     // takes all data at once: chunk and passes are its own
  bool own_labels = false;  // scored by the labels it gives; the others by k-means on the embedding, as the paper does
  std::vector<GridAxis> grid;  // what --grid tries
};

// Throws ErrorKind::usage for a name that is not known, given twice, or none at all.
std::vector<Contestant> find_contestants(const std::vector<std::string>& names);

// The five methods of the paper, and all that there are.
std::vector<std::string> paper_contestants();
std::vector<std::string> all_contestants();

// All points of a grid. Throws ErrorKind::usage for values that the option does not take, and for an empty axis or a
// value given twice.
std::vector<Setting> grid_points(const std::vector<GridAxis>& grid);

void apply_setting(Options& options, const Setting& setting);

}  // namespace omvc::app
