// What would be read and how it would be taken, before anything is learned: nobody should learn about their table from
// a wrong clustering.
//
//     const omvc::DataLook look = omvc::look_at_data(*input.source, options);
#pragma once

#include <string>
#include <vector>

#include "omvc/export.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"
#include "omvc/source.hpp"

namespace omvc {

// One column of the user's table; a category is one.
struct ColumnFacts {
  std::string name;
  std::string kind;    // number, two values, category, constant, row numbers, empty
  Index values = 0;    // features that it has become: more than one for a category
  double minimum = 0;  // this and the next three: over the cells that are not missing; of a category 0
  double maximum = 0;
  double mean = 0;
  double deviation = 0;  // standard deviation, divided by n; NaN where the numbers are too large beside it
  Index missing = 0;     // cells of the rows that are present
  std::string found;     // as in ColumnReport, or empty
  Index cells = 0;       // that it was found in
  double value = 0;      // the farthest of them, or the number that may be a word
};

struct ViewFacts {
  std::string name;
  Index features = 0;
  Index rows = 0;     // instances that are present
  Index missing = 0;  // cells that they lack
  bool sparse = false;
  double zeros = 0;     // share of the cells
  std::string scaling;  // that would be chosen, in words
  std::string reason;
  std::vector<ColumnFacts> columns;
};

struct DataLook {
  Index instances = 0;
  Index unobserved = 0;  // instances that are present in no view
  std::string first_id;  // of the first and the last instance, where they have ids
  std::string last_id;
  std::vector<Index> in_views;  // instances that are present in so many views: in none, in one, ...
  std::vector<ViewFacts> views;
  std::vector<std::string> warnings;  // whole sentences, as a fit would give them
};

// Reads all of the source once. `options` say which scaling is asked for. Throws what a fit would throw on its first
// look.
OMVC_API DataLook look_at_data(Source& source, const Options& options);

}  // namespace omvc
