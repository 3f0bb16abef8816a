// The living model: what a stream of incomplete multi-view rows has taught so far, and the clusters that it is cut
// into.
//
//             scale            factorise the sample             fine prototypes            cut
//    chunk  ----------->  X_v  - - - - - - - - - ->  seeds  ->  P_v, counts, W   ------------->  clusters with numbers
//      |      survey                                            sums over chunks   when asked    that last
//      +--> reservoir: a bounded uniform sample of all rows seen, from which prototypes are made and made again
//
// Files and streams are learned alike. While every row seen is in the reservoir, the model is made from all of them.
// Beyond, a stream adds to the sums chunk by chunk (learn), and the prototypes are made again each time it has grown by
// half or rows get far from all of them; a file that can be read again is looked at first (look), the prototypes are
// made from the sample of all of it (build), and the passes add every row to them (count).
//
// Same options and rows, same bits, for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "omvc/options.hpp"
#include "omvc/report.hpp"

#include "factorise/factorisation.hpp"
#include "fine/fine_prototypes.hpp"
#include "fine/reservoir.hpp"
#include "fine/sample.hpp"
#include "model/history.hpp"
#include "model/look.hpp"
#include "scale/scaling.hpp"
#include "scale/survey.hpp"

namespace omvc {

// The clusters of a model: groups of prototypes, with the numbers that users see.
struct Clusters {
  std::vector<int> group;    // of each prototype that places instances: a cluster 0 .. count-1
  std::vector<int> numbers;  // of each cluster
  int next = 0;              // the first number that no cluster has had
  bool refined = false;      // the clusters are K prototypes, not groups of fine ones
  std::string found_by;      // in words, for the report

  int count() const { return static_cast<int>(numbers.size()); }
};

// What the model says of the instances of a chunk.
struct Placed {
  Near near;                       // among the prototypes that place instances
  std::vector<int> labels;         // cluster numbers; -1 without any view
  std::vector<double> confidence;  // share of the vote, 0 .. 1; NaN without any view
  std::vector<double> distance;    // relative to what is usual for the nearest prototype; NaN without any view
};

inline constexpr double kOutlier = 3;  // an instance this many times farther than usual is an outlier

class Model {
 public:
  Model(const Options& options, const Schema& schema);

  const Options& options() const { return options_; }
  const Schema& schema() const { return schema_; }
  const Survey& survey() const { return survey_; }
  const std::vector<ViewScaling>& scaling() const { return scaling_; }

  // A stream: learns new instances, unscaled. Makes the prototypes, and cuts them, where it is time to. Returns what
  // the model said of the instances before it learned them; nothing before there is a model.
  std::optional<Placed> learn(Chunk chunk, Workers& workers);
  // Makes the prototypes from all that is known, and cuts them: at the end of a stream, or when labels are asked for.
  void refresh(Workers& workers);

  // Before there are prototypes every row is in the sample, and the schema may still grow: `wider` begins with the
  // views and features of this one.
  void widen(const Schema& wider);
  // A model that places instances as this one does now, and knows nothing else: what others may use while this one
  // learns.
  Model for_placing() const;
  // Lets go of where prototypes went (`moved`), which nobody will ask for.
  void forget_moves() { moved_.clear(); }
  // Brings views that are stored in another way than those learned so far, dense or sparse, into the same.
  void match_kinds(Chunk& chunk) const;

  // A file: takes the look at all of it; makes the prototypes; counts every scaled chunk of a pass. Parts of a pass may
  // be counted by models that were loaded from this one: what they counted adds up.
  void take(Look look, Workers& workers);
  void build(Workers& workers);
  void begin_pass();  // sums from zero
  Placed count(const PreparedChunk& chunk, Workers& workers);
  // The same in two steps, of which the first needs nothing that the second changes.
  Near near(const PreparedChunk& chunk, Workers& workers) const { return placing().near(chunk, workers); }
  void count(std::span<const PreparedChunk> chunks, std::span<const Near> near, Workers& workers,
             const std::function<void()>& each);
  void save_counted(Archive& archive) const { placing().save_sums(archive, "counted"); }
  static void merge_counted(Archive& sum, const Archive& part, std::size_t views) {
    FinePrototypes::merge_sums(sum, part, "counted", views);
  }
  void set_counted(const Archive& sum) { (clusters_.refined ? coarse_ : fine_) = placing().with_sums(sum, "counted"); }
  // From here on what is explained is that of all rows counted, and not of the sample alone.
  void measure_counted();
  void end_pass(Workers& workers);  // prototypes move to the means of what was counted

  // Clusters, K of them or as many as the data show (0). `anew` numbers them by size; otherwise they keep the numbers
  // of those they are matched to. Clusters that were refined stay refined.
  void cut(int clusters, bool anew, Workers& workers);
  // Numbers clusters by size, whatever they were called before: at the end of a fit.
  void number_anew(Workers& workers);
  // The same from what the passes have counted, once they are over: fine prototypes are grouped anew, numbers are by
  // size.
  void cut_counted(Workers& workers);

  bool built() const { return fine_.size() > 0 || coarse_.size() > 0; }
  bool has_clusters() const { return clusters_.count() > 0; }
  bool whole() const { return reservoir_.whole(); }  // every row seen is in the sample
  bool can_learn() const { return !predictor_; }

