// What labels rows: the living model as it stands (Placer), or what a comparison method has left (CompareModel). It
// does not change, and threads share it.
#pragma once

#include "omvc/assignment.hpp"
#include "omvc/report.hpp"
#include "omvc/sink.hpp"
#include "omvc/source.hpp"

#include "parallel/compute.hpp"

namespace omvc {

class Labeller {
 public:
  virtual ~Labeller() = default;

  virtual const Schema& schema() const = 0;
  virtual int rank() const = 0;  // columns of the embedding
  // Labels rows as they come from a source of this schema. Throws ErrorKind::data, naming view and row, for rows that
  // it cannot take.
  virtual Assignment label(Chunk chunk, Extras extras, Compute& compute) const = 0;
};

// Labels all instances of a source from where it stands, `rows` at a time; results go to the sink in the order of the
// stream, numbered from 0. Returns how many there were. Throws ErrorKind::interrupted where the observer stops it.
Index label_source(const Labeller& labeller, Source& source, Sink& sink, Observer& observer, Index rows,
                   Compute& compute);

}  // namespace omvc
