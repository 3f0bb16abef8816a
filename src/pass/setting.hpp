// What a run was asked for and what its data look like: what models and checkpoints have in common.
#pragma once

#include <vector>

#include "omvc/options.hpp"
#include "omvc/report.hpp"

#include "file/archive.hpp"
#include "scale/scaling.hpp"

namespace omvc {

struct Setting {
  Options options;
  Schema schema;
  std::vector<ViewScaling> scaling;
  std::vector<Index> clipped;  // negative entries set to 0, by view, counted once for every instance

  // Takes the schema of the data. Throws ErrorKind::usage where the options do not fit it.
  void start(const Schema& data);

  void put(Archive& archive) const;
  // Takes over what the archive holds. An option that is not in the archive stays as it is.
  void get(const Archive& archive);

  std::vector<ViewReport> views(const std::vector<Index>& observed) const;
};

// What was found in the columns of a view when its scaling was chosen.
std::vector<ColumnReport> column_reports(const ViewScaling& scaling, const ViewSchema& schema);

}  // namespace omvc
