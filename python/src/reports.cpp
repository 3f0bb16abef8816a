// What the library reports, as dictionaries.
#include "omvc/report.hpp"

#include "convert.hpp"

namespace omvc::python {
namespace {

nb::list passes_list(const std::vector<PassReport>& passes) {
  nb::list out;
  for (const PassReport& pass : passes) {
    nb::dict one;
    one["number"] = pass.pass;
    one["instances"] = pass.instances;
    one["loss"] = pass.loss;
    one["seconds"] = pass.seconds;
    out.append(one);
  }
  return out;
}

nb::list patterns_list(const std::vector<PatternReport>& patterns) {
  nb::list out;
  for (const PatternReport& pattern : patterns) {
    nb::dict one;
    nb::list present;
    for (const bool there : pattern.present) present.append(there);
    one["present"] = present;
    one["instances"] = pattern.instances;
    one["cluster_sizes"] = nb::cast(pattern.cluster_sizes);
    out.append(one);
  }
  return out;
}

}  // namespace

nb::list views_list(const std::vector<ViewReport>& views) {
  nb::list out;
  for (const ViewReport& view : views) {
    nb::dict one;
    one["name"] = view.name;
    one["features"] = view.features;
    one["observed"] = view.observed;
    one["negatives"] = view.negatives;
    one["scaling"] = view.scaling;
    one["explained"] = view.explained;
    out.append(one);
  }
  return out;
}

nb::list events_list(const std::vector<ClusterEvent>& events) {
  static constexpr const char* kKinds[] = {"born", "split", "merged", "gone"};
  nb::list out;
  for (const ClusterEvent& event : events) {
    nb::dict one;
    one["kind"] = kKinds[static_cast<int>(event.kind)];
    one["cluster"] = event.cluster;
    one["other"] = event.other >= 0 ? nb::cast(event.other) : nb::none();
    one["instances"] = event.instances;
    out.append(one);
  }
  return out;
}

nb::dict choice_dict(const ClusterChoice& choice) {
  nb::dict out;
  out["clusters"] = choice.clusters;
  out["clear"] = choice.clear;
  out["verdict"] = choice.verdict;
  out["eigenvalues"] = nb::cast(choice.eigenvalues);
  nb::list signs;
  for (const KSigns& sign : choice.signs) {
    nb::dict one;
    one["clusters"] = sign.clusters;
    one["gap"] = sign.gap;
    one["agreement"] = sign.agreement;
    signs.append(one);
  }
  out["signs"] = signs;
  return out;
}

nb::dict report_dict(const Report& report) {
  nb::dict out;
  out["instances"] = report.instances;
  out["unobserved"] = report.unobserved;
  out["clusters"] = report.clusters;
  out["rank"] = report.rank;
  out["loss"] = report.loss;
  out["seconds"] = report.seconds;
  out["stopped"] = report.stopped;
  out["views"] = views_list(report.views);
  out["passes"] = passes_list(report.passes);
  out["cluster_numbers"] = nb::cast(report.cluster_numbers);
  out["cluster_sizes"] = nb::cast(report.cluster_sizes);
  out["outliers"] = report.outliers;
  out["confidence"] = report.confidence;
  out["prototypes"] = report.prototypes;
  out["sampled"] = report.sampled;
  out["found_by"] = report.found_by;
  out["choice"] = report.choice ? nb::object(choice_dict(*report.choice)) : nb::none();
  out["events"] = events_list(report.events);
  out["patterns"] = patterns_list(report.patterns);
  out["pattern_nmi"] = report.pattern_nmi;
  out["warnings"] = nb::cast(report.warnings);
  return out;
}

nb::list schema_list(const Schema& schema) {
  nb::list out;
  for (const ViewSchema& view : schema.views) {
    out.append(nb::make_tuple(view.name, view.features,
                              view.feature_names.empty() ? nb::none() : nb::cast(view.feature_names)));
  }
  return out;
}

Schema schema_of(const nb::list& views) {
  Schema schema;
  for (const nb::handle item : views) {
    const nb::tuple view = nb::cast<nb::tuple>(item);
    ViewSchema one{nb::cast<std::string>(view[0]), nb::cast<Index>(view[1]), {}};
    if (!view[2].is_none()) one.feature_names = nb::cast<std::vector<std::string>>(view[2]);
    schema.views.push_back(std::move(one));
  }
  return schema;
}

}  // namespace omvc::python
