// The living model: what was learned so far from a stream of incomplete multi-view rows, and the clusters that it is
// cut into.
//
//             intake           factorise the sample             fine prototypes            cut
//    chunk  ----------->  X_v  - - - - - - - - - ->  seeds  ->  P_v, counts, W   ------------->  clusters with numbers
//      |      survey                  (fine/build.hpp)          sums over chunks  (cut/cut.hpp)  that last
//      +--> reservoir: a bounded uniform sample of all rows seen, from which prototypes are made and made again
//
// Files and streams give models of the same kind. While the reservoir holds every row seen, the model is made from all
// of them. A stream adds to the sums chunk by chunk (learn), and the prototypes are made again each time it has grown
// by half (fourfold, once the reservoir leaves rows out), a half-life has passed, or many rows lie far from all
// prototypes. Rows far outside of what it has shown are set aside until many agree with them (model/set_aside.hpp), and
// a rebuild that fails leaves what was there. A file that can be read again is looked at first, the prototypes are made
// from a sample of all its rows (build), and at its end every pass hands over what it has counted (Counts).
//
// Same options and rows, same bits, for any number of threads. What can be told of a model is in model/facts.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/options.hpp"

#include "cut/cut.hpp"
#include "fine/reservoir.hpp"
#include "model/counts.hpp"
#include "model/look.hpp"
#include "model/names.hpp"
#include "model/placer.hpp"
#include "model/set_aside.hpp"
#include "scale/intake.hpp"
#include "scale/survey.hpp"

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
  std::vector<Index> negatives;  // entries of each view that the scaling set to 0
  std::vector<double> sizes;     // of each cluster by number, as the fit labelled instances; empty where none did
};

// What came of learning a chunk.
struct Learned {
  std::optional<Placed> placed;     // where the model placed the instances before it learned them; with clusters only
  std::vector<StrangeRow> strange;  // rows that were set aside, also of earlier chunks
  Index accepted = 0;               // rows that had been set aside and were learned now
  std::string not_built;            // why prototypes that were due could not be made; empty: nothing went wrong
};

class Model {
 public:
  Model(const Options& options, const Schema& schema);

  const Options& options() const { return options_; }
  const Survey& survey() const { return survey_; }
  const Reservoir& reservoir() const { return reservoir_; }
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

  // A stream: learns new instances, as they come, and sets aside those that are strange. Makes the prototypes, and cuts
  // them, where it is time to; where that fails, or is interrupted (which is thrown), the chunk is learned and the rest
  // is as it was.
  Learned learn(Chunk chunk, Compute& compute);
  // Makes the prototypes from all that is known, and cuts them: at the end of a stream, or when labels are asked for.
  // Whatever it throws, the model stays as it was. Returns the rows that were set aside on the way.
  std::vector<StrangeRow> refresh(Compute& compute);
  // The same where a failure is no reason to stop: returns why it failed, or nothing.
  std::string try_refresh(std::vector<StrangeRow>& strange, Compute& compute);
  // A refresh was interrupted, and is made before the next chunk is learned.
  bool refresh_due() const { return refresh_due_; }
  // Prototypes or clusters are being made, by this thread.
  bool refreshing() const { return refreshing_; }
  const SetAside& set_aside() const { return set_aside_; }
  // Throws ErrorKind::usage where the sample is full before it holds enough rows for prototypes: it never will.
  void check_room() const;
  // Numbers clusters by size, whatever they were called before: at the end of a fit.
  void number_anew(Compute& compute);
  // Before there are prototypes every row is in the sample, and the schema may still grow: `wider` begins with the
  // views and features of this one.
  void widen(const Schema& wider);
  // Later a stream may meet new features of its sparse views, by name. Survey and sample know them at once; rows are
  // placed without them until the prototypes are made again. Those of each view.
  void add_features(const std::vector<std::vector<std::string>>& names);
  // The features that rows are learned with: those of the intake, and new ones.
  const Schema& schema() const { return schema_; }
  // For those who do not go on with the stream: without new features.
  void forget_new_features();

