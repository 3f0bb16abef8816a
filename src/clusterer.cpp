#include "omvc/clusterer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "engine.hpp"
#include "source/ahead/chunk_stream.hpp"

namespace omvc {

Engine::Engine(Options chosen) : options(std::move(chosen)) {
  check_options(options);
  workers = std::make_unique<Workers>(options.threads);
}

void Engine::start(const Schema& data_schema) {
  schema = data_schema;
  const std::size_t views = schema.views.size();
  if (views == 0) throw Error(ErrorKind::data, "the data have no views");
  for (const auto& [name, values] :
       {std::pair{"alpha", options.alpha.size()}, {"beta", options.beta.size()}, {"scaling", options.scaling.size()}}) {
    if (values == 1 || values == views) continue;
    throw Error(ErrorKind::usage,
                fmt::format("option {} has {} values, and the data have {} views; give one value or one a view", name,
                            values, views));
  }
  scaling.assign(views, {});
  clipped.assign(views, 0);
  factors.reset();
  prototypes = {};
  sample.emplace(kmeans_sample_size(options.clusters), options.seed);
  centres.clear();
}

void Engine::begin() {
  factors = std::make_unique<Omvc>(options, schema, Omvc::choose_rank(options, all_dense()));
  prototypes = Prototypes(schema, options.clusters, unit_views());
}

bool Engine::all_dense() const {
  return std::all_of(scaling.begin(), scaling.end(),
                     [](const ViewScaling& view) { return view.known && !view.unit_rows; });
}

int Engine::rank() const {
  if (factors) return static_cast<int>(factors->state().scale.size());
  return learned() ? options.clusters : 0;
}

double Engine::instances() const { return factors ? factors->state().instances : prototype_instances; }

ViewScaling Engine::scaling_of(std::size_t view, const ViewSurvey& survey) const {
  ViewScaling out = choose_scaling(of_view(options.scaling, view), survey);
  if (takes_signed(options.method)) out.refuse_negatives = false;
  return out;
}

std::vector<bool> Engine::unit_views() const {
  std::vector<bool> unit;
  for (const ViewScaling& view : scaling) unit.push_back(view.unit_rows && options.method == Algorithm::omvc);
  return unit;
}

void Engine::check_learned() const {
  if (!learned()) throw Error(ErrorKind::usage, "the model has learned nothing yet: call fit or partial_fit first");
}

void Engine::check_fits(const Chunk& chunk) const { check_chunk(chunk, schema); }

std::vector<Index> Engine::scale(Chunk& chunk) {
  std::optional<Survey> survey;
  for (std::size_t v = 0; v < scaling.size(); ++v) {
    if (scaling[v].known || chunk.views[v].present.empty()) continue;
    if (!survey) {
      survey.emplace(schema);
      survey->add(chunk);
    }
    scaling[v] = scaling_of(v, survey->views[v]);
    // A total of nothing scales nothing: the first chunk with a positive entry decides.
    if (of_view(options.scaling, v) == Scaling::total && !(survey->views[v].total > 0)) scaling[v].known = false;
  }
  return apply_scaling(scaling, schema, chunk);
}

void Engine::need_centres() {
  if (!centres.empty() || !factors) return;
  std::vector<double> rows = sample->values();
  const RowVector& scale = factors->state().scale;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] *= scale(static_cast<Index>(i) % scale.size());
  find_centres(std::move(rows));
}

void Engine::find_centres(std::vector<double> rows) {
  const Timed timed(workers->profile(), Step::kmeans);
  const Index r = rank();
  const Index count = static_cast<Index>(rows.size()) / r;
  if (count < options.clusters) {
    throw Error(ErrorKind::data,
                fmt::format("{} clusters were asked for, but only {} instances with at least one view were "
                            "learned; ask for fewer clusters",
                            options.clusters, count));
  }
  if (options.unit_rows) to_unit_length(rows.data(), count, r);
  centres = kmeans({rows.data(), count, r}, {.clusters = options.clusters,
                                             .starts = options.restarts,
                                             .seed = options.seed,
                                             .threads = workers->threads()})
                .centres;
}

