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

void Clusterer::save(const std::string& path) const {
  if (!impl_->method) throw Error(ErrorKind::usage, "there is nothing to save: the model has learned nothing yet");
  Archive archive;
  for_each_param([&](const auto& param) {
    if (!belongs_to_model(param.name)) return;
    archive.put(fmt::format("option/{}", param.name), format_option(impl_->options, param.name));
  });
  std::vector<std::string> names;
  std::vector<Index> features;
  for (std::size_t v = 0; v < impl_->schema.views.size(); ++v) {
    names.push_back(impl_->schema.views[v].name);
    features.push_back(impl_->schema.views[v].features);
    archive.put(fmt::format("view{}/feature_names", v), impl_->schema.views[v].feature_names);
    put_scaling(archive, fmt::format("view{}/scaling", v), impl_->scaling[v], impl_->clipped[v]);
  }
  archive.put("schema/names", names);
  archive.put("schema/features", features);
  impl_->method->state().save(archive);
  impl_->prototypes.save(archive);
  archive.put("centres", impl_->centres);
  archive.put("sample/rows", impl_->sample->rows());
  archive.put("sample/values", impl_->sample->values());
  archive.save(path);
}

// What the archive of a model holds.
std::unique_ptr<Clusterer::Impl> Clusterer::restore(const std::string& path) {
  const Archive archive = Archive::load(path);
  Options options;
  for_each_param([&](const auto& param) {
    if (!belongs_to_model(param.name)) return;
    parse_option(options, param.name, archive.text(fmt::format("option/{}", param.name)));
  });
  auto impl = std::make_unique<Impl>(options);
  const std::vector<std::string> names = archive.lines("schema/names");
  const std::vector<Index>& features = archive.integers("schema/features");
  if (names.size() != features.size())
    throw Error(ErrorKind::data, path + ": the schema of the model contradicts itself");
  Schema schema;
  for (std::size_t v = 0; v < names.size(); ++v) {
    schema.views.push_back({names[v], features[v], archive.lines(fmt::format("view{}/feature_names", v))});
    const auto named = static_cast<Index>(schema.views[v].feature_names.size());
    if (features[v] < 1 || (named != 0 && named != features[v])) {
      throw Error(ErrorKind::data, fmt::format("{}: view {} of the model contradicts itself", path, names[v]));
    }
  }
  impl->start(schema);
  for (std::size_t v = 0; v < names.size(); ++v) {
    impl->scaling[v] = get_scaling(archive, fmt::format("view{}/scaling", v), features[v], impl->clipped[v]);
  }
  impl->method = std::make_unique<Omvc>(options, State::load(archive, schema));
  impl->prototypes = Prototypes::load(archive, schema, options.clusters, impl->unit_views());
  impl->centres = archive.numbers("centres");
  const auto rank = static_cast<std::size_t>(impl->method->state().scale.size());
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
