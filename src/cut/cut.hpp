// Clusters of a model for a number K. A fit, `omvc cut`, the tree, the slider of a page and Python all ask this
// function, so that they show the same clusters.
//
//   dense and mixed data   three cuts of the graph of the rows of the sample (cut/row_cut.hpp); any row is labelled by
//                          votes (cut/votes.hpp)
//   rows of length 1       two cuts of that graph, moved to K prototypes by direction (cut/refine.hpp)
//
// Pure functions: the same input and recipe give the same bits for any number of threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "omvc/report.hpp"

#include "cut/calibration.hpp"
#include "cut/votes.hpp"
#include "fine/build.hpp"

namespace omvc {

// A cluster, its share of a vote, and how unusual the instance is (cut/calibration.hpp).
struct Vote {
  int cluster = 0;
  double share = 0;
  double distance = 0;
};

struct Cut {
  std::vector<int> group;  // of each prototype that places instances: the cluster that most of its instances are in
  int count = 0;           // clusters
  std::shared_ptr<const Votes> votes;   // what labels instances; none where prototypes do
  std::vector<Vote> rows;               // of the rows of the graph, where there are votes
  std::optional<FinePrototypes> round;  // one prototype per cluster, in the place of the fine ones
  std::string found_by;                 // in words, for the report
  std::optional<ClusterChoice> choice;  // where K was left to the data
  std::vector<double> worth;            // of each view: what it knows of the clusters, 0 .. 1
  Calibration calibration;              // what votes and distances mean

  // The prototypes that place instances.
  const FinePrototypes& placing(const Prototypes& prototypes) const { return round ? *round : prototypes.fine; }
  // Instances of each cluster, estimated by the prototype that is nearest.
  std::vector<double> sizes(const Prototypes& prototypes) const;
};

// The prototypes that an instance lies between vote for its cluster, by their weights.
Vote vote_of(const Near& near, Index instance, const std::vector<int>& group, int clusters);

// Rounded to a multiple of 2^-12, so that sums of shares are exact whatever their order.
double rounded_share(double share);

// The vote for an instance, from what was voted for a chunk.
Vote vote_of(const Voted& voted, Index instance, const Calibration& calibration);

// Clusters from prototypes, the sample that they were made from and the graphs of its rows: `clusters` of them, or
// (0) as many as the data show. Throws ErrorKind::data where there are fewer rows than that.
Cut cut(const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs, int clusters,
        const BuildInput& input, const Recipe& recipe, Compute& compute);
// The same clusters where nobody asks what a vote means: it costs half of the time.
Cut plain_cut(const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs, int clusters,
              const BuildInput& input, const Recipe& recipe, Compute& compute);

}  // namespace omvc
