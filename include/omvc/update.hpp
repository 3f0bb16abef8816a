// What going on learning with new data has changed.
#pragma once

#include <string>
#include <vector>

#include "omvc/report.hpp"

namespace omvc {

// How far the instances that a model went on with are from those it knew.
struct ViewDrift {
  std::string name;
  Index observed = 0;  // new instances in the view
  // How far the mean of the view moved, relative to its standard deviation (both over all features); NaN where the view
  // was not known or not seen. `chance` is what as many instances of an unchanged stream would show, about.
  double drift = 0;
  double chance = 0;
};

// What an update changed.
struct UpdateReport {
  Index instances = 0;   // learned now
  Index unobserved = 0;  // of them, present in no view
  int clusters_before = 0;
  int clusters = 0;
  Index outliers = 0;  // of those that came when there were clusters: much farther from every prototype than usual
  // Rows so far outside of what a view has shown that they are not learned until many agree with them; less those of
  // earlier rows that were learned now after all. And the first of them, by their numbers in the source.
  Index set_aside = 0;
  std::vector<Index> strange_rows;
  std::string not_built;  // why prototypes could not be made again, so that those from before stay; empty: they were
  // Of those that came when there were clusters: the mean distance, relative to what was usual: 1; 0 where there were
  // none.
  double distance = 0;
  double confidence = 0;  // mean
  std::vector<ClusterEvent> events;
  std::vector<ViewDrift> views;
  double seconds = 0;
};

}  // namespace omvc
