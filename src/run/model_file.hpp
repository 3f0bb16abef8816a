// Models as files: what Clusterer and Stream read and write.
#pragma once

#include <optional>
#include <string>

#include "compare/compare_model.hpp"
#include "model/model.hpp"
#include "pass/setting.hpp"

namespace omvc {

struct StoredModel {
  Setting setting;
  std::optional<Model> model;               // the living model,
  std::optional<CompareModel> compared;     // or what a comparison method has left
  std::optional<std::string> stream_after;  // saved by a stream: the id, as JSON, of the last row learned
};

// Throws ErrorKind::io if it cannot be read, and ErrorKind::data, naming the file, if it is no sound model.
StoredModel load_model(const std::string& path);

Archive model_archive(const Model& model, bool whole);

// The whole model of a stream and the id, as JSON, of the last row that it has learned; replaces the file atomically.
void save_stream(const Model& model, const std::string& after, const std::string& path);

}  // namespace omvc
