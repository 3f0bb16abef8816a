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
  Index outliers = 0;     // of those that came when there were clusters: much farther from every prototype than usual
  double distance = 0;    // their mean distance, relative to what was usual: 1; 0 where there were none
  double confidence = 0;  // mean
  std::vector<ClusterEvent> events;
  std::vector<ViewDrift> views;
  double seconds = 0;
};

}  // namespace omvc
