#include "reproduce/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "omvc/files.hpp"

namespace omvc::app {
namespace {

std::string how_tuned(const Study& study) {
  if (!study.arguments().grid) {
    return "Nothing was tuned: every method ran with its stated defaults. The paper tuned every method by grid search "
           "with the "
           "class labels, so its figures have an advantage that ours lack; --grid does the same.";
  }
  std::vector<std::string> grids;
  std::vector<std::string> sizes;
  for (const Contestant& one : study.contestants()) {
    sizes.push_back(fmt::format("{} {}", one.name, grid_points(one.grid).size()));
    for (const GridAxis& axis : one.grid) {
      grids.push_back(fmt::format("{} {} in {}", one.name, axis.option, fmt::join(axis.values, ", ")));
    }
  }
  return fmt::format(
      "Tuned with the class labels, as in the paper: for every method and cell the setting of its grid whose mean "
      "NMI over the seeds is best. The choice is made on the seeds that are reported, so figures are optimistic, "
      "and more so with more settings to choose from: {}. Grids: {}. Methods that are not named have no "
      "parameters to tune, and ran with their defaults.",
      fmt::join(sizes, ", "), fmt::join(grids, "; "));
}

void describe_run(const Study& study, const ResultFile& results, Page& page) {
  const StudyArguments& arguments = study.arguments();
  std::size_t done = 0;
  std::vector<std::string> failures;
  const std::vector<Job> jobs = study.jobs();
  for (const Job& job : jobs) {
    const Result* result = results.find_any(job.key());
    if (result == nullptr) continue;
    done += result->failure.empty() ? 1 : 0;
    if (!result->failure.empty()) failures.push_back(fmt::format("{}: {}", result->key, result->failure));
  }
  page.paragraph(fmt::format("`omvc reproduce {}{}`, version {}: {} of {} runs are done; seeds 0 to {}, {} passes.",
                             arguments.what, arguments.grid ? " --grid" : "", OMVC_VERSION, done, jobs.size(),
                             arguments.seeds - 1, arguments.passes));
  page.paragraph(how_tuned(study));
  page.paragraph(
      "NMI with geometric normalisation and AC are means over 20 single-start k-means runs on the embedding, as the "
      "paper reports; of OPIMC, the k-means methods and the default of omvc they are those of the labels. Instances "
      "are "
      "left out by the cyclic protocol of the paper's authors, and streamed in a random order that is the same for all "
      "methods. The paper's own masks are not known.");
  std::vector<std::string> data;
  for (const DataSet& set : study.found().sets) {
    data.push_back(set.stand_in.empty() ? fmt::format("{}: the paper's", set.title)
                                        : fmt::format("{}: NOT the paper's; {}", set.title, set.stand_in));
  }
  for (const std::string& sentence : study.found().absent) {
    if (sentence.find("stand") == std::string::npos) data.push_back(sentence);
  }
  page.list(data);
  if (failures.empty()) return;
  page.paragraph("Runs that failed:");
  page.list(failures);
}

}  // namespace

std::vector<std::string> write_outputs(const Study& study, const ResultFile& results) {
  Page page("The paper's evaluation, run again");
  describe_run(study, results, page);
  bool png = true;
  if (study.shows("table4", results)) write_table4(study, results, page);
  if (study.shows("table5", results) && study.set("webkb")) write_nmi_table(study, results, *study.set("webkb"), page);
  if (study.shows("table6", results) && study.set("digit")) write_nmi_table(study, results, *study.set("digit"), page);
  if (study.shows("fig1-8", results)) {
    write_ordering(study, results, page);
    png = write_quality_figures(study, results, page) && png;
  }
  if (study.shows("fig9-12", results)) png = write_loss_figures(study, results, page) && png;
  if (study.shows("fig13", results)) png = write_sensitivity_figures(study, results, page) && png;
  write_whole(study.arguments().out + "/README.md", page.markdown());
  write_whole(study.arguments().out + "/index.html", page.html());
  std::vector<std::string> remarks;
  if (!png)
    remarks.emplace_back(
        "the figures are SVG only: install rsvg-convert (Debian: librsvg2-bin) for PNG, and run again");
  return remarks;
}

}  // namespace omvc::app
