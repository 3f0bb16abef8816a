// Models as files: what Clusterer and Stream read and write.
#pragma once

#include <optional>
#include <string>

#include "omvc/stream.hpp"

#include "compare/compare_model.hpp"
#include "model/model.hpp"
#include "pass/setting.hpp"
#include "run/row_ids.hpp"

namespace omvc {

// What a stream saves beside its model.
struct StreamRecord {
  std::string after = "null";  // the id, as JSON, of the last row learned
  RowIds ids;
  std::optional<UndeliveredRows> undelivered;
};

struct StoredModel {
  Setting setting;
  std::optional<Model> model;            // the living model,
  std::optional<CompareModel> compared;  // or what a comparison method has left
  std::optional<StreamRecord> stream;    // where a stream has saved it
};

// Throws ErrorKind::io if it cannot be read, and ErrorKind::data, naming the file, if it is no sound model.
StoredModel load_model(const std::string& path);

Archive model_archive(const Model& model, bool whole);

// Replaces the file atomically. Throws ErrorKind::numerical, and leaves what was there, where no model could be made of
// it again.
void save_model(const Archive& archive, const std::string& path);

// The whole model of a stream and its record; replaces the file atomically.
void save_stream(const Model& model, const StreamRecord& record, const std::string& path);

}  // namespace omvc
