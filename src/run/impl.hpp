// What a Clusterer holds: the living model, or what another method or version 0.1 has left, or nothing yet.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "omvc/clusterer.hpp"

#include "model/model.hpp"
#include "parallel/team.hpp"
#include "run/other_model.hpp"

namespace omvc {

struct Clusterer::Impl {
  explicit Impl(Options chosen);

  const Schema& schema() const;
  void check_labels() const;  // throws unless instances can be labelled
  Model& living();            // throws unless there is a model that learns

  Options options;
  Team workers;
  std::optional<Model> model;
  std::optional<OtherModel> other;
  std::mutex sharing;  // const functions take turns with the workers
};

}  // namespace omvc
