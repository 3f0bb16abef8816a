#include "report/facts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "report/report_json.hpp"

namespace omvc {
namespace {

using nlohmann::json;

constexpr std::size_t kLongName = 120;  // bytes of a name or an id, at most
constexpr double kWeightSteps = 4096;   // weights are whole multiples of 1/4096
constexpr Index kFewestPoints = 100;

// Names of any length fit the page: long ones end in dots, between two characters.
std::string shortened(const std::string& name) {
  if (name.size() <= kLongName) return name;
  std::size_t end = kLongName - 3;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "…";
}

double rounded(double value, double steps) { return std::isfinite(value) ? std::round(value * steps) / steps : value; }

// To five digits: what a picture can show, in few bytes.
double short_number(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double steps = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(steps) && steps > 0 ? std::round(value * steps) / steps : value;
}

// The ids of the rows that a page names. Sources read ids from files, so rows that are near to each other are asked for
// together.
class Ids {
 public:
  Ids(const FactSources& sources, const PageContext& context) {
    if (!context.ids) return;
    std::set<Index> rows;
    const auto need = [&](const std::vector<Notable>& notables) {
      for (const Notable& one : notables) rows.insert(one.row);
    };
    need(sources.report.farthest);
    for (const ClusterMembers& members : sources.report.cluster_members) {
      need(members.typical);
      need(members.borderline);
    }
    if (sources.picture != nullptr) {
      for (const PicturePoint& point : sources.picture->points) rows.insert(point.row);
    }
    for (auto next = rows.begin(); next != rows.end();) {
      const Index first = *next;
      Index last = first;
      auto end = next;
      while (end != rows.end() && *end - last <= kNearRows && *end - first < kRowsAtOnce) last = *end++;
      const std::vector<std::string> found = context.ids(first, last - first + 1);
      for (; next != end; ++next) {
        const auto at = static_cast<std::size_t>(*next - first);
        if (at < found.size()) ids_[*next] = shortened(found[at]);
      }
    }
  }

  std::string of(Index row) const {
    const auto found = ids_.find(row);
    return found != ids_.end() ? found->second : std::string();
  }
  // Adds "id" beside every "row" of some notable instances.
  void name(json& notables) const {
    for (json& one : notables) {
      const std::string id = of(one["row"].get<Index>());
      if (!id.empty()) one["id"] = id;
    }
  }

 private:
  static constexpr Index kNearRows = 64;      // between two rows that are asked for together
  static constexpr Index kRowsAtOnce = 8192;  // at most

  std::map<Index, std::string> ids_;
};

// Features by name, each once, with their range.
class FeatureTable {
 public:
  FeatureTable(const Schema& schema, const Survey* survey) : schema_(schema), survey_(survey) {}

  std::size_t at(std::size_t view, Index feature) {
    const auto [found, fresh] = places_.try_emplace({view, feature}, places_.size());
    if (!fresh) return found->second;
    const auto j = static_cast<std::size_t>(feature);
    json one{{"view", view}, {"name", shortened(schema_.views[view].feature_name(feature))}};
    if (survey_ != nullptr) {
      const ViewSurvey& seen = survey_->views[view];
      one["low"] = short_number(seen.minimum[j]);
      one["high"] = short_number(seen.maximum[j]);
    }
    table_.push_back(std::move(one));
    return found->second;
  }
  json table() { return std::move(table_); }

