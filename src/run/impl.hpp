// What a Clusterer holds: the living model, or what a comparison method has left, or nothing yet.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "compare/compare_model.hpp"
#include "model/chunk_learner.hpp"
#include "model/expected.hpp"
#include "model/raw_sums.hpp"
#include "parallel/team.hpp"
#include "run/row_ids.hpp"
#include "run/usage.hpp"

namespace omvc {

struct Clusterer::Impl {
  explicit Impl(Options chosen);

  const Schema& schema() const;
  // What labels instances now. Throws ErrorKind::usage where there are no clusters.
  std::shared_ptr<const Labeller> labeller() const;
  Model& living();  // throws unless there is a model that learns
  // Calls work(compute) for a const function: on all threads where nobody else has them just now, else on the calling
  // thread alone. No result depends on it.
  template <class F>
  auto share(const F& work) {
    const std::unique_lock lock(sharing, std::try_to_lock);
    if (lock.owns_lock()) return work(compute.get());
    Compute alone(1);
    return work(alone);
  }

  Options options;
  Team compute;
  std::optional<Model> model;
  std::shared_ptr<CompareModel> compared;
  RowIds ids;  // of rows that a stream has learned, as JSON
  // What tells the clusters of the model apart, made when first asked for after it has changed.
  const RawSums& sums();
  std::optional<RawSums> known_sums;
  std::vector<double> known_at;  // what the model was like then
  // What fills in a view, likewise.
  std::shared_ptr<const Expectation> expectation(std::size_t view, bool cells);
  std::map<std::size_t, std::shared_ptr<Expectation>> expectations;
  std::vector<double> expected_at;
  std::vector<double> state() const;  // numbers that tell whether the model has changed

  std::mutex sharing;  // of `compute` and `known_sums`
  std::mutex filling;  // of `expectations`
  Usage usage{
      "two threads use this Clusterer, and one of them changes it: only one may do that, while nobody else uses it; "
      "give the others a snapshot(), which they can use meanwhile"};
};

// Frees what a model needs to be cut, whatever becomes of that.
struct Rest {
  Model& model;
  ~Rest() { model.rest(); }
};

// While something is made that can be given up: the program may end it (Hooks::stopping). A chunk that is half learned
// cannot be given up; where chunks are learned, only making its prototypes again can.
class Watched {
 public:
  explicit Watched(Compute& compute, const ChunkLearner* learns = nullptr) : compute_(compute) {
    compute.set_poll([&compute, learns] {
      if ((learns == nullptr || learns->refreshing()) && compute.asked_to_stop()) {
        throw Error(ErrorKind::interrupted, "interrupted on request");
      }
    });
  }
  ~Watched() { compute_.set_poll({}); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  Compute& compute_;
};

}  // namespace omvc
