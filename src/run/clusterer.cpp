#include "omvc/clusterer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "compare/fit.hpp"
#include "model/facts.hpp"
#include "model/telling.hpp"
#include "pass/labeller.hpp"
#include "run/fit.hpp"
#include "run/impl.hpp"

namespace omvc {

Clusterer::Impl::Impl(Options chosen) : options(std::move(chosen)) {
  check_options(options);
  compute.set_threads(options.threads);
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

Report Clusterer::fit(Source& source, Sink& sink) {
  Observer silent;
  return fit(source, sink, silent);
}

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing) {
  Exchange alone;
  return fit(source, sink, observer, checkpointing, alone);
}

Report Clusterer::fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing,
                      Exchange& exchange) {
  const FitInput input{impl_->compute.get(), source, sink, observer, checkpointing};
  if (impl_->options.method != Algorithm::omvc) {
    if (exchange.size() > 1) {
      throw Error(ErrorKind::usage, fmt::format("method {} runs in one process: start it without mpirun",
                                                name_of(impl_->options.method)));
    }
    CompareFit run(impl_->options, input);
    Report report = run.run();
    impl_->model.reset();
    impl_->compared = std::make_shared<CompareModel>(run.take_model());
    return report;
  }
  Fit run(impl_->options, input, exchange);
  Report report = run.run();
  if (exchange.rank() > 0) return report;
  impl_->model = run.take_model();
  impl_->compared.reset();
  return report;
}

Assignment Clusterer::partial_fit(Chunk chunk) {
  if (impl_->model || impl_->compared) return partial_fit(std::move(chunk), impl_->schema());
  Schema schema;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    schema.views.push_back({fmt::format("view{}", v + 1), block_cols(chunk.views[v].block), {}});
  }
  return partial_fit(std::move(chunk), schema);
}

Assignment Clusterer::partial_fit(Chunk chunk, const Schema& schema) {
  if (impl_->options.method != Algorithm::omvc) {
    throw Error(ErrorKind::usage, fmt::format("only method omvc learns chunk by chunk, not {}: call fit",
                                              name_of(impl_->options.method)));
  }
  if (!impl_->model && !impl_->compared) {
    Setting setting{.options = impl_->options, .schema = {}, .scaling = {}, .clipped = {}};
    setting.start(schema);
    Intake::check(chunk, schema);
    impl_->model.emplace(impl_->options, schema);
  }
  Model& model = impl_->living();
  if (schema != model.intake().schema()) {
    throw Error(ErrorKind::data, "the chunk has other views or features than the model; match them first");
  }
  const Chunk learned = chunk;
  const Index generation = model.names().generation();
  std::optional<Placed> placed = model.learn(std::move(chunk), impl_->compute.get()).placed;
  const bool made_again = model.names().generation() != generation;
  model.names().forget_moves();
  if (!placed || made_again) return model.placer() ? assign(learned) : Assignment{};
  return {.labels = std::move(placed->labels),
          .confidence = std::move(placed->confidence),
          .distance = std::move(placed->distance),
          .embedding = {}};
}

void Clusterer::refresh() { impl_->living().refresh(impl_->compute.get()); }

void Clusterer::cut(int clusters) {
  if (clusters == 1 || clusters < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} clusters cannot be cut: ask for 2 or more, or 0 to let the data say", clusters));
  }
  Model& model = impl_->living();
  if (!model.prototypes().factors) impl_->labeller();
  model.cut(clusters, impl_->compute.get());
  model.rest();
  impl_->options.clusters = clusters;
}

std::vector<ClusterEvent> Clusterer::events() {
  return impl_->model ? impl_->model->names().take_events() : std::vector<ClusterEvent>{};
}

std::vector<CutLevel> Clusterer::tree(int most) {
  std::vector<CutLevel> levels = cluster_tree(impl_->living(), most, impl_->compute.get());
  impl_->living().rest();
  return levels;
}

