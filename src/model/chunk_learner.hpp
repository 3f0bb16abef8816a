// Lets a model learn a stream, chunk by chunk: which rows it takes in, and when its prototypes are made again. That is
// each time it has grown by half (fourfold, once the sample leaves rows out), a half-life has passed, or many rows lie
// far from all prototypes. Rows far outside of what it has shown are set aside until many agree with them
// (model/set_aside.hpp), and a rebuild that fails leaves what was there.
//
// All that lasts is in the model: a learner can be made for it anew whenever there is something to learn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace omvc {

// What came of learning a chunk.
struct Learned {
  std::optional<Placed> placed;     // where the model placed the instances before it learned them; with clusters only,
                                    // and where somebody wants it
  std::vector<StrangeRow> strange;  // rows that were set aside, also of earlier chunks
  Index accepted = 0;               // rows that had been set aside and were learned now
  std::string not_built;            // why prototypes that were due could not be made; empty: nothing went wrong
};

class ChunkLearner {
 public:
  enum class Wants : unsigned char { places, nothing };  // of the instances that are learned

  explicit ChunkLearner(Model& model) : model_(model) {}  // which must outlive it

  // Learns new instances, as they come, and sets aside those that are strange. Makes the prototypes, and cuts them,
  // where it is time to; where that fails, or is interrupted (which is thrown), the chunk is learned and the rest is as
  // it was.
  Learned learn(Chunk chunk, Compute& compute, Wants wants = Wants::places);
  // Makes the prototypes from all that is known, and cuts them: at the end of a stream, or when labels are asked for.
  // Whatever it throws, the model stays as it was. Returns the rows that were set aside on the way.
  std::vector<StrangeRow> refresh(Compute& compute);
  // The same where a failure is no reason to stop: returns why it failed, or nothing.
  std::string try_refresh(std::vector<StrangeRow>& strange, Compute& compute);
  // A refresh was interrupted, and is made before the next chunk is learned.
  bool refresh_due() const { return model_.refresh_due_; }
  // Prototypes or clusters are being made, by the thread that learns.
  bool refreshing() const { return refreshing_; }
  // Throws ErrorKind::usage where the sample is full before it holds enough rows for prototypes: it never will.
  void check_room() const;

  // Before there are prototypes every row is in the sample, and the schema may still grow: `wider` begins with the
  // views and features that there are.
  void widen(const Schema& wider);
  // Later a stream may meet new features of its sparse views, by name: those of each view. Survey and sample know them
  // at once; rows are placed without them until the prototypes are made again.
  void add_features(const std::vector<std::vector<std::string>>& names) { model_.seen_.add_features(names); }
  // For those who do not go on with the stream: without features that no prototype knows.
  void forget_new_features() { model_.seen_.narrow(model_.intake().schema()); }

 private:
  Index first_rows() const;  // from which there are prototypes
  bool time_to_build() const;
  void forget(double rows);  // as much as so many instances make a stream forget
  void learn_usual(Chunk chunk, const Placer* now, Wants wants, Learned& out, Compute& compute);
  std::optional<Placed> learn_rows(Chunk chunk, const Placer* now, Wants wants, Compute& compute);

  Model& model_;
  bool refreshing_ = false;
};

}  // namespace omvc
