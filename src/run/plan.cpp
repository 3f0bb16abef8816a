// The steps of run/steps.hpp as values in bytes: archives that say what they are and what they were made with.
//
//     plan/kind      text   look, ranks, state, task, counts or tally
//     plan/options   text   options and views, which all values of one plan have in common
#include "omvc/plan.hpp"

#include <fmt/format.h>

#include "omvc/error.hpp"

#include "device/device.hpp"
#include "run/model_file.hpp"
#include "run/steps.hpp"

namespace omvc {
namespace {

constexpr const char* kKind = "plan/kind";
constexpr const char* kGround = "plan/options";

std::string to_bytes(Archive archive, const char* kind, const Plan& plan) {
  archive.put(kKind, kind);
  archive.put(kGround, common_ground(plan.options(), plan.schema()));
  return archive.to_bytes();
}

// Throws ErrorKind::data unless they are of one of these kinds and of this plan, made here or elsewhere.
Archive from_bytes(const std::string& bytes, std::string_view kinds, const Plan& plan) {
  Archive archive = Archive::from_bytes(bytes, fmt::format("the {} of a plan", kinds));
  const std::string kind = archive.has(kKind) ? archive.text(kKind) : "model or checkpoint";
  if (kinds.find(kind) == std::string::npos) {
    throw Error(ErrorKind::data, fmt::format("the {} of a plan is needed here, and this is a {}", kinds, kind));
  }
  if (archive.text(kGround) != common_ground(plan.options(), plan.schema())) {
    throw Error(ErrorKind::data, fmt::format("this {} was made with other options, or for other views", kind));
  }
  return archive;
}

// The rows of a part with their numbers in all the data.
class PartSource final : public Source {
 public:
  PartSource(Source& part, Index first, const Schema& schema) : part_(part), first_(first) {
    if (first < 0) throw Error(ErrorKind::usage, fmt::format("a part cannot begin at row {}", first));
    if (part.schema() == schema) return;
    throw Error(ErrorKind::data, "a part of the data has other views or features than the plan; match them first");
  }
  const Schema& schema() const override { return part_.schema(); }
  bool rewind() override { return false; }
  std::optional<Chunk> next(Index max_rows) override {
    std::optional<Chunk> chunk = part_.next(max_rows);
    if (!chunk) return chunk;
    for (Index& row : chunk->rows) {
      if (row != seen_++) throw Error(ErrorKind::data, "the rows of a part have to come in the order of their numbers");
      row += first_;
    }
    return chunk;
  }

 private:
  Source& part_;
  Index first_;
  Index seen_ = 0;
};

void check_go_on(bool go_on) {
  if (!go_on) throw Error(ErrorKind::interrupted, "interrupted; this step of the plan is not done");
}

// Threads that ask the observer from time to time.
class WatchedCompute {
 public:
  WatchedCompute(const Options& options, Observer& observer) : compute_(options.threads) {
    compute_.hold_backend(make_backend(options));
    compute_.set_poll([&observer] { check_go_on(observer.on_wait()); });
  }
  operator Compute&() { return compute_; }

 private:
  Compute compute_;
};

Look load_look(const std::string& look, const Plan& plan) {
  return Look::load(from_bytes(look, "look", plan), plan.options(), plan.schema());
}

std::string save_look(const Look& look, const Plan& plan) {
  Archive archive;
  look.save(archive);
  return to_bytes(std::move(archive), "look", plan);
}

Reservoir::Ranking load_ranks(const std::string& bytes, const Plan& plan) {
  const Archive archive = from_bytes(bytes, "ranks", plan);
  const std::vector<double>& numbers = archive.numbers("ranks", kFinite);
  if (numbers.size() % 2 != 0) throw Error(ErrorKind::data, "the ranks of a plan are incomplete");
  Reservoir::Ranking out;
  for (std::size_t i = 0; i < numbers.size(); i += 2) out.emplace_back(numbers[i], numbers[i + 1]);
  return out;
}

std::string save_ranks(const Reservoir::Ranking& ranking, const Plan& plan) {
  std::vector<double> numbers;
  for (const auto& [priority, size] : ranking) numbers.insert(numbers.end(), {priority, size});
  Archive archive;
  archive.put("ranks", std::move(numbers));
  return to_bytes(std::move(archive), "ranks", plan);
}

Fitting started(const Plan& plan) {
  Fitting fit;
  fit.setting.options = plan.options();
  fit.setting.start(plan.schema());
  return fit;
}

// A state with the whole model, a task with what parts need.
struct PlanState {
  Fitting fit;
  std::vector<Index> single = {};  // of each view: whether the sample holds it in single precision, where it is all

