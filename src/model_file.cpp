// A whole Clusterer as an archive, and back.
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "engine.hpp"

namespace omvc {
namespace {

// The number of threads changes no result, so that a model has the same bytes whatever it was.
bool belongs_to_model(std::string_view option) { return option != "threads"; }

void put_scaling(Archive& archive, const std::string& key, const ViewScaling& scaling, Index clipped) {
  archive.put(key + "/flags",
              std::vector<Index>{scaling.known, scaling.clip, scaling.refuse_negatives, scaling.unit_rows, clipped});
  archive.put(key + "/factor", scaling.factor);
  archive.put(key + "/shift", scaling.shift);
  archive.put(key + "/gain", scaling.gain);
  archive.put(key + "/description", scaling.description);
}

ViewScaling get_scaling(const Archive& archive, const std::string& key, Index features, Index& clipped) {
  const auto& flags = archive.integers(key + "/flags");
  ViewScaling scaling;
  scaling.shift = archive.numbers(key + "/shift");
  scaling.gain = archive.numbers(key + "/gain");
  const auto fits = [&](const std::vector<double>& values) {
    return values.empty() || static_cast<Index>(values.size()) == features;
  };
  if (flags.size() != 5 || !fits(scaling.shift) || !fits(scaling.gain)) {
    throw Error(ErrorKind::data, fmt::format("the model's scaling '{}' does not fit its schema", key));
  }
  scaling.known = flags[0] != 0;
  scaling.clip = flags[1] != 0;
  scaling.refuse_negatives = flags[2] != 0;
  scaling.unit_rows = flags[3] != 0;
  clipped = flags[4];
  scaling.factor = archive.number(key + "/factor");
  scaling.description = archive.text(key + "/description");
  return scaling;
}

}  // namespace

void Engine::put_setting(Archive& archive) const {
  for_each_param([&](const auto& param) {
    if (!belongs_to_model(param.name)) return;
    archive.put(fmt::format("option/{}", param.name), format_option(options, param.name));
  });
  std::vector<std::string> names;
  std::vector<Index> features;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    names.push_back(schema.views[v].name);
    features.push_back(schema.views[v].features);
    archive.put(fmt::format("view{}/feature_names", v), schema.views[v].feature_names);
    put_scaling(archive, fmt::format("view{}/scaling", v), scaling[v], clipped[v]);
  }
  archive.put("schema/names", names);
  archive.put("schema/features", features);
}

void Engine::get_setting(const Archive& archive) {
  Options read = options;
  for_each_param([&](const auto& param) {
    const std::string key = fmt::format("option/{}", param.name);
    // An option that is younger than the file has the value that it had no name for: its default.
    if (belongs_to_model(param.name) && archive.has(key)) parse_option(read, param.name, archive.text(key));
  });
  check_options(read);
  options = read;
  const std::vector<std::string> names = archive.lines("schema/names");
  const std::vector<Index>& features = archive.integers("schema/features");
  if (names.size() != features.size()) throw Error(ErrorKind::data, "the schema contradicts itself");
  Schema stored;
  for (std::size_t v = 0; v < names.size(); ++v) {
    stored.views.push_back({names[v], features[v], archive.lines(fmt::format("view{}/feature_names", v))});
    const auto named = static_cast<Index>(stored.views[v].feature_names.size());
    if (features[v] < 1 || (named != 0 && named != features[v])) {
      throw Error(ErrorKind::data, fmt::format("view {} contradicts itself", names[v]));
    }
  }
  start(stored);
  for (std::size_t v = 0; v < names.size(); ++v) {
    scaling[v] = get_scaling(archive, fmt::format("view{}/scaling", v), features[v], clipped[v]);
  }
}

void Clusterer::save(const std::string& path, ModelKind kind) const {
  const bool whole = kind == ModelKind::whole;
  if (!impl_->learned()) throw Error(ErrorKind::usage, "there is nothing to save: the model has learned nothing yet");
  if (whole && impl_->prediction_only) {
    throw Error(ErrorKind::usage, "this model was saved for prediction only, so it cannot be saved whole");
  }
  if (!whole) impl_->need_centres();
  Archive archive;
  impl_->put_setting(archive);
  archive.put("model/prediction_only", whole ? 0.0 : 1.0);
  archive.put("model/instances", impl_->instances());
  archive.put("model/factors", impl_->factors ? 1.0 : 0.0);
  if (impl_->factors) impl_->factors->state().save(archive, "", whole);
  impl_->prototypes.save(archive, whole);
  archive.put("centres", impl_->centres);
  archive.put("sample/rows", whole ? impl_->sample->rows() : std::vector<Index>{});
  archive.put("sample/values", whole ? impl_->sample->values() : std::vector<double>{});
  archive.save(path);
}

// What the archive of a model holds.
std::unique_ptr<Clusterer::Impl> Clusterer::restore(const std::string& path) {
  const Archive archive = Archive::load(path);
  if (archive.has("checkpoint/version")) {
    throw Error(ErrorKind::data, path + " is a checkpoint, not a model: finish the run with fit --resume");
  }
  auto impl = std::make_unique<Impl>(Options{.clusters = 2});
  impl->get_setting(archive);
  const Options& options = impl->options;
  // Models of the first version always had factors and said nothing about them.
  if (!archive.has("model/factors") || archive.number("model/factors") != 0) {
    impl->factors = std::make_unique<Omvc>(options, State::load(archive, impl->schema));
  }
  impl->prototypes = Prototypes::load(archive, impl->schema, options.clusters, impl->unit_views());
  if (impl->prototypes.candidates() > 1) throw Error(ErrorKind::data, path + ": the model has several clusterings");
  if (!impl->learned()) throw Error(ErrorKind::data, path + ": the model has neither factors nor prototypes");
  if (archive.has("model/prediction_only")) impl->prediction_only = archive.number("model/prediction_only") != 0;
  if (!impl->factors) impl->prototype_instances = archive.number("model/instances");
  impl->centres = archive.numbers("centres");
  const auto rank = static_cast<std::size_t>(impl->rank());
  if (!impl->centres.empty() && impl->centres.size() != rank * static_cast<std::size_t>(options.clusters)) {
    throw Error(ErrorKind::data, path + ": the centres of the model do not fit its options");
  }
  const std::vector<Index>& rows = archive.integers("sample/rows");
  const std::vector<double>& values = archive.numbers("sample/values");
  if (values.size() != rows.size() * rank)
    throw Error(ErrorKind::data, path + ": the sample of the model is incomplete");
  for (std::size_t i = 0; i < rows.size(); ++i) impl->sample->offer(rows[i], {values.data() + i * rank, rank});
  return impl;
}

Clusterer Clusterer::load(const std::string& path) {
  try {
    return Clusterer(restore(path));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    // Whatever is wrong with options or shapes, it is the file that is bad.
    const std::string message = error.what();
    throw Error(ErrorKind::data, message.find(path) == std::string::npos ? path + ": " + message : message);
  }
}

}  // namespace omvc
