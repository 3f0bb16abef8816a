#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "run/first_look.hpp"
#include "run/fit_run.hpp"
#include "run/living_steps.hpp"

namespace omvc {
namespace {

Index count_instances(Source& source) {
  if (const std::optional<Index> known = source.size()) return *known;
  constexpr Index kAtOnce = 4096;
  Index instances = 0;
  while (const std::optional<Chunk> chunk = source.next(kAtOnce)) instances += chunk->size();
  source.rewind();
  return instances;
}

constexpr Index kCompared = 256;  // instances from which processes see that they have the same data

}  // namespace

FitRun::FitRun(Setting& setting, Workers& workers, Source& source, Sink& sink, Observer& observer,
               const Checkpointing& checkpointing, Exchange& exchange)
    : setting_(setting),
      workers_(workers),
      data_(source),
      source_(&source),
      sink_(sink),
      observer_(observer),
      keep_(checkpointing),
      kept_in_(checkpointing.file),
      together_(exchange),
      due_(checkpointing),
      profile_(workers.profile()) {}

// Of several processes each has the data, and reads its own part of them.
void FitRun::take_part() {
  if (together_.alone()) return;
  Index instances = 0;
  std::uint64_t beginning = 0;
  together_.agree([&] {
    if (!living()) {
      throw Error(ErrorKind::usage, fmt::format("method {} runs in one process: start it without mpirun",
                                                name_of(setting_.options.method)));
    }
    if (!again_) {
      throw Error(ErrorKind::usage,
                  "several processes learn from data that can be read again, without a half-life: write the stream to "
                  "a file first, or start one process");
    }
    instances = count_instances(*source_);
    if (const std::optional<Chunk> first = source_->next(kCompared)) {
      beginning = fingerprint(*first) + order_hash(0, *first);
    }
    source_->rewind();
  });
  const std::vector<std::string> all = together_.gather(fmt::format(
      "{} instances that begin with {:x}\n{}", instances, beginning, common_ground(setting_.options, setting_.schema)));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw Error(ErrorKind::usage, fmt::format("rank {} has other data or options than rank 0: start every process with "
                                              "the same command and the same files",
                                              rank));
  }
  rows_ = part_of(instances, together_.rank(), together_.size());
  part_ = make_range_source(*source_, rows_.first, rows_.count);
  source_ = part_.get();
  // One process writes; the others take part.
  if (!together_.first()) keep_ = {};
}

void FitRun::start() {
  std::optional<Archive> left;
  together_.agree([&] {
    if (together_.first()) left = last_checkpoint();
  });
  if (!together_.alone()) {
    const std::string bytes = together_.broadcast(left ? left->to_bytes() : "");
    if (!bytes.empty() && !together_.first()) left = Archive::from_bytes(bytes, "the checkpoint");
  }
  if (!left) return begin();
  together_.agree([&] { resume_from(*left); });
  if (!together_.alone()) restart_pass();
  if (model_ && !model_->built()) {
    together_.agree([&] {
      if (!together_.first()) return;
      learn_sample();
      checkpoint();
    });
    follow_first();
  }
  observer_.on_start(report_, passes_);
  together_.agree([&] {
    const bool more = !position_.labelling && position_.pass <= passes_;
    if (!more && !method_->labels_again() && together_.first()) check_data();
  });
}

// Looks at the data where they can be read again, and chooses what depends on them.
void FitRun::begin() {
  report_.clusters = setting_.options.clusters;
  passes_ = setting_.options.passes;
  if (living()) model_.emplace(setting_.options, setting_.schema);
  if (again_) {
    look_first();
  } else {
    passes_ = 1;
    report_.chunk = choose_chunk(nullptr);
    if (!model_) {
      report_.warnings.push_back("The data can be read only once: one pass, scaled by the first chunk.");
    } else if (setting_.options.passes > 1) {
      report_.warnings.push_back("The data can be read only once: they are learned in one pass.");
    }
  }
  if (setting_.options.chunk > 0) report_.chunk = setting_.options.chunk;
  counts_.squares.assign(setting_.schema.views.size(), 0.0);
  counts_.present.assign(setting_.schema.views.size(), 0);
  counts_.missing.resize(setting_.schema.views.size(), 0);
  together_.agree([&] {
    // What an older run left goes only now that this one is known to be possible.
    if (!keep_.file.empty()) start_checkpoint(keep_, folder_);
    make_method();
    if (!model_ || !again_ || !together_.first()) return;
    checkpoint();  // what the first look took: large data need not be looked at again
    learn_sample();
  });
  if (model_ && again_) follow_first();
  observer_.on_start(report_, passes_);
  together_.agree([&] { checkpoint(); });
}

// What an interruption within a step leaves.
std::string FitRun::interruption() const {
  if (kept_in_.empty()) return "interrupted; nothing was written";
  return fmt::format("interrupted; {} holds the last checkpoint: run the same command with --resume to go on",
                     kept_in_);
}