  // A file, in this order: takes the look at all of it; makes prototypes and clusters from the sample; takes what each
  // pass has counted, which moves the prototypes, and after the last pass makes the clusters anew from it.
  void take(Look look, Compute& compute);
  void build(Compute& compute);
  void take(Counts counts, bool last, Compute& compute);

  // Other clusters, K of them or as many as the data show (0). Those that are still there keep their numbers; where the
  // model has K of them already, it keeps them.
  void cut(int clusters, Compute& compute);
  // What `cut` would give for each of these numbers of clusters. The clusters of the model stay as they are.
  std::vector<NamedCut> cuts(const std::vector<int>& numbers, Compute& compute);

  // Rows of the sample as they came, in the order of those that votes know (Votes::table); none where they are not
  // known any more.
  std::vector<Chunk> rows_as_they_came(Compute& compute) const;
  // The rows of the sample, prepared by the intake. Made when first asked for; `rest` frees their memory.
  const Sample& sample(Compute& compute);
  // Where its pieces lie, and the clusters that they are in.
  std::vector<Placed> placed_sample(Compute& compute);
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
  BuildInput build_input() const;
  void load_prototypes(const Archive& archive, bool round);
  bool time_to_build() const;
  Index first_rows() const;           // from which there are prototypes
  void make_again(Compute& compute);  // prototypes and clusters
  std::vector<bool> compressed() const;
  // Before the first prototypes are made: rows far outside of most others.
  std::vector<StrangeRow> set_first_aside(Compute& compute);
  // Sets aside the rows of a chunk that are strange; `keep` gets which are not.
  std::vector<StrangeRow> set_aside_from(const Chunk& chunk, const Ranges& ranges, std::vector<bool>& keep);
  std::optional<Placed> learn_rows(Chunk chunk, const Placer* now, Compute& compute);
  double room_aside() const { return options_.memory * (1 << 20) / 16; }
  void follow_survey();  // makes an intake that delivers each view as the kind (dense, sparse) that was learned
  void choose_scaling(const std::vector<Chunk>& rows);  // which are the sample as it came
  std::vector<Chunk> raw_pieces(Compute& compute) const;
  void take_sample(std::vector<Chunk> pieces, Compute& compute);
  FinePrototypes& mutable_placing() { return cut_.round ? *cut_.round : prototypes_.fine; }
  double stands_for() const;  // instances learned for each row of the sample
  Placer::Parts placer_parts(const Cut& cut, std::vector<int> numbers) const;
  const RowGraphs& graphs(Compute& compute);
  void need_rows(Compute& compute);  // finds what is near to the rows of the sample, where it is not known
  std::vector<Placed> placed(const Cut& cut, Compute& compute) const;  // the pieces of the sample
  Membership members(Compute& compute);                                // of the sample, by the clusters that there are
  Membership members(const Cut& cut, Compute& compute) const;
  NamedCut named(Cut cut, const Membership& now, std::vector<int> numbers) const;
  void use(Cut cut, const std::optional<Membership>& before, Compute& compute);

  Options options_;
  Recipe recipe_;
  Schema schema_;
  Survey survey_;
  Reservoir reservoir_;
  std::shared_ptr<const Intake> intake_;
  Prototypes prototypes_;
  Cut cut_;
  Names names_;
  ModelTally tally_;
  double built_at_ = 0;   // instances learned when the prototypes were made
  double strangers_ = 0;  // instances far from all prototypes since then
  SetAside set_aside_;
  bool refresh_due_ = false;
  bool refreshing_ = false;
  bool predictor_ = false;

  std::optional<Sample> sample_;
  SampleRows rows_;                  // of the sample
  std::optional<RowGraphs> graphs_;  // likewise
};

}  // namespace omvc
