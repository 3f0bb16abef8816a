#include "run/learner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "pass/fit_base.hpp"
#include "pass/setting.hpp"
#include "run/model_file.hpp"
#include "scale/columns.hpp"

namespace omvc {
namespace {

// Clusters of a first cut, which have no past.
std::vector<ClusterEvent> births(const Model& model) {
  std::vector<ClusterEvent> events;
  const Cut& clusters = model.clusters();
  for (const int number : model.names().numbers()) {
    events.push_back({.kind = ClusterEvent::Kind::born, .cluster = number, .other = -1, .instances = 0});
  }
  for (std::size_t p = 0; p < clusters.group.size(); ++p) {
    events[static_cast<std::size_t>(clusters.group[p])].instances += model.placing().sums().mass(static_cast<Index>(p));
  }
  std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.cluster < b.cluster; });
  return events;
}

}  // namespace

Learner::Learner(Model model, Setup setup)
    : setup_(std::move(setup)),
      model_(std::move(model)),
      compute_(std::make_unique<Compute>(setup_.threads, setup_.hooks)) {
  placing_ = model_.placer();
  compute_->hold_backend(setup_.backend);
  compute_->set_poll([this] { poll(); });
}

// Making prototypes again can wait for the next start; a chunk that is half learned cannot.
void Learner::poll() const {
  const bool stopping = compute_->asked_to_stop();
  if (given_up_ || (stopping && chunk_learner_.refreshing())) {
    throw Error(ErrorKind::interrupted, "learning was given up");
  }
}

Learner::~Learner() {
  given_up_ = true;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Learner::start() {
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::io, fmt::format("cannot start a thread that learns: {}; allow more processes (ulimit -u) or "
                                           "memory (ulimit -v), or use fewer --threads",
                                           error.code().message()));
  }
}

void Learner::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

void Learner::learn(Chunk chunk, std::vector<std::string> ids, std::vector<std::vector<std::string>> features) {
  Job job{.chunk = std::move(chunk), .ids = std::move(ids), .features = std::move(features), .bytes = 0};
  if (!thread_.joinable()) {
    rethrow();
    try {
      return learn_now(std::move(job));
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }
  job.bytes = bytes_of(job.chunk);
  const double room = model_.options().memory * (1 << 20);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || jobs_.empty() || waiting_bytes_ + job.bytes <= room; });
  rethrow();
  waiting_bytes_ += job.bytes;
  jobs_.push_back(std::move(job));
  lock.unlock();
  changed_.notify_all();
}

// What is left undone because the process is to stop is done when it goes on.
Learned Learner::learn_rows(Chunk chunk) {
  try {
    return chunk_learner_.learn(std::move(chunk), *compute_, ChunkLearner::Wants::nothing);
  } catch (const Error& error) {
    if (given_up_ || error.kind() != ErrorKind::interrupted) throw;
    return {};
  }
}

void Learner::tell(const Learned& learned) {
  const std::vector<ViewSchema>& views = model_.intake().schema().views;
  for (const StrangeRow& strange : learned.strange) {
    events_.push_back({.kind = StreamEvent::Kind::strange,
                       .text = setup_.record.ids.of(strange.row),
                       .view = views[strange.outside.view].name,
                       .widths = strange.outside.widths});
  }
  if (learned.accepted > 0) events_.push_back({.kind = StreamEvent::Kind::accepted, .instances = learned.accepted});
  if (!learned.not_built.empty()) {
    events_.push_back({.kind = StreamEvent::Kind::not_rebuilt, .text = learned.not_built});
  }
}

// Columns are looked at each time prototypes are made; each finding is told once.
std::vector<std::string> Learner::column_warnings() {
  std::vector<std::string> warnings;
  const Intake& intake = model_.intake();
  for (std::size_t v = 0; v < intake.schema().views.size(); ++v) {
    const ViewSchema& view = intake.schema().views[v];
    ViewReport report{.name = view.name,
                      .features = view.features,
                      .table_columns = view.features,
                      .scaling = {},
                      .reason = {},
                      .columns = {}};
    for (ColumnReport& column : column_reports(intake.scaling()[v], view)) {
      if (told_.insert(fmt::format("{}/{}/{}", v, column.found, column.name)).second) {
        report.columns.push_back(std::move(column));
      }
    }
    warn_of_columns(report, warnings);
    const ViewSurvey& survey = model_.seen().survey().views[v];
    if (survey.sparse && survey.negatives > 0 && intake.scaling()[v].clip &&
        told_.insert(fmt::format("{}/-", v)).second) {
      warnings.push_back(
          fmt::format("View {} comes as features and numbers, which are taken as sparse weights: its negative numbers "
                      "are set to 0. If they are measurements, send them as lists, or learn a table by fit first.",
                      view.name));
    }
  }
  return warnings;
}