  std::string bytes(bool whole, const Plan& plan) const {
    Archive archive;
    fit.put(archive, whole);
    archive.put("plan/single", single);
    return to_bytes(std::move(archive), whole ? "state" : "task", plan);
  }

  static PlanState from(const std::string& bytes, const char* kind, const Plan& plan) {
    const Archive archive = from_bytes(bytes, kind, plan);
    PlanState out{.fit = started(plan)};
    out.fit.get(archive);
    out.single = archive.integers("plan/single");
    if (out.fit.passes == 0 && out.single.size() != plan.schema().views.size()) {
      throw Error(ErrorKind::data, fmt::format("the {} of a plan does not fit its views", kind));
    }
    if (out.fit.model->clusters().count == 0) {
      throw Error(ErrorKind::data, fmt::format("the {} of a plan has no model", kind));
    }
    return out;
  }
};

bool is_single(const Block& block) {
  return std::visit([](const auto& X) { return std::is_same_v<typename std::decay_t<decltype(X)>::Scalar, float>; },
                    block);
}

}  // namespace

Plan::Plan(Options options, Schema schema) : options_(std::move(options)), schema_(std::move(schema)) {
  check_options(options_);
  if (options_.method != Algorithm::omvc) {
    throw Error(ErrorKind::usage, fmt::format("method {} cannot be divided among parts of the data: only omvc can",
                                              name_of(options_.method)));
  }
  if (options_.half_life > 0) {
    throw Error(ErrorKind::usage, "with a half-life data are a stream, which cannot be divided: leave it out");
  }
  started(*this);
}

std::string Plan::look(Source& part, Index first, Observer& observer) const {
  WatchedCompute compute(options_, observer);
  PartSource source(part, first, schema_);
  return save_look(omvc::look(source, {.first = first, .whole = false}, started(*this).setting, observer, compute),
                   *this);
}

std::string Plan::merge_looks(const std::string& one, const std::string& other) const {
  Compute alone;
  Look look = load_look(one, *this);
  look.merge(load_look(other, *this), alone);
  return save_look(look, *this);
}

std::string Plan::ranks(const std::string& look) const {
  return save_ranks(Reservoir::cut(load_look(look, *this).sample.ranking(), reservoir_options(options_)), *this);
}

std::string Plan::merge_ranks(const std::string& one, const std::string& other) const {
  Reservoir::Ranking all = load_ranks(one, *this);
  const Reservoir::Ranking more = load_ranks(other, *this);
  all.insert(all.end(), more.begin(), more.end());
  return save_ranks(Reservoir::cut(std::move(all), reservoir_options(options_)), *this);
}

std::string Plan::trim(const std::string& look, const std::string& ranks) const {
  Look loaded = load_look(look, *this);
  Compute compute(options_.threads);
  loaded.sample.keep_below(load_ranks(ranks, *this), compute);
  return save_look(loaded, *this);
}

std::string Plan::make(const std::string& look, Observer& observer) const {
  WatchedCompute compute(options_, observer);
  Look loaded = load_look(look, *this);
  if (!loaded.survey.gapless()) {
    throw Error(ErrorKind::data,
                "the looks at some parts of the data are missing, or parts have other places than they were given");
  }
  PlanState made{.fit = started(*this)};
  take_look(made.fit, std::move(loaded), compute);
  omvc::make(made.fit, compute);
  if (made.fit.passes == 0) {
    for (const ChunkView& view : made.fit.model->seen().reservoir().chunks().front().views) {
      made.single.push_back(is_single(view.block));
    }
  }
  return made.bytes(true, *this);
}

bool Plan::wants_pass(const std::string& state) const {
  const Archive archive = from_bytes(state, "state task", *this);
  const std::vector<Index>& position = archive.integers("checkpoint/position");
  return position.size() > 1 && position[1] == 0;
}

std::string Plan::task(const std::string& state) const {
  return PlanState::from(state, "state", *this).bytes(false, *this);
}

std::string Plan::count(const std::string& task, Source& part, Index first, Observer& observer) const {
  WatchedCompute compute(options_, observer);
  const PlanState known = PlanState::from(task, "task", *this);
  const FitPosition& position = known.fit.state.position;
  if (position.labelling) throw Error(ErrorKind::usage, "no pass is left to count: label the parts");
  PartSource source(part, first, schema_);
  Counts counts(schema_, known.fit.model->placing().size());
  omvc::count(
      known.fit, source, first, counts, nullptr, nullptr,
      [&](const Pass& pass, const std::vector<StreamedChunk>&) {
        check_go_on(observer.on_chunk({.pass = position.pass,
                                       .chunk = pass.progress().chunks,
                                       .instances = pass.progress().instances,
                                       .loss = counts.sums.mean_distance(),
                                       .rounds = 1}));
        return true;
      },
      compute);
  Archive archive;
  counts.put(archive);
  return to_bytes(std::move(archive), "counts", *this);
}

std::string Plan::merge_counts(const std::string& one, const std::string& other) const {
  const Archive first = from_bytes(one, "counts", *this);
  const auto prototypes = static_cast<Index>(first.numbers("counted/mass").size());
  Counts sum = Counts::get(first, schema_, prototypes);
  sum.merge(Counts::get(from_bytes(other, "counts", *this), schema_, prototypes));
  Archive archive;
  sum.put(archive);
  return to_bytes(std::move(archive), "counts", *this);
}

std::string Plan::end_pass(const std::string& state, const std::string& counts) const {
  Compute compute(options_.threads);
  PlanState known = PlanState::from(state, "state", *this);
  Fitting& fit = known.fit;
  FitPosition& position = fit.state.position;
  if (position.labelling) throw Error(ErrorKind::usage, "no pass is left to end: label the parts");
  Counts all = Counts::get(from_bytes(counts, "counts", *this), schema_, fit.model->placing().size());
  check_same_data(fit.state, all.progress);
  omvc::end_pass(fit, std::move(all), position.pass >= fit.passes, compute);
  position.report.pass = position.pass;
  position.report.instances = position.progress.instances;
  position.report.chunks = position.progress.chunks;
  fit.state.report.loss = position.report.loss;
  fit.state.report.passes.push_back(position.report);
  const int next = position.pass + 1;
  position = {};
  position.pass = next;
  position.labelling = next > fit.passes;
  return known.bytes(true, *this);
}

std::string Plan::label(const std::string& task, Source& part, Index first, Sink& sink, Observer& observer) const {
  WatchedCompute compute(options_, observer);
  const PlanState known = PlanState::from(task, "task", *this);
  if (!known.fit.state.position.labelling)
    throw Error(ErrorKind::usage, "a pass is left to count before parts are labelled");
  PartSource source(part, first, schema_);
  const Tally tally = omvc::label(
      known.fit, source, first, known.single, sink,
      [&](const Pass& pass, const std::vector<StreamedChunk>&) {
        check_go_on(observer.on_chunk(
            {.pass = std::max(1, known.fit.passes), .instances = pass.progress().instances, .labelling = true}));
        return true;
      },
      compute);
  Archive archive;
  tally.put(archive);
  return to_bytes(std::move(archive), "tally", *this);
}

std::string Plan::merge_tallies(const std::string& one, const std::string& other) const {
  const std::size_t views = schema_.views.size();
  Tally sum = Tally::get(from_bytes(one, "tally", *this), views);
  sum.merge(Tally::get(from_bytes(other, "tally", *this), views));
  Archive archive;
  sum.put(archive);
  return to_bytes(std::move(archive), "tally", *this);
}

std::pair<std::string, Report> Plan::finish(const std::string& state, const std::string& tally) const {
  PlanState known = PlanState::from(state, "state", *this);
  Fitting& fit = known.fit;
  const Tally all = Tally::get(from_bytes(tally, "tally", *this), schema_.views.size());
  check_same_data(fit.state, all.progress);
  fit.model->tally().negatives = fit.setting.clipped;
  describe_model(fit);
  const std::size_t clusters = fit.state.report.cluster_numbers.size();
  describe_labels(fit, all.counts);
  if (fit.state.report.cluster_numbers.size() != clusters) {
    throw Error(ErrorKind::data, "the tally is not of this model");
  }
  return {model_archive(*fit.model, true).to_bytes(), fit.state.report};
}

}  // namespace omvc
