#include "run/model_file.hpp"

#include <fmt/format.h>

#include "omvc/error.hpp"

#include "file/file_lock.hpp"
#include "model/chunk_learner.hpp"
#include "run/impl.hpp"

namespace omvc {
namespace {

constexpr const char* kStreamAfter = "stream/after";
constexpr const char* kStreamIds = "stream/ids";
constexpr const char* kUndelivered = "stream/undelivered";
constexpr const char* kUndeliveredRows = "stream/undelivered_rows";

StoredModel restore(const Archive& archive, const std::string& name) {
  if (archive.has("checkpoint/version")) {
    throw Error(ErrorKind::data, name + " is a checkpoint, not a model: finish the run with fit --resume");
  }
  StoredModel stored;
  stored.setting.options.clusters = 2;
  const bool living = archive.has("living/clock");
  stored.setting.get(archive);
  const Setting& setting = stored.setting;
  if (living) {
    stored.model.emplace(Model::load(archive, setting.options, setting.schema, setting.scaling, setting.clipped));
  } else {
    stored.compared.emplace(CompareModel::load(archive, setting));
  }
  if (archive.has(kStreamAfter)) {
    stored.stream = StreamRecord{
        .after = archive.text(kStreamAfter), .ids = RowIds::load(archive, kStreamIds), .undelivered = std::nullopt};
    if (archive.has(kUndelivered)) {
      stored.stream->undelivered = {.from = archive.text(kUndelivered),
                                    .rows = static_cast<Index>(archive.number(kUndeliveredRows, kCount))};
    }
  }
  return stored;
}

// Whatever is wrong with options or shapes of a model, it is the file that is bad.
template <class Restore>
StoredModel blaming(const std::string& name, const Restore& restored) {
  try {
    return restored();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    const std::string message = error.what();
    throw Error(ErrorKind::data, message.find(name) == std::string::npos ? name + ": " + message : message);
  }
}

// Fast products are those of a card that is named, which a file does not do: what was loaded computes exactly. The
// model goes on to say how it was fitted.
Options exact(Options options) {
  options.fast = false;
  return options;
}

}  // namespace

StoredModel load_model(const std::string& path) {
  return blaming(path, [&] { return restore(Archive::load(path), path); });
}

Archive model_archive(const Model& model, bool whole) {
  Archive archive;
  Setting{model.options(), model.intake().schema(), model.intake().scaling(), model.tally().negatives}.put(archive);
  model.save(archive, whole ? Model::Kept::whole : Model::Kept::predictor);
  return archive;
}

void save_model(const Archive& archive, const std::string& path) {
  try {
    restore(archive, path);
  } catch (const Error& error) {
    throw Error(ErrorKind::numerical, fmt::format("{}: the model is not saved, since it could not be read again: {}; "
                                                  "what was saved before is still there",
                                                  path, error.what()));
  }
  archive.save(path);
}

void save_stream(const Model& model, const StreamRecord& record, const std::string& path) {
  Archive archive = model_archive(model, true);
  archive.put(kStreamAfter, record.after);
  record.ids.save(archive, kStreamIds);
  if (record.undelivered) {
    archive.put(kUndelivered, record.undelivered->from);
    archive.put(kUndeliveredRows, static_cast<double>(record.undelivered->rows));
  }
  save_model(archive, path);
}

Archive Clusterer::archive(ModelKind kind) const {
  const Usage::Read read(impl().usage);
  const bool whole = kind == ModelKind::whole;
  if (!impl().model && !impl().compared) {
    throw Error(ErrorKind::usage, "there is nothing to save: the model has learned nothing yet");
  }
  if (!whole) impl().labeller();
  if (whole && impl().model && !impl().model->can_learn()) {
    throw Error(ErrorKind::usage, "this model was saved for prediction only, so it cannot be saved whole");
  }
  Archive archive;
  if (impl().model) {
    archive = model_archive(*impl().model, whole);
  } else {
    impl().compared->setting().put(archive);
    impl().compared->save(archive);
  }
  return archive;
}

void Clusterer::save(const std::string& path, ModelKind kind) const { save_model(archive(kind), path); }
std::string Clusterer::to_bytes(ModelKind kind) const { return archive(kind).to_bytes(); }

Clusterer::Clusterer(StoredModel stored) : impl_(std::make_unique<Impl>(exact(stored.setting.options))) {
  impl_->model = std::move(stored.model);
  if (impl_->model) ChunkLearner(*impl_->model).forget_new_features();
  if (stored.stream) impl_->ids = std::move(stored.stream->ids);
  if (stored.compared) impl_->compared = std::make_shared<CompareModel>(std::move(*stored.compared));
}

Clusterer Clusterer::load(const std::string& path) { return Clusterer(load_model(path)); }

Clusterer Clusterer::from_bytes(std::string_view bytes, const std::string& name) {
  return Clusterer(blaming(name, [&] { return restore(Archive::from_bytes(bytes, name), name); }));
}

struct ModelLock::Impl {
  explicit Impl(const std::string& file) : lock(file) {}
  FileLock lock;
};

ModelLock::ModelLock(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
ModelLock::~ModelLock() = default;
ModelLock::ModelLock(ModelLock&&) noexcept = default;

}  // namespace omvc
