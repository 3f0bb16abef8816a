#include "omvc/clusterer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "compare/fit.hpp"
#include "device/device.hpp"
#include "model/chunk_learner.hpp"
#include "model/facts.hpp"
#include "pass/labeller.hpp"
#include "run/fit.hpp"
#include "run/impl.hpp"

namespace omvc {
namespace {

void log_fit(const Report& report, const Compute& compute) {
  for (const std::string& warning : report.warnings) compute.log(LogLevel::warning, warning);
  compute.log(LogLevel::info, fmt::format("learned {} instances in {:.3g} s: {} clusters", report.instances,
                                          report.seconds, report.cluster_sizes.size()));
}

void log_learned(const Learned& learned, bool made_again, const Model& model, const Compute& compute) {
  if (!learned.not_built.empty()) {
    compute.log(LogLevel::warning, "prototypes could not be made again, and stay as they are: " + learned.not_built);
  }
  if (!learned.strange.empty()) {
    compute.log(LogLevel::warning,
                fmt::format("{} rows, the first of them {}, lie far outside of what view {} has shown: they are not "
                            "learned until many agree with them",
                            learned.strange.size(), learned.strange[0].row,
                            model.intake().schema().views[learned.strange[0].outside.view].name));
  }
  if (made_again) {
    compute.log(LogLevel::info,
                fmt::format("prototypes and clusters were made again after {:.0f} instances: {} clusters",
                            model.tally().instances, model.clusters().count));
  }
}

// Views by their numbers.
Schema plain_schema(const Chunk& chunk) {
  Schema schema;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    schema.views.push_back({fmt::format("view{}", v + 1), block_cols(chunk.views[v].block), {}});
  }
  return schema;
}

}  // namespace

Clusterer::Impl::Impl(Options chosen) : options(std::move(chosen)) {
  check_options(options);
  compute.set_threads(options.threads);
  compute.set_backend(backend_maker(options));
}

const Schema& Clusterer::Impl::schema() const {
  static const Schema none;
  if (model) return model->intake().schema();
  return compared ? compared->schema() : none;
}

std::shared_ptr<const Labeller> Clusterer::Impl::labeller() const {
  if (compared) return compared;
  if (!model) throw Error(ErrorKind::usage, "the model has learned nothing yet: call fit or partial_fit first");
  if (std::shared_ptr<const Placer> placer = model->placer()) return placer;
  throw Error(ErrorKind::usage, "the model has learned too few instances to have clusters yet: learn more of them");
}

std::vector<double> Clusterer::Impl::state() const {
  std::vector<double> now{model->tally().instances, static_cast<double>(model->names().generation())};
  for (const int number : model->names().numbers()) now.push_back(number);
  const Vector& mass = model->placing().sums().mass;
  now.insert(now.end(), mass.begin(), mass.end());
  return now;
}

const RawSums& Clusterer::Impl::sums() {
  std::vector<double> now = state();
  if (!known_sums || now != known_at) known_sums = cluster_sums(*model, compute.get());
  known_at = std::move(now);
  return *known_sums;
}

Model& Clusterer::Impl::living() {
  if (model && model->can_learn()) return *model;
  if (model) throw Error(ErrorKind::usage, "this model was saved for prediction only: it can neither learn nor be cut");
  if (compared) {
    throw Error(ErrorKind::usage,
                fmt::format("a model of method {} neither goes on learning nor can it be cut into other "
                            "clusters: fit again with method omvc",
                            name_of(compared->setting().options.method)));
  }
  throw Error(ErrorKind::usage, "the model has learned nothing yet: call fit or partial_fit first");
}

