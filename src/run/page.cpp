// Pages of a Clusterer.
#include "omvc/page.hpp"

#include <cmath>

#include "omvc/error.hpp"
#include "omvc/explain.hpp"
#include "omvc/files.hpp"

#include "model/facts.hpp"
#include "report/facts.hpp"
#include "report/page.hpp"
#include "report/picture.hpp"
#include "run/impl.hpp"

namespace omvc {
namespace {

constexpr std::size_t kMostBytes = 1500000;  // of facts; template and library are the rest of 2 MB
constexpr int kPlainFeatures = 5;            // of a cluster and view, where there are no prototypes

}  // namespace

// What pages need of a Clusterer's inside.
struct PageMaker {
  Clusterer& clusterer;
  Clusterer::Impl& impl = clusterer.impl();

  // A model that has what a map shows.
  Model* living() const {
    const bool drawn = impl.model && impl.model->prototypes().size() > 0 && impl.model->can_learn();
    return drawn ? &*impl.model : nullptr;
  }

  // What the sample of a model tells, where nobody has kept the report of the fit.
  Report report_of(const Model& model, const Picture& picture) const {
    Report report = picture.sampled;
    report.instances = clusterer.summary().instances;
    const std::vector<int> numbers = report.cluster_numbers;
    describe(model, report);
    report.cluster_numbers = numbers;
    report.cluster_sizes.clear();  // of all rows that count, as the model tells them everywhere
    for (const double size : cluster_sizes(model)) report.cluster_sizes.push_back(std::llround(size));
    return report;
  }

  // Rows of a stream go by the ids that they came with.
  PageContext with_ids(PageContext context) const {
    if (context.ids || impl.ids.empty()) return context;
    context.ids = [this](Index first, Index count) { return impl.ids.texts(first, count); };
    return context;
  }

  std::string facts(const PageContext& given) const {
    const PageContext context = with_ids(given);
    impl.labeller();
    Model* model = living();
    if (model == nullptr && impl.model) {
      throw Error(ErrorKind::usage, "this model was saved for prediction only: it keeps nothing that could be drawn");
    }
    if (model != nullptr) {
      const Picture picture = picture_of(*model, {}, impl.compute.get());
      Report report = context.report != nullptr ? *context.report : report_of(*model, picture);
      // More views than the fit keeps the patterns of.
      if (report.patterns.empty()) report.patterns = picture.sampled.patterns;
      return facts_text({.options = impl.options,
                         .schema = model->intake().schema(),
                         .report = report,
                         .whole = context.report != nullptr || model->seen().reservoir().whole(),
                         .picture = &picture,
                         .survey = &model->seen().survey(),
                         .features = {}},
                        context, kMostBytes);
    }
    return plain_facts(context);
  }

  std::string plain_facts(const PageContext& context) const {
    if (context.report == nullptr) {
      throw Error(ErrorKind::usage,
                  "a model of this method keeps nothing that could be drawn: write its page with fit "
                  "--report");
    }
    std::vector<std::vector<std::vector<Feature>>> features;
    for (const int cluster : context.report->cluster_numbers) {
      features.emplace_back();
      for (std::size_t v = 0; v < impl.schema().views.size(); ++v)
        features.back().push_back(top_features(clusterer, v, cluster, kPlainFeatures));
    }
    return facts_text({.options = impl.options,
                       .schema = impl.schema(),
                       .report = *context.report,
                       .whole = true,
                       .picture = nullptr,
                       .survey = nullptr,
                       .features = std::move(features)},
                      context, kMostBytes);
  }
};

std::string page_facts(Clusterer& model, const PageContext& context) { return PageMaker{model}.facts(context); }

void write_page(const std::string& path, Clusterer& model, const PageContext& context) {
  const std::string facts = page_facts(model, context);
  write_whole(path, page_text(context.title.empty() ? "omvc report" : context.title, facts));
}

PrototypeMap prototype_map(Clusterer& clusterer) {
  PageMaker maker{clusterer};
  PrototypeMap out;
  Model* model = maker.living();
  if (model == nullptr || model->clusters().count == 0) return out;
  const Picture picture = sketch_of(*model, maker.impl.compute.get());
  const PictureLevel& own = picture.levels.front();
  for (Index p = 0; p < picture.at.rows(); ++p) {
    out.x.push_back(picture.at(p, 0));
    out.y.push_back(picture.at(p, 1));
    out.mass.push_back(picture.mass(p));
    out.cluster.push_back(own.numbers[static_cast<std::size_t>(own.group[static_cast<std::size_t>(p)])]);
  }
  out.eigenvalues = picture.eigenvalues;
  return out;
}

}  // namespace omvc
