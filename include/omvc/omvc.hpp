// All of the library: clustering, sources and sinks, streams, scores, pages. Each header can be included alone, which
// compiles faster.
#pragma once

#include "omvc/borrowed.hpp"
#include "omvc/clusterer.hpp"
#include "omvc/convert.hpp"
#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/explain.hpp"
#include "omvc/input.hpp"
#include "omvc/mask.hpp"
#include "omvc/page.hpp"
#include "omvc/planted.hpp"
#include "omvc/rows.hpp"
#include "omvc/sink.hpp"
#include "omvc/snapshot.hpp"
#include "omvc/source.hpp"
#include "omvc/stream.hpp"
#include "omvc/trial.hpp"
#include "omvc/version.hpp"
