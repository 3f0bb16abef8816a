// What a run tells: progress while it works (Observer), and a summary when it is done (Report).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"
#include "omvc/hooks.hpp"
#include "omvc/options.hpp"
#include "omvc/profile.hpp"

namespace omvc {

// After one chunk.
struct ChunkReport {
  int pass = 1;            // from 1
  Index chunk = 0;         // from 1, in this pass
  Index instances = 0;     // in this pass so far
  double loss = 0;         // the average loss of Eq. (28) over this pass so far
  int rounds = 0;          // updates of all factors on this chunk
  bool labelling = false;  // all passes are done, and instances are labelled once more with the model as it is
};

// After one pass.
struct PassReport {
  int pass = 1;
  Index instances = 0;
  Index chunks = 0;
  double loss = 0;                     // the average loss of Eq. (28) over the pass, with the basis at its end
  double error = 0;                    // mean squared distance of an instance from its prototype; 0 where not refined
  double seconds = 0;                  // reading and learning
  double waited = 0;                   // of them, spent waiting for data
  Index rounds = 0;                    // sum over chunks
  std::vector<double> loss_curve;      // the loss after each chunk, thinned evenly to at most 256 points
  std::vector<ProductCount> products;  // in ascending order of columns; labelling after the last pass is not counted
};

// What was found in one column of a view that its user should hear of.
struct ColumnReport {
  std::string name;   // or "feature 3", where features have no names
  std::string found;  // glitches: few values beyond 10 interquartile ranges, brought back to the others; missing_word:
                      // a number such as -999 that may stand for a missing value, likewise; heavy_tail: many values
                      // beyond; far: few, and the scaling that was asked for leaves them so
  Index cells = 0;    // about, where the data are more than the sample holds
  double value = 0;   // the farthest, or the number that may be a word
};

// The column that is most of the difference between the clusters.
struct LeadingColumn {
  std::string view;
  std::string column;  // its name; that of a category without its value
  double share = 0;    // of the variance between clusters, over all views as they are scaled
};

// What was found in one view while the data were read.
struct ViewReport {
  std::string name;
  Index features = 0;
  Index table_columns = 0;  // of the table that they come from: a category is one, with a feature for each value
  Index observed = 0;       // instances present in the view
  Index missing = 0;        // cells of those columns that they lack, filled with the mean of the feature
  Index negatives = 0;      // negative entries that the scaling set to 0
  std::string scaling;      // what was done to the view, in words
  std::string reason;       // why, likewise
  std::vector<ColumnReport> columns;
  double explained = 0;  // share of the view's variance about its mean that the clusters explain (refined clusters), or
                         // of its squares that the factorisation does
  double worth = std::numeric_limits<double>::quiet_NaN();  // what the view alone tells about the clusters: 0 no more
                                                            // than the name of the largest, 1 all; NaN: not known
};

// The instances that are present in the same views.
struct PatternReport {
  std::vector<bool> present;  // by view
  Index instances = 0;
  std::vector<Index> cluster_sizes;  // how they spread over the clusters
};

// What happened to a cluster between two cuts.
struct ClusterEvent {
  enum class Kind { born, split, merged, gone };
  Kind kind = Kind::born;
  int cluster = 0;       // the number of the cluster that is new or no more
  int other = -1;        // the one that it was split from or has merged into; -1: none
  double instances = 0;  // in it, about
};
template <>
struct EnumNames<ClusterEvent::Kind> {
  static constexpr std::array kNames =
      std::to_array<std::pair<std::string_view, ClusterEvent::Kind>>({{"born", ClusterEvent::Kind::born},
                                                                      {"split", ClusterEvent::Kind::split},
                                                                      {"merged", ClusterEvent::Kind::merged},
                                                                      {"gone", ClusterEvent::Kind::gone}});
};

// The two signs of a number of clusters.
struct KSigns {
  int clusters = 0;
  double gap = 0;        // between the K-th and the next eigenvalue of the graph of prototypes
  double agreement = 0;  // ARI of the cuts that two halves of the data give
};

// How the number of clusters was chosen.
struct ClusterChoice {
  int clusters = 0;
  bool clear = false;
  std::string verdict;              // in words
  std::vector<double> eigenvalues;  // descending
  std::vector<KSigns> signs;        // of every number considered
};

// The clusters of one cut, and those of the next smaller cut that they are parts of.
struct CutLevel {
  std::vector<int> numbers;   // of each cluster, ascending: those that a cut into so many clusters gives them
  std::vector<double> sizes;  // instances of each, about
  std::vector<int> parents;   // of each: the number of the cluster of the level before that holds most of it; -1 in the
                              // first
};

// An instance worth a look.
struct Notable {
  Index row = 0;          // its number in the source
  double confidence = 0;  // chance that a model of other rows gives the same cluster
  double distance = 0;    // how unusual it is: 1 is usual, beyond 3 an outlier
};

// Members of one cluster that say most about it, at most five of each.
struct ClusterMembers {
  double confidence = 0;            // mean over the cluster
  std::vector<Notable> typical;     // the surest, and of them the nearest
  std::vector<Notable> borderline;  // the least sure
};

// The clusters of a stream as they stood when they were cut.
struct TimePoint {
  double instances = 0;              // learned until then
  std::vector<int> numbers;          // of the clusters; negative (-1 - number): one that had gone when a fit gave all
                                     // clusters new numbers
  std::vector<double> sizes;         // of each of them, about
  std::vector<ClusterEvent> events;  // since the time point before
};

struct Report {
  Index instances = 0;   // all, also those without any view
  Index unobserved = 0;  // instances present in no view: label -1
  int clusters = 0;
  int rank = 0;
  Index chunk = 0;                // instances learned at a time
  double loss = 0;                // of the last pass
  double seconds = 0;             // everything
  std::vector<StepTime> profile;  // every step once; what they sum to is `seconds`, without those that overlap
  std::string device;             // what the heavy operations of a fit ran on, in words: "processors" where there is no
                                  // library for cards; empty: nobody knows
  bool stopped = false;           // the observer asked to stop before the last pass was complete
  std::vector<ViewReport> views;
  std::vector<PassReport> passes;
  std::vector<int> cluster_numbers;             // of each cluster, ascending
  std::vector<Index> cluster_sizes;             // of each of them
  Index outliers = 0;                           // instances whose distance is above 3
  double confidence = 0;                        // mean over instances; 0 where nobody knows
  std::vector<Index> confidence_histogram;      // instances by confidence: 20 steps from 0 to 1
  std::vector<ClusterMembers> cluster_members;  // of each cluster; none where there is no confidence
  std::vector<Notable> farthest;                // the farthest outliers, at most 20
  Index prototypes = 0;                         // fine prototypes; 0 where there are none
  bool sampled = false;                         // the data are more than the sample holds
  std::string found_by;                         // how clusters were found, in words
  std::optional<ClusterChoice> choice;          // where the number of clusters was not given
  std::vector<ClusterEvent> events;
  std::vector<TimePoint> timeline;      // of a stream
  std::uint64_t fingerprint = 0;        // of the data, whatever their order; 0 where nobody took it
  std::vector<PatternReport> patterns;  // the most frequent first, at most 64; none for more than 52 views
  double pattern_nmi = 0;  // NMI of presence pattern and cluster: near 1, the clusters follow what is missing
  std::optional<LeadingColumn> leading;  // where one column alone is more than half of what the clusters are
  std::vector<std::string> warnings;     // whole sentences for the user
};

// The embedding rows of a run, by row number of the source, read a block at a time.
class OMVC_API Embedding {
 public:
  virtual ~Embedding() = default;
  virtual Index rows() const = 0;
  virtual Index rank() const = 0;
  // Copies rows [first, first + count) to out, row-major. A row of an instance without any view is all NaN.
  virtual void read(Index first, Index count, double* out) const = 0;
};

// At most `limit` rows of an embedding, chosen by the seed alone and in ascending order, all of them where they are
// fewer; rows that are NaN are left out. This is what k-means learns from.
OMVC_API std::vector<double> sample_rows(const Embedding& embedding, Index limit, std::uint64_t seed);

// How many rows k-means learns from: all of them up to this number. 256 rows a cluster are plenty for a centre.
inline Index kmeans_sample_size(int clusters) { return clusters * Index{256} < 10000 ? 10000 : clusters * Index{256}; }

class OMVC_API Observer {
 public:
  virtual ~Observer() = default;
  // Before the first pass the data may be read once, for scaling and to find errors before time is spent on learning.
  // Returning false stops the run: nothing was learned yet.
  virtual bool on_survey(Index /*instances_so_far*/) { return true; }
  virtual void on_start(const Report& /*what_is_known*/, int /*passes*/) {}
  // Returning false stops the run after this chunk; what was learned so far is kept, in a checkpoint where one was
  // asked for, else in the results.
  virtual bool on_chunk(const ChunkReport&) { return true; }
  virtual void on_pass(const PassReport&, const Embedding&) {}
  // How far the run is, wherever it is.
  virtual void on_phase(const PhaseReport&) {}
  // Called often from within long steps. Returning false ends the run there and then with ErrorKind::interrupted: the
  // last checkpoint stays where one was asked for, and nothing else is written.
  virtual bool on_wait() { return true; }
};

}  // namespace omvc
