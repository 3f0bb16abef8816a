#include "omvc/snapshot.hpp"

#include "pass/labeller.hpp"

namespace omvc {

Assignment Snapshot::assign(Chunk chunk, bool embedding) const {
  Compute alone(1);
  return labeller_->label(std::move(chunk), embedding, alone);
}

const Schema& Snapshot::schema() const { return labeller_->schema(); }
int Snapshot::rank() const { return labeller_->rank(); }

}  // namespace omvc