Clusterer::Clusterer(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Clusterer::~Clusterer() = default;
Clusterer::Clusterer(Clusterer&&) noexcept = default;
Clusterer& Clusterer::operator=(Clusterer&&) noexcept = default;

Clusterer::Impl& Clusterer::impl() const {
  if (impl_) return *impl_;
  throw Error(ErrorKind::usage, "this Clusterer was moved from: use the one that it was moved to");
}

Fitted Clusterer::fit(const FitData& data) {
  MemorySink sink;
  Fitted out{.report = fit(data, sink), .found = {}};
  out.found = sink.take();
  return out;
}

Report Clusterer::fit(const FitData& data, Sink& sink, const FitWith& with) {
  Observer silent;
  Exchange alone;
  Exchange& exchange = with.exchange != nullptr ? *with.exchange : alone;
  const Usage::Change change(impl().usage);
  const FitInput input{impl().compute.get(), data.source(), sink, with.observer != nullptr ? *with.observer : silent,
                       with.checkpointing};
  if (impl().options.method != Algorithm::omvc) {
    if (exchange.size() > 1) {
      throw Error(ErrorKind::usage, fmt::format("method {} runs in one process: start it without mpirun",
                                                name_of(impl().options.method)));
    }
    CompareFit run(impl().options, input);
    Report report = run.run();
    impl().model.reset();
    impl().compared = std::make_shared<CompareModel>(run.take_model());
    log_fit(report, input.compute);
    return report;
  }
  Fit run(impl().options, input, exchange);
  Report report = run.run();
  if (exchange.rank() > 0) return report;
  impl().model = run.take_model();
  impl().compared.reset();
  log_fit(report, input.compute);
  return report;
}

Assignment Clusterer::partial_fit(Chunk chunk, const std::optional<Schema>& schema) {
  const Usage::Change change(impl().usage);
  if (impl().options.method != Algorithm::omvc) {
    throw Error(ErrorKind::usage, fmt::format("only method omvc learns chunk by chunk, not {}: call fit",
                                              name_of(impl().options.method)));
  }
  if (!impl().model && !impl().compared) {
    Setting setting{.options = impl().options, .schema = {}, .scaling = {}, .clipped = {}};
    const Schema first = schema ? *schema : plain_schema(chunk);
    setting.start(first);
    Intake::check(chunk, first);
    impl().model.emplace(impl().options, first);
  }
  Model& model = impl().living();
  if (schema && *schema != model.intake().schema()) {
    throw Error(ErrorKind::data, "the chunk has other views or features than the model; match them first");
  }
  const Chunk learned = chunk;
  const Index generation = model.names().generation();
  Compute& compute = impl().compute.get();
  ChunkLearner learner(model);
  const Watched watched(compute, &learner);
  Learned learning = learner.learn(std::move(chunk), compute);
  std::optional<Placed>& placed = learning.placed;
  const bool made_again = model.names().generation() != generation;
  model.names().forget_moves();
  log_learned(learning, made_again, model, compute);
  if (!placed || made_again) return model.placer() ? model.placer()->label(learned, {}, compute) : Assignment{};
  return {.labels = std::move(placed->labels),
          .confidence = std::move(placed->confidence),
          .distance = std::move(placed->distance),
          .embedding = {}};
}

void Clusterer::refresh() {
  const Usage::Change change(impl().usage);
  Compute& compute = impl().compute.get();
  const Watched watched(compute);
  ChunkLearner(impl().living()).refresh(compute);
}

void Clusterer::cut(int clusters) {
  if (clusters == 1 || clusters < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} clusters cannot be cut: ask for 2 or more, or 0 to let the data say", clusters));
  }
  const Usage::Change change(impl().usage);
  Model& model = impl().living();
  if (!model.prototypes().factors) impl().labeller();
  Compute& compute = impl().compute.get();
  const Watched watched(compute);
  const Rest rest{model};
  model.cut(clusters, compute);
  impl().options.clusters = clusters;
}

std::vector<ClusterEvent> Clusterer::events() {
  return impl().model ? impl().model->names().take_events() : std::vector<ClusterEvent>{};
}

Assignment Clusterer::assign(Chunk chunk, Extras extras) const {
  const Usage::Read read(impl().usage);
  const std::shared_ptr<const Labeller> labeller = impl().labeller();
  return impl().share([&](Compute& compute) { return labeller->label(std::move(chunk), extras, compute); });
}

Snapshot Clusterer::snapshot() const {
  const Usage::Read read(impl().usage);
  return Snapshot(impl().labeller(), clusters());
}

Index Clusterer::assign(Source& source, Sink& sink, Observer& observer, Index chunk) const {
  constexpr Index kRows = 256;
  const Usage::Read read(impl().usage);
  const std::shared_ptr<const Labeller> labeller = impl().labeller();
  if (chunk == 0) chunk = std::max(impl().options.chunk, kRows);
  return impl().share(
      [&](Compute& compute) { return label_source(*labeller, source, sink, observer, chunk, compute); });
}

const Options& Clusterer::options() const { return impl().options; }
const Schema& Clusterer::schema() const { return impl().schema(); }

std::vector<int> Clusterer::clusters() const {
  std::vector<int> numbers;
  if (impl().model) {
    numbers = impl().model->names().numbers();
  } else if (impl().compared) {
    for (int k = 0; k < impl().options.clusters; ++k) numbers.push_back(k);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

ModelSummary Clusterer::summary() const {
  const Usage::Read read(impl().usage);
  ModelSummary out;
  if (impl().compared) {
    out.instances = static_cast<Index>(impl().compared->instances());
    out.rank = impl().compared->rank();
    out.cluster_sizes = impl().compared->sizes();
    out.views = impl().compared->views();
  }
  if (!impl().model) return out;
  const Model& model = *impl().model;
  out.instances = static_cast<Index>(model.tally().instances);
  out.rank = model.prototypes().factors ? model.prototypes().factors->rank() : 0;
  out.learns = model.can_learn();
  out.cluster_sizes = cluster_sizes(model);
  out.choice = model.clusters().choice;
  out.found_by = model.clusters().found_by;
  out.prototypes = model.prototypes().size();
  out.set_aside = static_cast<Index>(model.seen().aside().ever());
  if (model.clusters().count > 0) out.mean_distance = model.placing().sums().mean_distance();
  out.views = view_reports(model);
  return out;
}

void Clusterer::set_hooks(Hooks hooks) {
  const Usage::Change change(impl().usage);
  impl().compute.set_hooks(std::move(hooks));
}

void Clusterer::set_threads(int threads, const std::string& device) {
  Options changed = impl().options;
  changed.threads = threads;
  if (!device.empty()) changed.device = device;
  check_options(changed);
  impl().compute.set_backend(backend_maker(changed));
  impl().options = changed;
  impl().compute.set_threads(threads);
}

}  // namespace omvc
