// The end of a fit: labels and embedding of all instances, read back from disk and handed on a block at a time.
#pragma once

#include "omvc/report.hpp"
#include "omvc/sink.hpp"

#include "eval/row_sample.hpp"
#include "run/other_model.hpp"
#include "run/presence_patterns.hpp"

namespace omvc {

// Where results go: the counts of presence patterns, the user's sink and the report.
struct ResultPlaces {
  PresencePatterns& patterns;
  Sink& sink;
  Report& report;
};

// What the user should know of the views, before labels were counted; and of clusters without instances, after it.
void warn_of_views(Report& report);
void warn_of_empty(Report& report);

// Delivers all instances in the row order of the source. The labels are those stored, or, without any, the nearest
// centres of the model.
void write_results(const ResultPlaces& places, const Embedding& embedding, const RowStore* stored,
                   const OtherModel* model);

}  // namespace omvc