void Learner::learn_now(Job job) {
  if (!job.features.empty()) chunk_learner_.add_features(job.features);
  const bool first = model_.clusters().count == 0;
  StreamRecord& record = setup_.record;
  record.ids.add(job.chunk.rows, job.ids);
  if (!job.ids.empty()) record.after = std::move(job.ids.back());
  const Learned learned = learn_rows(std::move(job.chunk));
  chunk_learner_.check_room();
  record.ids.follow(model_, false);
  model_.names().forget_moves();
  unsaved_ = true;
  std::vector<ClusterEvent> happened = model_.names().take_events();
  const std::vector<std::string> warnings = column_warnings();
  if (first && model_.clusters().count > 0) happened = births(model_);
  std::shared_ptr<const Placer> placing = model_.placer();
  const std::lock_guard lock(mutex_);
  placing_ = std::move(placing);
  tell(learned);
  for (const std::string& text : warnings) events_.push_back({.kind = StreamEvent::Kind::warning, .text = text});
  for (const ClusterEvent& event : happened) {
    events_.push_back({.kind = StreamEvent::Kind::cluster, .cluster = event});
  }
}

bool Learner::save_due() const {
  const double since = std::chrono::duration<double>(Clock::now() - saved_at_).count();
  return unsaved_ && since >= setup_.save_seconds;
}

void Learner::save_now() {
  if (const std::optional<FileMark> found = mark_of(setup_.file); found && found != setup_.mark) {
    throw Error(ErrorKind::io, fmt::format("{} is not the file that this stream has saved: somebody else has replaced "
                                           "it, and it is left as it is; move it away, and the next save writes the "
                                           "model of the stream",
                                           setup_.file));
  }
  setup_.record.ids.follow(model_, true);
  save_stream(model_, setup_.record, setup_.file);
  setup_.mark = mark_of(setup_.file);
  unsaved_ = false;
  saved_at_ = Clock::now();
  const std::lock_guard lock(mutex_);
  events_.push_back({.kind = StreamEvent::Kind::saved,
                     .text = setup_.record.after,
                     .instances = static_cast<Index>(model_.tally().instances)});
}

// A save that fails is tried again later: the stream goes on, and what was saved last is still there.
void Learner::save_if_due() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(asked_to_save_, false)) {
      saved_at_ = Clock::time_point{};
    } else if (!save_due()) {
      return;
    }
  }
  if (!unsaved_) return;
  try {
    save_now();
  } catch (const Error& error) {
    saved_at_ = Clock::now();
    tell_not_saved(error);
  }
}

void Learner::tell_not_saved(const Error& error) {
  const std::lock_guard lock(mutex_);
  events_.push_back({.kind = StreamEvent::Kind::not_saved, .text = error.what()});
}

void Learner::work() {
  try {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto until = saved_at_ + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(std::min(setup_.save_seconds, 1e6)));
      const auto awake = [&] { return !jobs_.empty() || ending_ || asked_to_save_; };
      if (unsaved_) {
        changed_.wait_until(lock, until, awake);
      } else {
        changed_.wait(lock, awake);
      }
      if (!jobs_.empty()) {
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        waiting_bytes_ -= job.bytes;
        learning_ = true;
        lock.unlock();
        changed_.notify_all();
        learn_now(std::move(job));
        lock.lock();
      }
      const bool idle = jobs_.empty();
      // A save that was asked for holds what was handed over before.
      const bool save = asked_to_save_ ? idle : save_due();
      if (save) {
        learning_ = true;
        lock.unlock();
        save_if_due();
        lock.lock();
      }
      learning_ = false;
      if (ending_ && jobs_.empty()) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    learning_ = false;
  }
  changed_.notify_all();
}

void Learner::save_soon() {
  {
    const std::lock_guard lock(mutex_);
    asked_to_save_ = true;
  }
  changed_.notify_all();
  if (!thread_.joinable() && !failure_) save_if_due();
}

void Learner::tick() {
  if (!thread_.joinable() && !failure_) return save_if_due();
  const std::lock_guard lock(mutex_);
  rethrow();
}

void Learner::finish() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  rethrow();
  if (!unsaved_) return;
  try {
    save_now();
  } catch (const Error& error) {
    tell_not_saved(error);
    throw;
  }
}

void Learner::note_undelivered(UndeliveredRows rows) {
  setup_.record.undelivered = std::move(rows);
  save_now();
}

bool Learner::busy() const {
  const std::lock_guard lock(mutex_);
  return learning_ || !jobs_.empty();
}

std::shared_ptr<const Placer> Learner::placing() const {
  const std::lock_guard lock(mutex_);
  return placing_;
}

std::vector<StreamEvent> Learner::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

}  // namespace omvc
