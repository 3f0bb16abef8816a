#include "omvc/snapshot.hpp"

#include "pass/labeller.hpp"

namespace omvc {

Assignment Snapshot::assign(Chunk chunk, Extras extras) const {
  Compute alone(1);
  return labeller_->label(std::move(chunk), extras, alone);
}

const Schema& Snapshot::schema() const { return labeller_->schema(); }
int Snapshot::rank() const { return labeller_->rank(); }

}  // namespace omvc
