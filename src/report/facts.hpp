// The facts of a page, gathered once (docs/report.md says what is where).
#pragma once

#include <nlohmann/json.hpp>

#include "omvc/explain.hpp"
#include "omvc/page.hpp"

#include "report/picture.hpp"

namespace omvc {

// What is known of a result. There is no picture where the method has no prototypes.
struct FactSources {
  const Options& options;
  const Schema& schema;
  const Report& report;
  bool whole = true;  // the report is of all instances, not of a sample
  const Picture* picture = nullptr;
  const Survey* survey = nullptr;                           // with a picture
  std::vector<std::vector<std::vector<Feature>>> features;  // without one: of each cluster in each view
};

// The facts as JSON, about `bytes` long at most: where ids are long, fewer instances are drawn.
std::string facts_text(const FactSources& sources, const PageContext& context, std::size_t bytes);

}  // namespace omvc
