// The end of a fit: labels and embedding of all instances, read back from disk and handed on a block at a time.
#pragma once

#include "omvc/report.hpp"
#include "omvc/sink.hpp"

#include "eval/row_sample.hpp"
#include "report/label_counts.hpp"
#include "run/other_model.hpp"
#include "run/presence_patterns.hpp"
#include "run/together.hpp"

namespace omvc {

// What the user should know of the views.
void warn_of_views(Report& report);

// Where results come from. The labels are those stored, or, without any, the nearest centres of the model.
struct ResultRowsOf {
  const Embedding& embedding;
  const RowStore* labels;
  const OtherModel* model;
  const PresencePatterns& patterns;
};

// Hands these rows to the sink, in the row order of the source, and counts them.
void write_results(const ResultRowsOf& results, Rows rows, Sink& sink, LabelCounts& counts);

}  // namespace omvc
