// How a fit goes on from a checkpoint, and what it keeps in one.
#include <algorithm>

#include "omvc/error.hpp"

#include "pass/first_look.hpp"
#include "run/fit.hpp"

namespace omvc {

// False where there is none to go on from.
bool Fit::start_from_checkpoint() {
  std::optional<Archive> left;
  together_.agree([&] {
    if (together_.first()) left = last_checkpoint();
  });
  if (!together_.alone()) {
    const std::string bytes = together_.broadcast(left ? left->to_bytes() : "");
    if (!bytes.empty() && !together_.first()) left = Archive::from_bytes(bytes, "the checkpoint");
  }
  if (!left) return false;
  together_.agree([&] { blame_checkpoint([&] { resume(*left); }); });
  if (!together_.alone()) restart_pass();
  if (model().clusters().count == 0) {
    together_.agree([&] {
      if (!together_.first()) return;
      make_model();
      checkpoint();
    });
    follow_first();
  }
  observer_.on_start(report_, fit_->passes);
  together_.agree([&] {
    if (wants_pass() || !together_.first()) return;
    data_.rewind();
    check_data(look_at(data_, {}, observer_, compute_, [](auto, auto, Compute&) {}));
  });
  return true;
}

void Fit::resume(const Archive& archive) {
  fit_->get(archive);
  profile_.add(state_.step_seconds);
  keep_rows();
  first_has_all_ = position_.labelling;
  if (!together_.first()) return;  // the rows so far are those of the first process
  kept_->load(archive);
  if (archive.has("counted/progress")) counts_ = Counts::get(archive, setting_.schema, model().placing().size());
  if (position_.progress != (counts_ ? counts_->progress : Progress{})) {
    throw Error(ErrorKind::data, "what the checkpoint has counted is not where it stands");
  }
  // What nobody wanted before is made in the last pass.
  const std::shared_ptr<const Placer> placer = model().placer();
  if (fit_->passes == 0 || !placer || !kept_->lacks(*placer)) return;
  if (position_.labelling) {
    throw Error(
        ErrorKind::usage,
        "its passes are over, and it holds no embedding or membership: resume without --embedding, --membership and "
        "--output, or start again without --resume");
  }
  if (position_.pass == fit_->passes) restart_pass();
}

// Begins a pass that was under way anew: several processes do, since who counted what is not theirs to know.
void Fit::restart_pass() {
  const int pass = position_.pass;
  const bool labelling = position_.labelling;
  position_ = {};
  position_.pass = pass;
  position_.labelling = labelling;
  counts_.reset();
}

void Fit::put_state(Archive& archive) const {
  fit_->put(archive, true);
  kept_->save(archive);
  if (counts_) counts_->put(archive);
}

}  // namespace omvc