// Makes the model from the sample that the first look took. Where that is all there is, nothing needs to be read again.
void FitRun::learn_sample() {
  const Timed timed(profile_, Step::learning);
  const StopWatch watch;
  try {
    if (const int threads = together_.threads_of_all(workers_.threads()); threads > workers_.threads()) {
      Workers all(threads);
      all.set_poll([this] { workers_.poll(); });
      make_living(*model_, setting_, all);
      profile_.count_products(all.profile().take_products());
    } else {
      make_living(*model_, setting_, workers_);
    }
    living_fit().follow();
  } catch (const Error& error) {
    // Data from which no prototypes can be made are no better when the run is resumed.
    if (!keep_.file.empty() && error.kind() == ErrorKind::data) remove_checkpoint(keep_.file);
    throw;
  }
  report_.rank = method_->rank();
  report_.views = setting_.views({});
  if (!model_->whole()) {
    take_products();  // which a checkpoint keeps as those of the first pass
    return;
  }
  passes_ = 0;
  for (const PreparedChunk& piece : model_->sample().pieces()) patterns_->remember(*piece.chunk);
  count_sample(*model_, setting_, state_);
  PassReport& pass = report_.passes.back();
  pass.seconds = watch.seconds();
  pass.products = profile_.take_products();
}

void FitRun::make_method() {
  patterns_.emplace(setting_.schema.views.size(), folder_);
  const MethodContext context{.options = setting_.options,
                              .schema = setting_.schema,
                              .passes = passes_,
                              .again = again_,
                              .embedding = sink_.wants_embedding(),
                              .bytes = bytes_,
                              .rows = folder_,
                              .counts = &counts_};
  if (model_) {
    method_ = std::make_unique<LivingFit>(context, *model_);
  } else {
    method_ = omvc::make_method(context);
    report_.rank = method_->rank();
  }
  report_.views = setting_.views(counts_.present);
}

// The checkpoint to go on from.
std::optional<Archive> FitRun::last_checkpoint() {
  if (keep_.file.empty()) return std::nullopt;
  if (!again_) {
    throw Error(ErrorKind::usage,
                setting_.options.half_life > 0
                    ? "with a half-life data are learned as a stream, which cannot be resumed: leave --checkpoint out"
                    : "a stream that can be read only once cannot be resumed: leave --checkpoint out, or "
                      "write the data to a file first");
  }
  return open_checkpoint(keep_, folder_);
}

void FitRun::resume_from(const Archive& archive) {
  try {
    resume(archive);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(keep_.file) != std::string::npos) throw;
    throw Error(error.kind(), fmt::format("cannot resume from {}: {}", keep_.file, message));
  }
}

void FitRun::resume(const Archive& archive) {
  get_fit_state(archive, setting_, state_);
  profile_.add(state_.step_seconds);
  passes_ = setting_.options.passes;
  if (living()) {
    model_.emplace(Model::load(archive, setting_.options, setting_.schema, setting_.scaling, setting_.clipped));
    if (model_->built() && model_->whole()) passes_ = 0;
  }
  make_method();
  first_has_all_ = position_.labelling;
  if (!together_.first()) {  // the rows so far are those of the first process
    if (model_->built()) living_fit().follow();
    return;
  }
  method_->load(archive);
  report_.rank = method_->rank();
  restore_position(archive, "patterns/rows", patterns_->store());
  const Index seen = patterns_->store().rows();
  if (position_.pass > 1 && seen > report_.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the checkpoint speaks of {} instances, and {} were seen", report_.instances, seen));
  }
}

// Several processes begin a pass that was under way anew: who counted what is not theirs to know.
void FitRun::restart_pass() {
  const int pass = position_.pass;
  const bool labelling = position_.labelling;
  position_ = {};
  position_.pass = pass;
  position_.labelling = labelling;
  if (pass > 1 || labelling) return;
  std::fill(counts_.present.begin(), counts_.present.end(), 0);
  std::fill(setting_.clipped.begin(), setting_.clipped.end(), 0);
  counts_.observed = counts_.instances = 0;
}

Archive FitRun::state_archive() {
  state_.step_seconds = profile_.seconds();
  position_.seconds = profile_.total();
  Archive archive;
  put_fit_state(archive, setting_, state_);
  put_identity(archive, folder_);
  put_position(archive, "patterns/rows", patterns_->store());
  method_->save(archive);
  return archive;
}

// Makes the stores durable before the archive that refers to them takes the place of the last one.
void FitRun::checkpoint() {
  if (keep_.file.empty()) return;
  const Timed timed(profile_, Step::checkpoint);
  const StopWatch watch;
  const Archive archive = state_archive();
  method_->sync();
  patterns_->store().sync();
  folder_.sync();
  archive.save(keep_.file);
  due_.written(watch.seconds());
}

// Takes over what the first process has made and decided.
void FitRun::follow_first() {
  if (together_.alone()) return;
  Archive archive;
  if (together_.first()) {
    put_living(archive, setting_, state_, passes_, *model_, false);
  }
  const std::string bytes = together_.broadcast(together_.first() ? archive.to_bytes() : "");
  together_.agree([&] {
    if (together_.first()) return;
    archive = Archive::from_bytes(bytes, "the model of the first process");
    model_.emplace(get_living(archive, setting_, state_, passes_));
    living_fit().follow();
  });
}

}  // namespace omvc
