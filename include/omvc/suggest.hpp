// How many clusters do the data have? Asked by stability: clusters that are there are found again in other instances.
//
// A bounded sample of the instances is split at random into three parts. Two models with K clusters learn one part
// each, both label the third, and their agreement (ARI, which is 0 for chance) is the stability of K, averaged over
// several splits. The data are read twice, whatever the number of candidates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "omvc/options.hpp"
#include "omvc/source.hpp"

namespace omvc {

struct SuggestOptions {
  int least = 2;        // K tried, from
  int most = 12;        // to
  int splits = 4;       // for each K
  Index sample = 3000;  // instances used, at most about this many
  Options options;      // of the models; clusters is set for each K
};

struct KStability {
  int clusters = 0;
  double stability = 0;  // mean ARI over the splits
  double spread = 0;     // its standard deviation
};

struct Suggestion {
  std::vector<KStability> tried;
  int clusters = 0;     // the K suggested
  bool clear = false;   // whether it stands out
  std::string verdict;  // in words
  Index sampled = 0;    // instances used
};

// `progress` is called with the share of the work done; returning false stops with ErrorKind::interrupted.
// Throws ErrorKind::usage for a range that cannot be tried, ErrorKind::data for data that can be read only once or have
// too few instances.
Suggestion suggest_clusters(
    Source& source, const SuggestOptions& options,
    const std::function<bool(double)>& progress = [](double) { return true; });

}  // namespace omvc
