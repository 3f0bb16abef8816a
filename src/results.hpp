// The end of a fit: labels and embedding of all instances, read back from disk and handed on a block at a time.
#pragma once

#include "omvc/report.hpp"
#include "omvc/sink.hpp"

#include "engine.hpp"
#include "presence_patterns.hpp"

namespace omvc {

// Where results go: the engine's sample of rows, the counts of presence patterns, the user's sink and the report.
struct ResultPlaces {
  Engine& engine;
  PresencePatterns& patterns;
  Sink& sink;
  Report& report;
};

// Delivers all instances in the row order of the source. The labels are those stored, or, without any, the nearest
// centres of the engine.
void write_results(const ResultPlaces& places, const Embedding& embedding, const RowStore* stored);

}  // namespace omvc
