#include "run/model_file.hpp"

#include <fmt/format.h>

#include "omvc/error.hpp"

#include "run/impl.hpp"

namespace omvc {
namespace {

constexpr const char* kStreamAfter = "stream/after";

StoredModel restore(const std::string& path) {
  const Archive archive = Archive::load(path);
  if (archive.has("checkpoint/version")) {
    throw Error(ErrorKind::data, path + " is a checkpoint, not a model: finish the run with fit --resume");
  }
  StoredModel stored;
  stored.setting.options.clusters = 2;
  const bool living = archive.has("living/clock");
  stored.setting.get(archive);
  const Setting& setting = stored.setting;
  if (living) {
    stored.model.emplace(Model::load(archive, setting.options, setting.schema, setting.scaling, setting.clipped));
  } else {
    stored.other.emplace(OtherModel::load(archive, setting));
  }
  if (archive.has(kStreamAfter)) stored.stream_after = archive.text(kStreamAfter);
  return stored;
}

}  // namespace

StoredModel load_model(const std::string& path) {
  try {
    return restore(path);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    // Whatever is wrong with options or shapes, it is the file that is bad.
    const std::string message = error.what();
    throw Error(ErrorKind::data, message.find(path) == std::string::npos ? path + ": " + message : message);
  }
}

Archive model_archive(const Model& model, bool whole) {
  Archive archive;
  Setting{model.options(), model.schema(), model.scaling(), model.negatives()}.put(archive);
  model.save(archive, whole);
  return archive;
}

void save_stream(const Model& model, const std::string& after, const std::string& path) {
  Archive archive = model_archive(model, true);
  archive.put(kStreamAfter, after);
  archive.save(path);
}

void Clusterer::save(const std::string& path, ModelKind kind) const {
  const bool whole = kind == ModelKind::whole;
  if (!whole || impl_->other) impl_->check_labels();
  if (!impl_->model && !impl_->other) {
    throw Error(ErrorKind::usage, "there is nothing to save: the model has learned nothing yet");
  }
  if (whole && impl_->model && !impl_->model->can_learn()) {
    throw Error(ErrorKind::usage, "this model was saved for prediction only, so it cannot be saved whole");
  }
  Archive archive;
  if (impl_->model) {
    archive = model_archive(*impl_->model, whole);
  } else {
    impl_->other->setting().put(archive);
    impl_->other->save(archive);
  }
  archive.save(path);
}

Clusterer Clusterer::load(const std::string& path) {
  StoredModel stored = load_model(path);
  auto impl = std::make_unique<Impl>(stored.setting.options);
  impl->model = std::move(stored.model);
  impl->other = std::move(stored.other);
  return Clusterer(std::move(impl));
}

}  // namespace omvc