std::vector<int> Engine::label(const double* rows, Index count) const {
  const Index r = rank();
  std::vector<int> labels;
  std::vector<double> row;
  for (Index i = 0; i < count; ++i) {
    row.assign(rows + i * r, rows + (i + 1) * r);
    if (options.unit_rows) to_unit_length(row.data(), 1, r);
    labels.push_back(std::isnan(row[0]) ? -1 : nearest_centre(row, centres));
  }
  return labels;
}

std::vector<ViewReport> Engine::views() const {
  std::vector<ViewReport> reports;
  const auto observed = [&](std::size_t v) {
    if (factors) return static_cast<Index>(factors->state().views[v].observed);
    return prototypes.candidates() > 0 ? static_cast<Index>(prototypes.counted(v, 0)) : Index{0};
  };
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    reports.push_back({.name = schema.views[v].name,
                       .features = schema.views[v].features,
                       .observed = observed(v),
                       .negatives = clipped[v],
                       .scaling = scaling[v].known ? scaling[v].description : "never seen"});
  }
  return reports;
}

Clusterer::Clusterer(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Clusterer::Clusterer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Clusterer::~Clusterer() = default;
Clusterer::Clusterer(Clusterer&&) noexcept = default;
Clusterer& Clusterer::operator=(Clusterer&&) noexcept = default;

Report Clusterer::fit(Source& source, Sink& sink) {
  Observer silent;
  return fit(source, sink, silent);
}

ChunkReport Clusterer::partial_fit(Chunk chunk) {
  if (impl_->prediction_only)
    throw Error(ErrorKind::usage, "this model was saved for prediction only: it cannot learn");
  if (impl_->options.method != Algorithm::omvc) {
    throw Error(ErrorKind::usage, fmt::format("only method omvc learns chunk by chunk here, not {}: call fit",
                                              name_of(impl_->options.method)));
  }
  if (!impl_->factors) {
    Schema schema;
    for (std::size_t v = 0; v < chunk.views.size(); ++v) {
      schema.views.push_back({fmt::format("view{}", v + 1), block_cols(chunk.views[v].block), {}});
    }
    impl_->start(schema);
  }
  impl_->check_fits(chunk);
  const std::vector<Index> negatives = impl_->scale(chunk);
  for (std::size_t v = 0; v < negatives.size(); ++v) impl_->clipped[v] += negatives[v];
  if (!impl_->factors) impl_->begin();
  const PreparedChunk data(chunk);
  const LearnedRows learned = impl_->factors->learn(data, nullptr, *impl_->workers);
  if (impl_->prototypes.candidates() > 0) {
    const CandidateLabels none = CandidateLabels::Constant(chunk.size(), 1, -1);
    impl_->prototypes.learn(data, none, 1, Nearest::by_direction, *impl_->workers);
  }
  for (std::size_t i = 0; i < learned.rows.size(); ++i) {
    const double* row = learned.values.row(static_cast<Index>(i)).data();
    impl_->sample->offer(learned.rows[i], {row, static_cast<std::size_t>(learned.values.cols())});
  }
  impl_->centres.clear();
  return {.pass = 1,
          .chunk = 0,
          .instances = instances(),
          .loss = impl_->factors->average_loss(*impl_->workers),
          .rounds = learned.rounds};
}

Assignment Clusterer::assign(Chunk chunk) {
  impl_->check_learned();
  impl_->check_fits(chunk);
  // A view that was never seen while learning has no basis: what it says about the new instances cannot be used.
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (impl_->scaling[v].known) continue;
    chunk.views[v] = keep_instances(std::move(chunk.views[v]), std::vector<bool>(chunk.rows.size(), false));
  }
  apply_scaling(impl_->scaling, impl_->schema, chunk);
  const PreparedChunk data(chunk);
  Assignment out;
  if (impl_->prototypes.candidates() > 0) {
    RowVector error;
    const CandidateLabels labels = impl_->prototypes.assign(data, error, *impl_->workers);
    out.labels.assign(labels.data(), labels.data() + labels.size());
  }
  Matrix rows(data.size(), impl_->rank());
  if (impl_->factors) {
    rows = impl_->factors->embed(data, *impl_->workers);
  } else {
    rows.setZero();
    for (Index i = 0; i < rows.rows(); ++i) {
      if (out.labels[static_cast<std::size_t>(i)] >= 0) rows(i, out.labels[static_cast<std::size_t>(i)]) = 1;
    }
  }
  for (std::size_t i = 0; i < data.observed.size(); ++i) {
    if (!data.observed[i]) rows.row(static_cast<Index>(i)).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  out.embedding.assign(rows.data(), rows.data() + rows.size());
  if (out.labels.empty()) {
    impl_->need_centres();
    out.labels = impl_->label(rows.data(), rows.rows());
  }
  return out;
}

Index Clusterer::assign(Source& source, Sink& sink, Observer& observer) {
  constexpr Index kRows = 256;
  impl_->check_learned();
  ChunkStream stream(source, impl_->schema, std::max(impl_->options.chunk, kRows), nullptr);
  ChunkReport report{.pass = 1, .labelling = true};
  while (std::optional<StreamedChunk> item = stream.next()) {
    const Assignment found = assign(std::move(item->chunk));
    const auto count = static_cast<Index>(found.labels.size());
    sink.write({report.instances, found.labels, {found.embedding.data(), count, rank()}});
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
const Schema& Clusterer::schema() const { return impl_->schema; }
Index Clusterer::instances() const { return static_cast<Index>(impl_->instances()); }
int Clusterer::rank() const { return impl_->rank(); }

std::span<const double> Clusterer::basis(std::size_t view) const {
  if (!impl_->factors) return {};
  const Matrix& U = impl_->factors->state().views.at(view).U;
  return {U.data(), static_cast<std::size_t>(U.size())};
}

std::span<const double> Clusterer::centres() {
  impl_->check_learned();
  impl_->need_centres();
  return impl_->centres;
}

std::vector<ViewReport> Clusterer::views() const { return impl_->views(); }

std::vector<Feature> Clusterer::top_features(std::size_t view, int cluster, int count) {
  impl_->check_learned();
  if (view >= impl_->schema.views.size() || cluster < 0 || cluster >= impl_->options.clusters || count < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("there are no {} features of cluster {} in view {}", count, cluster, view));
  }
  const bool refined = impl_->prototypes.candidates() > 0;
  const Matrix profiles =  // d x K
      refined ? impl_->prototypes.prototypes(view)
              : Matrix(impl_->factors->state().views.at(view).U *
                       Eigen::Map<const Matrix>(centres().data(), impl_->options.clusters, rank()).transpose());
  const Vector mean = profiles.rowwise().mean();
  const Vector own = profiles.col(cluster);
  // A feature that hardly occurs in the cluster tells nothing however large its lift: ranking by weight * log(lift)
  // asks for both.
  const auto telling = [&](Index j) { return own(j) > 0 && mean(j) > 0 ? own(j) * std::log(own(j) / mean(j)) : 0.0; };
  std::vector<Index> order(static_cast<std::size_t>(own.size()));
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
  const auto shown = static_cast<std::ptrdiff_t>(std::min<Index>(count, own.size()));
  std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                    [&](Index a, Index b) { return std::pair(-telling(a), a) < std::pair(-telling(b), b); });
  std::vector<Feature> features;
  const auto& names = impl_->schema.views[view].feature_names;
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const Index j = order[static_cast<std::size_t>(i)];
    if (!(telling(j) > 0)) break;
    features.push_back({j, names.empty() ? fmt::format("{}", j) : names[static_cast<std::size_t>(j)], own(j),
                        mean(j) > 0 ? own(j) / mean(j) : 0});
  }
  return features;
}

}  // namespace omvc
