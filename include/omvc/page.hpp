// One self-contained HTML page that explains a result (docs/report.md): it opens from disk, offline, in any browser,
// asks nobody for anything, and holds its facts as JSON.
//
//     omvc::write_page("result.html", model, {.report = &report});     // after a fit
//     omvc::write_page("result.html", model);                          // what a saved model tells by itself
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "omvc/clusterer.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/export.hpp"
#include "omvc/report.hpp"

namespace omvc {

// What a page tells beside the model. Everything may be left out.
struct PageContext {
  const Report* report = nullptr;  // of the fit that made the model; without it numbers are those of the model's sample
  const Contingency* scored = nullptr;                        // found clusters against the truth
  std::function<std::vector<std::string>(Index, Index)> ids;  // as Source::ids; none: instances go by row number
  std::function<int(Index)> class_of;                         // the class of a row where the truth is known
  std::vector<std::string> class_names;                       // of these, by number; none: they go by number
  std::string title;                                          // none: "omvc report"
  std::string command;                                        // that made it
  std::vector<std::pair<std::string, std::uint64_t>> files;   // read, with their sizes in bytes
};

// Writes the page, whole or not at all. Memory and size are bounded whatever the number of instances: at most 5,000 of
// them are drawn, by the seed alone. Throws ErrorKind::io if it cannot be written, and ErrorKind::usage if the model
// was saved for prediction only or has no clusters yet.
OMVC_API void write_page(const std::string& path, Clusterer& model, const PageContext& context = {});

// The facts of the page, as JSON.
OMVC_API std::string page_facts(Clusterer& model, const PageContext& context = {});

// A report as JSON: what `omvc fit --json` prints.
OMVC_API std::string to_json(const Report& report);

// The fine prototypes of a model laid out in the plane by their affinity: those that instances lie between are near.
struct PrototypeMap {
  std::vector<double> x;            // from -1 to 1
  std::vector<double> y;            // from -1 to 1
  std::vector<double> mass;         // instances of each
  std::vector<int> cluster;         // the number of the cluster that most of them are in
  std::vector<double> eigenvalues;  // of the graph of prototypes, descending
};

// Empty where a model has no fine prototypes.
OMVC_API PrototypeMap prototype_map(Clusterer& model);

}  // namespace omvc
