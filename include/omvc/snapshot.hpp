// A model as it stood at one moment, for threads that label while another one learns.
//
//     omvc::Snapshot now = model.snapshot();             // after a fit, or between two chunks that are learned
//     readers.publish(now);                              // any number of threads, at the same time, without a lock
//     omvc::Assignment found = now.assign(chunk);
//
// Copies share what they hold. A snapshot outlives the model that it was taken from.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "omvc/assignment.hpp"
#include "omvc/chunk.hpp"
#include "omvc/export.hpp"

namespace omvc {

class Labeller;

class OMVC_API Snapshot {
 public:
  // Labels instances on the calling thread, with the bits of Clusterer::assign. Throws ErrorKind::data for a chunk that
  // does not fit the model.
  Assignment assign(Chunk chunk, Extras extras = {}) const;

  const Schema& schema() const;
  int rank() const;                                               // columns of the embedding
  const std::vector<int>& clusters() const { return clusters_; }  // their numbers, ascending

 private:
  friend class Clusterer;
  Snapshot(std::shared_ptr<const Labeller> labeller, std::vector<int> clusters)
      : labeller_(std::move(labeller)), clusters_(std::move(clusters)) {}

  std::shared_ptr<const Labeller> labeller_;
  std::vector<int> clusters_;
};

}  // namespace omvc
