// The living model: what was learned so far from a stream of incomplete multi-view rows, and the clusters that it is
// cut into.
//
//             intake           factorise the sample             fine prototypes            cut
//    chunk  ----------->  X_v  - - - - - - - - - ->  seeds  ->  P_v, counts, W   ------------->  clusters with numbers
//      |      survey                  (fine/build.hpp)          sums over chunks  (cut/cut.hpp)  that last
//      +--> reservoir: a bounded uniform sample of all rows seen, from which prototypes are made and made again
//
// Files and streams give models of the same kind. While the sample holds every row seen, the model is made from all of
// them. A stream adds to the sums chunk by chunk, and the prototypes are made again from time to time
// (model/chunk_learner.hpp). A file that can be read again is looked at first, the prototypes are made from a sample of
// all its rows (build), and at its end every pass hands over what it has counted (Counts).
//
// Same options and rows, same bits, for any number of threads. What can be told of a model is in model/facts.hpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "omvc/options.hpp"

#include "cut/cut.hpp"
#include "model/counts.hpp"
#include "model/look.hpp"
#include "model/names.hpp"
#include "model/placer.hpp"
#include "model/seen.hpp"
#include "scale/intake.hpp"

namespace omvc {

// The clusters of a cut, with their numbers.
struct NamedCut {
  Cut cut;
  std::vector<int> numbers;   // of each cluster
  std::vector<double> sizes;  // of each cluster: instances, about
  std::vector<int> rows;      // of each row of the sample: its cluster, a place in `numbers`; -1: none
  std::vector<int> fine;      // of each fine prototype: the cluster that most of its rows are in
};

// What was counted about the instances learned.
struct ModelTally {
  double instances = 0;          // learned
  double built_at = 0;           // of these when the prototypes were made
  double strangers = 0;          // far from all prototypes since then
  std::vector<Index> negatives;  // entries of each view that the scaling set to 0
  std::vector<double> sizes;     // of each cluster by number, as the fit labelled instances; empty where none did
};

class Model {
 public:
  Model(const Options& options, const Schema& schema);

  const Options& options() const { return options_; }
  const Seen& seen() const { return seen_; }
  const Intake& intake() const { return *intake_; }
  const Prototypes& prototypes() const { return prototypes_; }
  const Cut& clusters() const { return cut_; }
  const Names& names() const { return names_; }
  Names& names() { return names_; }
  const ModelTally& tally() const { return tally_; }
  ModelTally& tally() { return tally_; }

  // The prototypes that place instances; none before they are built.
  const FinePrototypes& placing() const { return cut_.placing(prototypes_); }
  bool can_learn() const { return !predictor_; }  // false: it was saved for prediction alone
  // What labels instances as the model stands now; null before there are clusters.
  std::shared_ptr<const Placer> placer() const;

  // A file, in this order: takes the look at all of it; makes prototypes and clusters from the sample; takes what each
  // pass has counted, which moves the prototypes, and after the last pass makes the clusters anew from it.
  void take(Look look, Compute& compute);
  void build(Compute& compute);
  void take(Counts counts, bool last, Compute& compute);

  // Numbers clusters by size, whatever they were called before: at the end of a fit.
  void number_anew(Compute& compute);
  // Other clusters, K of them or as many as the data show (0). Those that are still there keep their numbers; where the
  // model has K of them already, it keeps them. Whatever it throws, the clusters stay as they were.
  void cut(int clusters, Compute& compute);
  // What `cut` would give for each of these numbers of clusters. The clusters of the model stay as they are.
  std::vector<NamedCut> cuts(const std::vector<int>& numbers, Compute& compute);

  // Rows of the sample as they came, in the order of those that votes know (Votes::table); none where they are not
  // known any more.
  std::vector<Chunk> rows_as_they_came(Compute& compute) const;
  // The rows of the sample, prepared by the intake. Made when first asked for; `rest` frees their memory.
  const Sample& sample(Compute& compute);
  // Where its pieces lie, and the clusters that they are in.
  std::vector<Placed> placed_sample(Compute& compute, bool shares = false);
  void rest() {
    sample_.reset();
    graphs_.reset();
  }

  // What is kept of a model: all of it; what places and labels instances just as it does; or, small, what labels them
  // by prototypes and readers alone.
  enum class Kept { whole, labelling, predictor };
  void save(Archive& archive, Kept kept) const;
  static Model load(const Archive& archive, const Options& options, const Schema& schema,
                    std::vector<ViewScaling> scaling, std::vector<Index> negatives);

 private:
  friend class ChunkLearner;

  BuildInput build_input() const;
  void load_prototypes(const Archive& archive, bool round);
  void make_again(Compute& compute);  // prototypes and clusters
  void follow_survey();  // makes an intake that delivers each view as the kind (dense, sparse) that was learned
  void choose_scaling(const std::vector<Chunk>& rows);  // which are the sample as it came
  std::vector<Chunk> raw_pieces(Compute& compute) const;
  void take_sample(std::vector<Chunk> pieces, Compute& compute);
  FinePrototypes& mutable_placing() { return cut_.round ? *cut_.round : prototypes_.fine; }
  std::vector<bool> compressed() const;                                    // of each view, for Ranges
  std::shared_ptr<const Ranges> ranges() const;                            // of what was seen
  double stands_for() const { return seen_.stands_for(sample_->size()); }  // each row of the sample
  Placer::Parts placer_parts(const Cut& cut, std::vector<int> numbers) const;
  const RowGraphs& graphs(Compute& compute);
  void need_rows(Compute& compute);  // finds what is near to the rows of the sample, where it is not known
  // The pieces of the sample.
  std::vector<Placed> placed(const Cut& cut, Compute& compute, bool shares = false) const;
  Membership members(Compute& compute);  // of the sample, by the clusters that there are
  Membership members(const Cut& cut, Compute& compute) const;
  NamedCut named(Cut cut, const Membership& now, std::vector<int> numbers) const;
  void use(Cut cut, const std::optional<Membership>& before, Compute& compute);

  Options options_;
  Recipe recipe_;
  Seen seen_;
  std::shared_ptr<const Intake> intake_;
  Prototypes prototypes_;
  Cut cut_;
  Names names_;
  ModelTally tally_;
  bool refresh_due_ = false;
  bool predictor_ = false;
  std::shared_ptr<const Ranges> kept_ranges_;  // of a predictor, which knows no more of what was seen

  std::optional<Sample> sample_;
  SampleRows rows_;                  // of the sample
  std::optional<RowGraphs> graphs_;  // likewise
};

}  // namespace omvc
