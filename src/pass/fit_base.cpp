#include "pass/fit_base.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

namespace omvc {

FitBase::FitBase(const Options& options, const FitInput& input, Setting& setting, FitState& state)
    : setting_(setting),
      compute_(input.compute),
      data_(input.source),
      sink_(input.sink),
      observer_(input.observer),
      keep_(input.checkpointing),
      kept_in_(input.checkpointing.file),
      due_(input.checkpointing),
      profile_(input.compute.profile()),
      state_(state),
      position_(state.position),
      report_(state.report) {
  expected_ = input.source.size().value_or(0);
  setting_.options = options;
  setting_.start(input.source.schema());
  profile_.start();
  compute_.set_poll([this] {
    if (!observer_.on_wait() || compute_.asked_to_stop()) throw Error(ErrorKind::interrupted, interruption());
  });
  compute_.set_told([this](const PhaseReport& now) { observer_.on_phase(now); });
}

std::string FitBase::interruption() const {
  if (kept_in_.empty()) return "interrupted; nothing was written";
  return fmt::format("interrupted; {} holds the last checkpoint: run the same command with --resume to go on",
                     kept_in_);
}

void FitBase::checkpoint() {
  if (keep_.file.empty()) return;
  const Timed timed(profile_, Step::checkpoint);
  const StopWatch watch;
  state_.step_seconds = profile_.seconds();
  position_.seconds = profile_.total();
  Archive archive;
  put_identity(archive, folder_);
  put_state(archive);
  sync();
  folder_.sync();
  archive.save(keep_.file);
  due_.written(watch.seconds());
}

std::optional<Archive> FitBase::last_checkpoint() {
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

void FitBase::blame_checkpoint(const std::function<void()>& resume) const {
  try {
    resume();
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(keep_.file) != std::string::npos) throw;
    throw Error(error.kind(), fmt::format("cannot resume from {}: {}", keep_.file, message));
  }
}

void FitBase::check_data(const Progress& found) const {
  if (found.fingerprint == state_.fingerprint && found.order == state_.order && found.instances == report_.instances) {
    return;
  }
  throw Error(ErrorKind::data,
              fmt::format("cannot resume from {}: the data are not those that the checkpoint was made with, or come in "
                          "another order; resume with the same data, or start again without --resume",
                          keep_.file));
}

void FitBase::begin_timing() {
  tell_learned(0);
  watch_ = StopWatch(position_.report.seconds);
  waited_before_ = position_.report.waited;
}

void FitBase::note_time(const Pass& pass) {
  position_.report.seconds = watch_.seconds();
  position_.report.waited = waited_before_ + pass.waited();
}

bool FitBase::after_chunks(const Pass& pass, const std::vector<StreamedChunk>& items, int rounds) {
  compute_.poll();
  take_products();
  note_time(pass);
  position_.progress = pass.progress();
  tell_learned(pass.progress().instances);
  Index chunk = pass.progress().chunks - static_cast<Index>(items.size());
  Index instances = pass.progress().instances;
  for (const StreamedChunk& item : items) instances -= item.rows;
  bool go_on = true;
  bool due = false;
  for (const StreamedChunk& item : items) {
    instances += item.rows;
    position_.report.rounds += rounds;
    due = due_.due() || due;
    go_on = go_on && observer_.on_chunk({.pass = position_.pass,
                                         .chunk = ++chunk,
                                         .instances = instances,
                                         .loss = position_.report.loss,
                                         .rounds = rounds,
                                         .labelling = position_.labelling});
  }
  if (!go_on && !alone()) throw Error(ErrorKind::interrupted, interruption());
  if (!go_on && !keep_.file.empty()) {
    checkpoint();
    throw Error(ErrorKind::interrupted,
                fmt::format("interrupted; {} holds everything so far: run the same command with --resume to go on",
                            keep_.file));
  }
  if (go_on && due && alone()) checkpoint();
  return go_on;
}

void FitBase::tell_learned(Index instances) const {
  const auto all = static_cast<double>(expected_);
  compute_.tell(Phase::learning, all > 0 ? std::min(1.0, static_cast<double>(instances) / all) : 0);
}

void FitBase::end_report(int next, bool labelling) {
  PassReport& result = position_.report;
  result.pass = position_.pass;
  result.instances = position_.progress.instances;
  result.chunks = position_.progress.chunks;
  result.loss_curve = position_.curve.points();
  report_.loss = result.loss;
  report_.passes.push_back(result);
  position_ = {};
  position_.pass = next;
  position_.labelling = labelling;
}

double bytes_of(const Survey& survey) {
  double bytes = 0;
  for (const ViewSurvey& view : survey.views) {
    bytes += view.sparse ? 12 * view.entries : 8 * view.observed * static_cast<double>(view.sum.size());
  }
  return bytes;
}

double bytes_of_row(const Survey& survey) {
  double bytes = 0;
  for (const ViewSurvey& view : survey.views) {
    bytes += view.sparse ? 12 * view.entries / std::max(1.0, view.observed) : 8 * static_cast<double>(view.sum.size());
  }
  return bytes;
}

void check_survey(const Survey& survey, const Schema& schema, const Options& options) {
  if (survey.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
  const double observed = survey.instances - survey.unobserved;
  if (observed == 0) throw Error(ErrorKind::data, "no instance has any view: all values are missing");
  if (options.clusters > observed) {
    throw Error(ErrorKind::data,
                fmt::format("{} clusters were asked for, but only {:.0f} instances have at least one view; "
                            "ask for fewer clusters",
                            options.clusters, observed));
  }
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string& name = schema.views[v].name;
    if (survey.views[v].observed == 0) {
      throw Error(ErrorKind::data, fmt::format("view {} has no instance present; leave it out", name));
    }
    if (survey.views[v].entries == 0) {
      throw Error(ErrorKind::data, fmt::format("view {} is zero everywhere; leave it out", name));
    }
    if (of_view(options.scaling, v) == Scaling::total && !(survey.views[v].total > 0)) {
      throw Error(ErrorKind::data,
                  fmt::format("view {} has no positive entry, and scaling = total sets negative ones to 0; "
                              "choose scaling = auto or leave the view out",
                              name));
    }
  }
}

namespace {

// Up to three of them, and how many more there are.
std::string some_of(const std::vector<std::string>& texts) {
  constexpr std::size_t kMost = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, texts.size()); ++i) out += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > kMost) {
    const std::size_t more = texts.size() - kMost;
    out += fmt::format("; and {} more column{}", more, more == 1 ? "" : "s");
  }
  return out;
}

}  // namespace

