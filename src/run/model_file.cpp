// A whole Clusterer as an archive, and back.
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "run/impl.hpp"

namespace omvc {

Archive Clusterer::archive(ModelKind kind) const {
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
    const Model& model = *impl_->model;
    Setting{model.options(), model.schema(), model.scaling(), model.negatives()}.put(archive);
    model.save(archive, whole);
  } else {
    impl_->other->setting().put(archive);
    impl_->other->save(archive);
  }
  return archive;
}

void Clusterer::save(const std::string& path, ModelKind kind) const { archive(kind).save(path); }
std::string Clusterer::to_bytes(ModelKind kind) const { return archive(kind).to_bytes(); }

// What the archive of a model holds.
std::unique_ptr<Clusterer::Impl> Clusterer::restore(const Archive& archive, const std::string& name) {
  if (archive.has("checkpoint/version")) {
    throw Error(ErrorKind::data, name + " is a checkpoint, not a model: finish the run with fit --resume");
  }
  Setting setting;
  setting.options.clusters = 2;
  const bool living = archive.has("living/clock");
  setting.get(archive);
  auto impl = std::make_unique<Impl>(setting.options);
  if (living) {
    impl->model.emplace(Model::load(archive, setting.options, setting.schema, setting.scaling, setting.clipped));
  } else {
    impl->other.emplace(OtherModel::load(archive, std::move(setting)));
  }
  return impl;
}

namespace {

// Whatever is wrong with options or shapes of a model, it is the file that is bad.
template <class Restore>
auto blaming(const std::string& name, const Restore& restore) {
  try {
    return restore();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    const std::string message = error.what();
    throw Error(ErrorKind::data, message.find(name) == std::string::npos ? name + ": " + message : message);
  }
}

}  // namespace

Clusterer Clusterer::load(const std::string& path) {
  return blaming(path, [&] { return Clusterer(restore(Archive::load(path), path)); });
}

Clusterer Clusterer::from_bytes(std::string_view bytes, const std::string& name) {
  return blaming(name, [&] { return Clusterer(restore(Archive::from_bytes(bytes, name), name)); });
}

}  // namespace omvc
