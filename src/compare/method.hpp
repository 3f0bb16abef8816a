// A method that omvc is compared with, as its driver sees it. Passes, reading, scaling, checkpoints, results and
// reports are the work of the driver (compare/fit.hpp) and the same for every method.
//
//     for pass = 1, then pass_after(pass), ... up to the last
//         begin_pass; learn every chunk; end_pass
//     where labels_again():   begin_labels; label every chunk
//     finish;  explained, labels, embedding, model
//
// The chunks are the same in every pass, scaled, in the same order.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "omvc/options.hpp"
#include "omvc/report.hpp"

#include "compare/prototypes.hpp"
#include "factorise/factorisation.hpp"
#include "file/archive.hpp"
#include "file/row_store.hpp"
#include "pass/checkpoint.hpp"

namespace omvc {

// What a method is made from. `counts` belongs to the fit, which goes on counting in it.
struct MethodContext {
  Options options;
  Schema schema;
  int passes = 1;
  bool again = true;      // the stream can be read again after the last pass
  bool embedding = true;  // somebody wants the embedding of all instances
  double bytes = 0;       // that all the data would take in memory; 0 where nobody knows
  RowFolder rows;
  const StreamCounts* counts = nullptr;
};

// What is left when a method is done: the means to embed and label new instances.
struct LearnedModel {
  std::unique_ptr<Factorisation> factors;  // none where prototypes are all there is
  CandidatePrototypes prototypes;          // none, or those of one clustering: then they give the labels
};

// Starts of k-means, of which the best by its objective gives the labels.
inline constexpr int kKMeansStarts = 20;

class Method {
 public:
  explicit Method(const StreamCounts& counts) : counts_(&counts) {}
  virtual ~Method() = default;

  virtual int rank() const = 0;  // columns of the embedding

  virtual void begin_pass(int pass) = 0;
  virtual int learn(const PreparedChunk& chunk, Compute& compute) = 0;  // returns its rounds
  virtual void end_pass(Compute& compute) = 0;
  // The pass to do after this one: a later one than the next where those between have nothing to do.
  virtual int pass_after(int pass) const { return pass + 1; }

  // Whether every instance is to be labelled once more with the model as it is at the end.
  virtual bool labels_again() const { return false; }
  virtual void begin_labels() {}
  virtual void label(const PreparedChunk& /*chunk*/, Compute& /*compute*/) {}
  // Called once when learning is over: after all of this (complete), or before, where the run was stopped.
  virtual void finish(bool /*complete*/, Compute& /*compute*/) {}

  // The average loss over the pass so far, in the method's own terms.
  virtual double average_loss(Compute& compute) const = 0;
  // Mean squared distance in data space of an instance from its prototype; 0 where there are no prototypes.
  virtual double error() const { return 0; }
  // Of a finished method: share of each view that the model explains; see ViewReport::explained.
  virtual std::vector<double> explained(Compute& compute) const = 0;

  virtual std::unique_ptr<Embedding> embedding(Index rows) const = 0;
  // The labels of a finished method, NaN for an instance without any view. Null where k-means on the embedding gives
  // them.
  virtual const RowStore* labels() const { return nullptr; }
  // Of a finished method, which it leaves empty.
  virtual LearnedModel model() = 0;

  // The complete state at a chunk boundary, but for what lies in row stores, which `sync` makes durable. A method made
  // from the same context and loaded goes on as if nothing had happened.
  virtual void save(Archive& archive) const = 0;
  virtual void load(const Archive& archive) = 0;
  virtual void sync() const {}

 protected:
  const StreamCounts& counts() const { return *counts_; }

 private:
  const StreamCounts* counts_;
};

// The comparison method that the options ask for.
std::unique_ptr<Method> make_method(const MethodContext& context);

}  // namespace omvc
