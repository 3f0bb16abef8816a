#include "report/report_json.hpp"

#include <cmath>

#include "omvc/page.hpp"

namespace omvc {
namespace {

using nlohmann::json;

json pass_json(const PassReport& pass) {
  json out{{"loss", pass.loss},     {"error", pass.error},   {"seconds", pass.seconds},
           {"waited", pass.waited}, {"rounds", pass.rounds}, {"curve", pass.loss_curve}};
  out["products"] = json::array();
  Index products = 0;
  for (const ProductCount& count : pass.products) {
    products += count.times + count.transpose_times;
    out["products"].push_back(
        {{"columns", count.columns}, {"times", count.times}, {"transpose_times", count.transpose_times}});
  }
  if (pass.chunks > 0) out["products_per_chunk"] = static_cast<double>(products) / static_cast<double>(pass.chunks);
  return out;
}

json notables_json(const std::vector<Notable>& notables) {
  json out = json::array();
  for (const Notable& one : notables)
    out.push_back({{"row", one.row}, {"confidence", one.confidence}, {"distance", one.distance}});
  return out;
}

json choice_json(const ClusterChoice& choice) {
  json out{{"clusters", choice.clusters},
           {"clear", choice.clear},
           {"verdict", choice.verdict},
           {"eigenvalues", choice.eigenvalues}};
  for (const KSigns& k : choice.signs)
    out["signs"].push_back({{"clusters", k.clusters}, {"gap", k.gap}, {"agreement", k.agreement}});
  return out;
}

void add_clusters(const Report& report, json& out) {
  out["cluster_numbers"] = report.cluster_numbers;
  out["cluster_sizes"] = report.cluster_sizes;
  out["outliers"] = report.outliers;
  out["confidence"] = report.confidence;
  out["confidence_histogram"] = report.confidence_histogram;
  out["farthest"] = notables_json(report.farthest);
  out["cluster_members"] = json::array();
  for (const ClusterMembers& members : report.cluster_members) {
    out["cluster_members"].push_back({{"confidence", members.confidence},
                                      {"typical", notables_json(members.typical)},
                                      {"borderline", notables_json(members.borderline)}});
  }
}

}  // namespace

json event_json(const ClusterEvent& event) {
  return {{"event", name_of(event.kind)},
          {"cluster", event.cluster},
          {"other", event.other},
          {"instances", event.instances}};
}

json options_json(const Options& options) {
  json out;
  for_each_param([&](const auto& param) {
    if (is_told(options, param.name)) out[param.name] = format_option(options, param.name);
  });
  return out;
}

json report_json(const Report& report) {
  json out{{"n", report.instances},
           {"unobserved", report.unobserved},
           {"views", report.views.size()},
           {"clusters", report.clusters},
           {"rank", report.rank},
           {"chunk", report.chunk},
           {"passes", report.passes.size()},
           {"seconds", report.seconds},
           {"loss", report.loss},
           {"stopped", report.stopped},
           {"prototypes", report.prototypes},
           {"sampled", report.sampled},
           {"found_by", report.found_by},
           {"pattern_nmi", report.pattern_nmi},
           {"fingerprint", report.fingerprint},
           {"warnings", report.warnings},
           {"events", json::array()}};
  if (!report.device.empty()) out["device"] = report.device;
  add_clusters(report, out);
  if (report.leading) {
    out["leading"] = {
        {"view", report.leading->view}, {"column", report.leading->column}, {"share", report.leading->share}};
  }
  for (const ViewReport& view : report.views) {
    json columns = json::array();
    for (const ColumnReport& column : view.columns) {
      columns.push_back(
          {{"name", column.name}, {"found", column.found}, {"cells", column.cells}, {"value", column.value}});
    }
    out["view_details"].push_back({{"name", view.name},
                                   {"features", view.features},
                                   {"table_columns", view.table_columns},
                                   {"observed", view.observed},
                                   {"missing", view.missing},
                                   {"negatives", view.negatives},
                                   {"explained", view.explained},
                                   {"worth", std::isnan(view.worth) ? json() : json(view.worth)},
                                   {"scaling", view.scaling},
                                   {"reason", view.reason},
                                   {"columns", std::move(columns)}});
  }
  for (const ClusterEvent& event : report.events) out["events"].push_back(event_json(event));
  for (const TimePoint& point : report.timeline) {
    json events = json::array();
    for (const ClusterEvent& event : point.events) events.push_back(event_json(event));
    out["timeline"].push_back({{"instances", point.instances},
                               {"numbers", point.numbers},
                               {"sizes", point.sizes},
                               {"events", std::move(events)}});
  }
  if (report.choice) out["choice"] = choice_json(*report.choice);
  for (const PatternReport& pattern : report.patterns) {
    out["patterns"].push_back(
        {{"present", pattern.present}, {"instances", pattern.instances}, {"cluster_sizes", pattern.cluster_sizes}});
  }
  for (const PassReport& pass : report.passes) out["per_pass"].push_back(pass_json(pass));
  for (const StepTime& step : report.profile) out["profile"][step.name] = step.seconds;
  return out;
}

json truth_json(const Contingency& scored) {
  const Scores best = score(scored);
  const auto table = scored.table();
  return {
      {"clusters", scored.labels()}, {"classes", scored.classes()}, {"counts", table}, {"match", best_matching(table)},
      {"nmi", best.nmi_geometric},   {"accuracy", best.accuracy},   {"ari", best.ari}, {"purity", best.purity}};
}

std::string json_text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string to_json(const Report& report) { return json_text(report_json(report)); }

}  // namespace omvc
