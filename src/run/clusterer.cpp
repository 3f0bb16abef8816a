#include "omvc/clusterer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "model/telling.hpp"
#include "run/impl.hpp"
#include "source/ahead/chunk_stream.hpp"

namespace omvc {

Clusterer::Impl::Impl(Options chosen) : options(std::move(chosen)) {
  check_options(options);
  workers.set_threads(options.threads);
}

const Schema& Clusterer::Impl::schema() const {
  static const Schema none;
  if (model) return model->schema();
  return other ? other->setting().schema : none;
}

void Clusterer::Impl::check_labels() const {
  if (other || (model && model->has_clusters())) return;
  throw Error(ErrorKind::usage, model
                                    ? "the model has learned too few instances to have clusters yet: learn more of them"
                                    : "the model has learned nothing yet: call fit or partial_fit first");
}

Model& Clusterer::Impl::living() {
  if (model && model->can_learn()) return *model;
  if (model) throw Error(ErrorKind::usage, "this model was saved for prediction only: it can neither learn nor be cut");
  if (other) {
    throw Error(ErrorKind::usage,
                fmt::format("a model of method {} neither goes on learning nor can it be cut into other "
                            "clusters: fit again with method omvc",
                            name_of(other->setting().options.method)));
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

ChunkReport Clusterer::partial_fit(Chunk chunk) {
  if (impl_->model || impl_->other) return partial_fit(std::move(chunk), impl_->schema());
  Schema schema;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    schema.views.push_back({fmt::format("view{}", v + 1), block_cols(chunk.views[v].block), {}});
  }
  return partial_fit(std::move(chunk), schema);
}

ChunkReport Clusterer::partial_fit(Chunk chunk, const Schema& schema) {
  if (impl_->options.method != Algorithm::omvc) {
    throw Error(ErrorKind::usage, fmt::format("only method omvc learns chunk by chunk, not {}: call fit",
                                              name_of(impl_->options.method)));
  }
  if (!impl_->model && !impl_->other) {
    Setting setting{.options = impl_->options, .schema = {}, .scaling = {}, .clipped = {}};
    setting.start(schema);
    check_chunk(chunk, schema);
    impl_->model.emplace(impl_->options, schema);
  }
  Model& model = impl_->living();
  if (schema != model.schema()) {
    throw Error(ErrorKind::data, "the chunk has other views or features than the model; match them first");
  }
  check_chunk(chunk, schema);
  model.learn(std::move(chunk), impl_->workers.get());
  return {.pass = 1, .chunk = 0, .instances = instances(), .loss = model.built() ? model.placing().mean_distance() : 0};
}

void Clusterer::refresh() { impl_->living().refresh(impl_->workers.get()); }

void Clusterer::cut(int clusters) {
  if (clusters == 1 || clusters < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} clusters cannot be cut: ask for 2 or more, or 0 to let the data say", clusters));
  }
  Model& model = impl_->living();
  if (!model.built()) impl_->check_labels();
  model.set_clusters(clusters);
  impl_->options.clusters = clusters;
  model.cut(clusters, !model.has_clusters(), impl_->workers.get());
  model.rest();
}

std::vector<ClusterEvent> Clusterer::events() {
  return impl_->model ? impl_->model->take_events() : std::vector<ClusterEvent>{};
}

std::vector<CutLevel> Clusterer::tree(int most) { return impl_->living().tree(most, impl_->workers.get()); }

Assignment Clusterer::assign(Chunk chunk) const {
  impl_->check_labels();
  check_chunk(chunk, impl_->schema());
  check_magnitudes(chunk, impl_->schema());
  const std::lock_guard lock(impl_->sharing);
  if (impl_->other) return impl_->other->assign(std::move(chunk), impl_->workers.get());
  const Model& model = *impl_->model;
  model.match_kinds(chunk);
  model.scale(chunk);
  const PreparedChunk data(chunk);
  Placed placed = model.place(data, impl_->workers.get());
  Matrix rows = model.embed(data, impl_->workers.get());
  for (std::size_t i = 0; i < data.observed.size(); ++i) {
    if (!data.observed[i]) rows.row(static_cast<Index>(i)).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return {.labels = std::move(placed.labels),
          .confidence = std::move(placed.confidence),
          .distance = std::move(placed.distance),
          .embedding = {rows.data(), rows.data() + rows.size()}};
}

Index Clusterer::assign(Source& source, Sink& sink, Observer& observer, Index chunk) const {
  constexpr Index kRows = 256;
  impl_->check_labels();
  if (chunk == 0) chunk = std::max(impl_->options.chunk, kRows);
  ChunkStream stream(source, impl_->schema(), chunk, nullptr);
  ChunkReport report{.pass = 1, .labelling = true};
  while (std::optional<StreamedChunk> item = stream.next()) {
    const Assignment found = assign(std::move(item->chunk));
    const auto count = static_cast<Index>(found.labels.size());
    sink.write(
        {report.instances, found.labels, {found.embedding.data(), count, rank()}, found.confidence, found.distance});
    report.instances += count;
    ++report.chunk;
    if (observer.on_chunk(report)) continue;
    throw Error(ErrorKind::interrupted,
                fmt::format("interrupted after {} instances; no output was written", report.instances));
  }
  sink.finish();
  return report.instances;
}

const Options& Clusterer::options() const { return impl_->options; }
const Schema& Clusterer::schema() const { return impl_->schema(); }
bool Clusterer::learns() const { return impl_->model && impl_->model->can_learn(); }

Index Clusterer::instances() const {
  if (impl_->model) return static_cast<Index>(impl_->model->instances());
  return impl_->other ? static_cast<Index>(impl_->other->instances()) : 0;
}

int Clusterer::rank() const {
  if (impl_->model) return impl_->model->rank();
  return impl_->other ? impl_->other->rank() : 0;
}

std::span<const double> Clusterer::basis(std::size_t view) const {
  const Factorisation* factors = impl_->other ? impl_->other->factors() : nullptr;
  if (impl_->model && impl_->model->built()) factors = &impl_->model->factors();
  if (factors == nullptr) return {};
  const Matrix& U = factors->state().views.at(view).U;
  return {U.data(), static_cast<std::size_t>(U.size())};
}

std::vector<int> Clusterer::clusters() const {
  std::vector<int> numbers;
  if (impl_->model) {
    numbers = impl_->model->clusters().numbers;
  } else if (impl_->other) {
    for (int k = 0; k < impl_->options.clusters; ++k) numbers.push_back(k);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<double> Clusterer::cluster_sizes() const {
  if (impl_->model) return impl_->model->sizes();
  return impl_->other ? impl_->other->sizes() : std::vector<double>{};
}

const std::optional<ClusterChoice>& Clusterer::choice() const {
  static const std::optional<ClusterChoice> none;
  return impl_->model ? impl_->model->choice() : none;
}

std::string Clusterer::found_by() const { return impl_->model ? impl_->model->clusters().found_by : ""; }
Index Clusterer::prototypes() const { return impl_->model ? impl_->model->fine().size() : 0; }

void Clusterer::set_threads(int threads) {
  Options changed = impl_->options;
  changed.threads = threads;
  check_options(changed);
  impl_->options = changed;
  impl_->workers.set_threads(threads);
}

std::vector<ViewReport> Clusterer::views() const {
  if (impl_->model) return impl_->model->views();
  return impl_->other ? impl_->other->views() : std::vector<ViewReport>{};
}

std::vector<Feature> Clusterer::top_features(std::size_t view, int cluster, int count) const {
  impl_->check_labels();
  std::vector<int> numbers = impl_->model ? impl_->model->clusters().numbers : clusters();
  const auto found = std::find(numbers.begin(), numbers.end(), cluster);
  if (view >= schema().views.size() || found == numbers.end() || count < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("there are no {} features of cluster {} in view {}", count, cluster, view));
  }
  const Matrix profiles = impl_->model ? impl_->model->profiles(view) : impl_->other->profiles(view);  // d x K
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