void warn_of_columns(const ViewReport& view, std::vector<std::string>& warnings) {
  std::vector<std::string> far;
  std::vector<std::string> words;
  std::vector<std::string> tails;
  std::string numbers;  // of these words, each once
  bool clipped = false;
  for (const ColumnReport& column : view.columns) {
    const std::string cells = fmt::format("{} cell{}", column.cells, column.cells == 1 ? "" : "s");
    if (column.found == "missing_word") {
      words.push_back(
          fmt::format("{}: {} {} {:.10g}", column.name, cells, column.cells == 1 ? "is" : "are", column.value));
      const std::string number = fmt::format("{:.10g}", column.value);
      if (("," + numbers + ",").find("," + number + ",") == std::string::npos)
        numbers += (numbers.empty() ? "" : ",") + number;
      continue;
    }
    const std::string text = fmt::format("{}: {}, up to {:.6g}", column.name, cells, column.value);
    (column.found == "heavy_tail" ? tails : far).push_back(text);
    clipped = clipped || column.found == "glitches";
  }
  if (!words.empty()) {
    warnings.push_back(
        fmt::format("View {} has numbers that may stand for missing values ({}). If they do, say so with "
                    "--missing-values usual,{} (Python: make them NaN); meanwhile --scaling auto takes them "
                    "as missing.",
                    view.name, some_of(words), numbers));
  }
  if (!far.empty()) {
    warnings.push_back(fmt::format("View {} has values farther than {} interquartile ranges from most others ({}). {}",
                                   view.name, kFence, some_of(far),
                                   clipped ? "They do not set the range of their column, and are brought back to it."
                                           : "The scaling that was asked for leaves them so; auto brings them back."));
  }
  // A few columns of a kind, as in pictures, are no surprise to anybody.
  if (!tails.empty() && static_cast<Index>(tails.size()) * 2 >= view.features) {
    warnings.push_back(
        fmt::format("View {} has {} columns with heavy tails ({}): most rows lie close together there. "
                    "Where ratios matter rather than differences, --scaling log compares logarithms.",
                    view.name, tails.size(), some_of(tails)));
  }
}

void warn_of_views(Report& report) {
  if (report.leading) {
    report.warnings.push_back(fmt::format(
        "One column alone is {:.0f} % of the difference between the clusters: {} of view {}. If that is not "
        "what you are looking for, leave it out (--drop{}). Known classes are there to compare with, not to learn "
        "from.",
        100 * report.leading->share, report.leading->column, report.leading->view,
        report.views.size() > 1 ? fmt::format(" {}={}", report.leading->view, report.leading->column) : ""));
  }
  for (const ViewReport& view : report.views) warn_of_columns(view, report.warnings);
  if (report.unobserved > 0) {
    report.warnings.push_back(
        fmt::format("{} of {} instances have no view at all: they get label -1 and do not influence the "
                    "model.",
                    report.unobserved, report.instances));
  }
  constexpr double kMany = 0.2;
  for (const ViewReport& view : report.views) {
    const double cells = static_cast<double>(view.observed) * static_cast<double>(view.table_columns);
    const double share = cells > 0 ? static_cast<double>(view.missing) / cells : 0;
    if (share <= kMany) continue;
    report.warnings.push_back(
        fmt::format("View {} lacks {:.0f} % of the cells of its {} instances; the mean of each "
                    "feature stands in for them, which draws instances together.",
                    view.name, 100 * share, view.observed));
  }
  std::string negatives;
  for (const ViewReport& view : report.views) {
    if (view.negatives == 0) continue;
    negatives +=
        fmt::format("{}view {}: {} negative entries", negatives.empty() ? "" : ", ", view.name, view.negatives);
  }
  if (!negatives.empty()) {
    report.warnings.push_back(fmt::format("Set to 0, since the factorisation is nonnegative: {}.", negatives));
  }
}

}  // namespace omvc