 private:
  const Schema& schema_;
  const Survey* survey_;
  std::map<std::pair<std::size_t, Index>, std::size_t> places_;
  json table_ = json::array();
};

json nodes_json(const Picture& picture) {
  json out{{"x", json::array()}, {"y", json::array()}, {"mass", json::array()}};
  for (Index p = 0; p < picture.at.rows(); ++p) {
    out["x"].push_back(rounded(picture.at(p, 0), 1e4));
    out["y"].push_back(rounded(picture.at(p, 1), 1e4));
    out["mass"].push_back(short_number(picture.mass(p)));
  }
  return out;
}

json edges_json(const Picture& picture) {
  json out = json::array();
  for (const PictureEdge& edge : picture.edges) out.push_back({edge.one, edge.other, rounded(edge.weight, 1e3)});
  return out;
}

json points_json(const Picture& picture, const PageContext& context, const Ids& ids, std::size_t count) {
  json out{{"row", json::array()},        {"pattern", json::array()},  {"label", json::array()},
           {"confidence", json::array()}, {"distance", json::array()}, {"near", json::array()},
           {"weight", json::array()}};
  for (std::size_t i = 0; i < count; ++i) {
    const PicturePoint& point = picture.points[i];
    out["row"].push_back(point.row);
    out["pattern"].push_back(point.pattern);
    out["label"].push_back(point.label);
    out["confidence"].push_back(rounded(point.confidence, 1e3));
    out["distance"].push_back(short_number(rounded(point.distance, 1e3)));
    out["near"].push_back(point.near);
    json weights = json::array();
    for (const double weight : point.weights) weights.push_back(std::llround(weight * kWeightSteps));
    out["weight"].push_back(std::move(weights));
    if (context.ids) out["id"].push_back(ids.of(point.row));
    if (context.class_of) {
      const int known = context.class_of(point.row);
      out["class"].push_back(known == kNoClass ? json() : json(known));
    }
  }
  return out;
}

json levels_json(const Picture& picture, FeatureTable& features) {
  json out = json::array();
  for (const PictureLevel& level : picture.levels) {
    json one{{"own", level.own}, {"numbers", level.numbers}, {"group", level.group}};
    for (const double size : level.sizes) one["sizes"].push_back(std::round(size));
    for (const std::vector<PictureFeature>& cluster : level.features) {
      json list = json::array();
      for (const PictureFeature& feature : cluster) {
        list.push_back(
            {features.at(feature.view, feature.feature), short_number(feature.own), short_number(feature.rest)});
      }
      one["features"].push_back(std::move(list));
    }
    out.push_back(std::move(one));
  }
  return out;
}

json heat_json(const PictureHeat& heat, FeatureTable& features) {
  json out{
      {"features", json::array()}, {"mean", json::array()}, {"deviation", json::array()}, {"means", json::array()}};
  for (const PictureHeat::Row& row : heat.rows) {
    out["features"].push_back(features.at(row.view, row.feature));
    out["mean"].push_back(short_number(row.mean));
    out["deviation"].push_back(short_number(row.deviation));
    json means = json::array();
    for (const double mean : row.means) means.push_back(std::isnan(mean) ? json() : json(short_number(mean)));
    out["means"].push_back(std::move(means));
  }
  return out;
}

// Values of a feature, from the lowest to the highest but for one in fifty on either side, in 64 steps: a letter for
// each instance, and a dot where the value is missing.
json values_json(const PictureValues& values, FeatureTable& features, std::size_t count) {
  constexpr std::string_view kSteps = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<double> known;
  for (const double value : values.of_point) {
    if (!std::isnan(value)) known.push_back(value);
  }
  std::sort(known.begin(), known.end());
  const std::size_t rare = known.size() / 50;
  const double low = known.empty() ? 0 : known[rare];
  const double high = known.empty() ? 0 : known[known.size() - 1 - rare];
  std::string steps;
  for (std::size_t i = 0; i < std::min(count, values.of_point.size()); ++i) {
    const double share = high > low ? std::clamp((values.of_point[i] - low) / (high - low), 0.0, 1.0) : 0.5;
    steps += std::isnan(values.of_point[i]) ? '.' : kSteps[static_cast<std::size_t>(share * 63)];
  }
  return {{"feature", features.at(values.view, values.feature)},
          {"low", short_number(low)},
          {"high", short_number(high)},
          {"steps", steps}};
}

// Clusters of a method without prototypes: one level, without a map.
json plain_level(const FactSources& sources, FeatureTable& features) {
  json one{{"own", true},
           {"numbers", sources.report.cluster_numbers},
           {"sizes", sources.report.cluster_sizes},
           {"group", json::array()},
           {"features", json::array()}};
  for (const auto& views : sources.features) {
    json list = json::array();
    for (std::size_t v = 0; v < views.size(); ++v) {
      for (const Feature& feature : views[v]) {
        const double rest = feature.lift != 0 ? feature.weight / feature.lift : 0;
        list.push_back({features.at(v, feature.number), short_number(feature.weight), short_number(rest)});
      }
    }
    one["features"].push_back(std::move(list));
  }
  return json::array({std::move(one)});
}

json made_json(const FactSources& sources, const PageContext& context) {
  json out{{"program", "omvc"},
           {"version", OMVC_VERSION},
           {"command", context.command},
           {"options", options_json(sources.options)},
           {"files", json::array()}};
  for (const auto& [name, size] : context.files) out["files"].push_back({{"name", name}, {"bytes", size}});
  if (sources.report.fingerprint != 0) out["fingerprint"] = fmt::format("{:016x}", sources.report.fingerprint);
  return out;
}

json summary_json(const FactSources& sources, const Ids& ids) {
  json out = report_json(sources.report);
  ids.name(out["farthest"]);
  for (json& members : out["cluster_members"]) {
    ids.name(members["typical"]);
    ids.name(members["borderline"]);
  }
  for (json& view : out["view_details"]) view["name"] = shortened(view["name"].get<std::string>());
  return out;
}

}  // namespace

std::string facts_text(const FactSources& sources, const PageContext& context, std::size_t bytes) {
  const Ids ids(sources, context);
  json facts{{"format", "omvc-report"}, {"format_version", 1}};
  facts["title"] = shortened(context.title.empty() ? "omvc report" : context.title);
  facts["whole"] = sources.whole;
  facts["summary"] = summary_json(sources, ids);
  if (context.scored != nullptr && context.scored->scored() > 0) facts["truth"] = truth_json(*context.scored);
  for (const std::string& name : context.class_names) facts["class_names"].push_back(shortened(name));
  facts["made"] = made_json(sources, context);
  FeatureTable features(sources.schema, sources.survey);
  const Picture* picture = sources.picture;
  facts["levels"] = picture != nullptr ? levels_json(*picture, features) : plain_level(sources, features);
  if (picture != nullptr) facts["heat"] = heat_json(picture->heat, features);
  facts["features"] = features.table();
  facts["units"] = picture != nullptr;
  if (picture == nullptr) return json_text(facts);
  facts["eigenvalues"] = picture->eigenvalues;
  facts["map"] = {{"nodes", nodes_json(*picture)},
                  {"edges", edges_json(*picture)},
                  {"patterns", picture->patterns},
                  {"rows", picture->rows}};
  std::size_t count = picture->points.size();
  while (true) {
    facts["map"]["points"] = points_json(*picture, context, ids, count);
    facts["map"]["values"] = json::array();
    for (const PictureValues& values : picture->values) {
      facts["map"]["values"].push_back(values_json(values, features, count));
    }
    std::string text = json_text(facts);
    if (text.size() <= bytes || count <= static_cast<std::size_t>(kFewestPoints)) return text;
    count /= 2;
  }
}

}  // namespace omvc