Assignment Clusterer::assign(Chunk chunk, bool embedding) const {
  const std::shared_ptr<const Labeller> labeller = impl_->labeller();
  const std::lock_guard lock(impl_->sharing);
  return labeller->label(std::move(chunk), embedding, impl_->compute.get());
}

Index Clusterer::assign(Source& source, Sink& sink, Observer& observer, Index chunk) const {
  constexpr Index kRows = 256;
  const std::shared_ptr<const Labeller> labeller = impl_->labeller();
  if (chunk == 0) chunk = std::max(impl_->options.chunk, kRows);
  const std::lock_guard lock(impl_->sharing);
  return label_source(*labeller, source, sink, observer, chunk, impl_->compute.get());
}

const Options& Clusterer::options() const { return impl_->options; }
const Schema& Clusterer::schema() const { return impl_->schema(); }
bool Clusterer::learns() const { return impl_->model && impl_->model->can_learn(); }

Index Clusterer::instances() const {
  if (impl_->model) return static_cast<Index>(impl_->model->tally().instances);
  return impl_->compared ? static_cast<Index>(impl_->compared->instances()) : 0;
}

int Clusterer::rank() const {
  if (impl_->model) return impl_->model->prototypes().factors ? impl_->model->prototypes().factors->rank() : 0;
  return impl_->compared ? impl_->compared->rank() : 0;
}

std::span<const double> Clusterer::basis(std::size_t view) const {
  const Factorisation* factors = impl_->compared ? impl_->compared->factors() : nullptr;
  if (impl_->model) factors = impl_->model->prototypes().factors.get();
  if (factors == nullptr) return {};
  const Matrix& U = factors->state().views.at(view).U;
  return {U.data(), static_cast<std::size_t>(U.size())};
}

std::vector<int> Clusterer::clusters() const {
  std::vector<int> numbers;
  if (impl_->model) {
    numbers = impl_->model->names().numbers();
  } else if (impl_->compared) {
    for (int k = 0; k < impl_->options.clusters; ++k) numbers.push_back(k);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

ModelSummary Clusterer::summary() const {
  ModelSummary out;
  if (impl_->compared) {
    out.cluster_sizes = impl_->compared->sizes();
    out.views = impl_->compared->views();
  }
  if (!impl_->model) return out;
  const Model& model = *impl_->model;
  out.cluster_sizes = cluster_sizes(model);
  out.choice = model.clusters().choice;
  out.found_by = model.clusters().found_by;
  out.prototypes = model.prototypes().size();
  out.set_aside = static_cast<Index>(model.set_aside().ever());
  if (model.clusters().count > 0) out.mean_distance = model.placing().sums().mean_distance();
  out.views = view_reports(model);
  return out;
}

void Clusterer::set_threads(int threads) {
  Options changed = impl_->options;
  changed.threads = threads;
  check_options(changed);
  impl_->options = changed;
  impl_->compute.set_threads(threads);
}

std::vector<Feature> Clusterer::top_features(std::size_t view, int cluster, int count) const {
  impl_->labeller();
  std::vector<int> numbers = impl_->model ? impl_->model->names().numbers() : clusters();
  const auto found = std::find(numbers.begin(), numbers.end(), cluster);
  if (view >= schema().views.size() || found == numbers.end() || count < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("there are no {} features of cluster {} in view {}", count, cluster, view));
  }
  const Matrix profiles =
      impl_->model ? cluster_profiles(*impl_->model, view) : impl_->compared->profiles(view);  // d x K
  std::vector<Feature> features;
  const auto& names = schema().views[view].feature_names;
  for (const Telling& telling : telling_features(profiles, found - numbers.begin(), count)) {
    const auto j = static_cast<std::size_t>(telling.feature);
    const double mean = profiles.row(telling.feature).mean();
    features.push_back({.number = telling.feature,
                        .name = names.empty() ? fmt::format("{}", j) : names[j],
                        .weight = telling.own,
                        .lift = mean != 0 ? telling.own / mean : 0,
                        .high = telling.high()});
  }
  return features;
}

}  // namespace omvc