  // Scales a chunk that fits the schema, without views that were never seen.
  std::vector<Index> scale(Chunk& chunk) const;  // returns the negative entries set to 0, by view
  Placed place(const PreparedChunk& chunk, Workers& workers) const;
  // Labels and confidence by the votes of prototypes.
  void vote(const Near& near, Index instance, int& label, double& confidence) const;
  Matrix embed(const PreparedChunk& chunk, Workers& workers) const { return factors_->embed(chunk, workers); }
  int rank() const { return factors_ ? factors_->rank() : 0; }
  const Factorisation& factors() const { return *factors_; }

  // The rows of the sample, scaled, as `place` takes them. Made when asked for; `rest` gives the room back.
  const Sample& sample(Workers& workers);
  const Sample& sample() {
    Workers alone;
    return sample(alone);
  }
  void rest() { sample_.reset(); }

  const FinePrototypes& placing() const { return clusters_.refined ? coarse_ : fine_; }
  const FinePrototypes& fine() const { return fine_; }
  const Clusters& clusters() const { return clusters_; }
  const std::optional<ClusterChoice>& choice() const { return choice_; }
  // What happened to the clusters since they were asked for last.
  std::vector<ClusterEvent> take_events();
  // The clusters each time they were cut.
  const std::vector<TimePoint>& timeline() const { return history_.points(); }
  const Reservoir& reservoir() const { return reservoir_; }
  // Prototypes are made again with every generation: where those of the last one went.
  Index generation() const { return static_cast<Index>(moved_.size()); }
  Near moved(Near near, Index generation) const;
  Index places(Index generation) const {  // prototypes that placed instances then
    return generation < this->generation() ? static_cast<Index>(moved_[static_cast<std::size_t>(generation)].size())
                                           : placing().size();
  }

  Matrix profiles(std::size_t view) const;  // mean of each cluster in a view, d x clusters, scaled
  double instances() const { return clock_; }
  // Share of each view's variance about its mean that the clusters explain, over what the sums cover.
  std::vector<double> explained() const;
  const std::vector<Index>& negatives() const { return clipped_; }
  // Instances of each cluster, by number: as the fit labelled them, else about, by the prototype that is nearest.
  std::vector<double> sizes() const;
  void set_sizes(std::vector<double> counted) { sizes_ = std::move(counted); }
  void set_negatives(std::vector<Index> counted) { clipped_ = std::move(counted); }
  std::vector<ViewReport> views() const;
  // What is to be expected of the instances in a view, instances x d in the data's own units: the mean of the
  // prototypes that they lie between. NaN for one without any view.
  Matrix expected(const PreparedChunk& chunk, std::size_t view, Workers& workers) const;
  Matrix embed_prototypes(Workers& workers) const;  // latent rows of the prototypes that place instances
  // How clusters split as their number grows from 2 to `most`.
  std::vector<CutLevel> tree(int most, Workers& workers);
  void set_clusters(int clusters) { options_.clusters = clusters; }
  const std::vector<std::pair<std::string, double>>& candidates() const { return candidates_; }

  void save(Archive& archive, bool whole) const;
  static Model load(const Archive& archive, const Options& options, const Schema& schema,
                    std::vector<ViewScaling> scaling, std::vector<Index> clipped);

 private:
  // What the clusters were, and which prototype and cluster each instance of the sample had.
  struct Before {
    Clusters clusters;
    Index places = 0;
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> groups;
  };

  bool by_direction() const;  // some view has rows of length 1
  FineRule rule() const;
  Index fine_count(Index rows) const;
  bool time_to_build() const;
  void choose_scaling();
  void measure_sample(Workers& workers);
  void make_fine(Workers& workers);
  std::vector<Matrix> reconstructed(const std::vector<std::int32_t>& groups, Index count, Workers& workers) const;
  void count_sample(Workers& workers);
  double stands_for() const;           // instances learned for each row of the sample
  void need_sample(Workers& workers);  // with its latent rows and what is near to them
  Before remember(Workers& workers);
  void find_clusters(int asked, Workers& workers);
  void cut_into(int clusters, const Before& before, Workers& workers);
  std::vector<std::int32_t> cut_fine(int clusters, Workers& workers);  // groups fine prototypes, labels the sample
  void cut_prototypes(int clusters, Workers& workers);
  void cut_candidates(int clusters, Workers& workers);
  void use_refined(FinePrototypes prototypes, int clusters, Workers& workers);
  // The prototype that is nearest to every instance of the sample.
  void give_numbers(const Before& before, Workers& workers);

  Options options_;
  Schema schema_;
  Survey survey_;
  Reservoir reservoir_;
  std::vector<ViewScaling> scaling_;
  std::vector<Index> clipped_;  // negative entries set to 0, by view
  std::optional<Factorisation> factors_;
  FinePrototypes fine_;
  FinePrototypes coarse_;  // a prototype per cluster, where clusters are refined
  Clusters clusters_;
  std::vector<double> sizes_;  // of each cluster by number, where instances were labelled; else empty
  std::optional<ClusterChoice> choice_;
  std::vector<std::pair<std::string, double>> candidates_;
  std::vector<ClusterEvent> events_;
  History history_;
  std::vector<std::vector<std::int32_t>> moved_;  // by generation: the prototype of the next that each became
  double clock_ = 0;                              // instances learned
  double built_at_ = 0;                           // the clock when the prototypes were made
  double strangers_ = 0;                          // instances far from all prototypes since then
  std::vector<double> squares_;                   // of each view: mean ||x||^2 of its rows
  std::vector<double> quantum_;                   // of each view: the step to which values are rounded in sums
  bool predictor_ = false;

  std::optional<Sample> sample_;
  Matrix latent_;           // of the sample
  std::vector<Near> near_;  // of the pieces of the sample, among the fine prototypes
};

}  // namespace omvc
