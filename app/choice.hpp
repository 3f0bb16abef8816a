// How the number of clusters was chosen, and how clusters split, as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "omvc/report.hpp"

namespace omvc::app {

// "1 cluster", "3 clusters".
std::string cluster_count(Index count);

// The verdict, the eigenvalues as a picture, and both signs of the numbers that come into question.
std::string describe_choice(const ClusterChoice& choice);

// One line for each cluster of each level, below the cluster it comes from.
std::string describe_tree(const std::vector<CutLevel>& levels);

// One sentence for each event.
std::string describe_events(const std::vector<ClusterEvent>& events);

}  // namespace omvc::app
