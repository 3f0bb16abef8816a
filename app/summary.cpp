#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "omvc/error.hpp"
#include "omvc/explain.hpp"
#include "omvc/kmeans.hpp"
#include "omvc/page.hpp"

#include "choice.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

constexpr int kRuns = 20;  // single-start k-means runs that the paper averages over
constexpr Index kBlock = 4096;
constexpr std::size_t kTerminalWidth = 80;

// Products with the data for each chunk of a pass; none where the chunks were not counted.
std::optional<double> products_per_chunk(const PassReport& pass) {
  if (pass.chunks == 0) return std::nullopt;
  Index products = 0;
  for (const ProductCount& count : pass.products) products += count.times + count.transpose_times;
  return static_cast<double>(products) / static_cast<double>(pass.chunks);
}

// What a step is called in a table.
std::string title_of(const std::string& step) {
  static const std::map<std::string, std::string> kTitles{{"opening", "opening the data"},
                                                          {"first_look", "first look at the data"},
                                                          {"reading", "reading and placing, beside the rest"},
                                                          {"waiting", "waiting for data"},
                                                          {"prepare", "preparing chunks"},
                                                          {"times", "products X U"},
                                                          {"transpose_times", "products X' V"},
                                                          {"gram", "products V' V and U' U"},
                                                          {"row_solver", "row solver"},
                                                          {"learning", "rest of learning"},
                                                          {"prototypes", "rest of prototypes"},
                                                          {"kmeans", "k-means"},
                                                          {"neighbours", "neighbours among rows"},
                                                          {"readers", "readers of the views"},
                                                          {"eigenvectors", "eigenvectors"},
                                                          {"checkpoint", "writing checkpoints"},
                                                          {"results", "writing results"},
                                                          {"saving", "saving models"},
                                                          {"page", "writing the page"}};
  const auto found = kTitles.find(step);
  return found != kTitles.end() ? found->second : step;
}

}  // namespace

MeanScores mean_scores(const Embedding& embedding, const std::vector<int>& truth, const Options& options) {
  const Index r = embedding.rank();
  std::vector<double> rows = sample_rows(embedding, kmeans_sample_size(options.clusters), options.seed);
  const Index count = static_cast<Index>(rows.size()) / r;
  const std::vector<KMeansResult> runs = kmeans_each_start(
      {rows.data(), count, r},
      {.clusters = options.clusters, .starts = kRuns, .seed = options.seed, .threads = options.threads});

  std::vector<Contingency> counts(runs.size());
  std::vector<double> block;
  for (Index first = 0; first < embedding.rows(); first += kBlock) {
    const Index height = std::min(kBlock, embedding.rows() - first);
    block.resize(static_cast<std::size_t>(height * r));
    embedding.read(first, height, block.data());
    for (Index i = 0; i < height; ++i) {
      const std::span<const double> row(block.data() + i * r, static_cast<std::size_t>(r));
      for (std::size_t run = 0; run < runs.size(); ++run) {
        const int label = std::isnan(row[0]) ? -1 : nearest_centre(row, runs[run].centres);
        counts[run].add(label, truth[static_cast<std::size_t>(first + i)]);
      }
    }
  }
  MeanScores mean;
  for (const Contingency& table : counts) {
    const Scores scores = score(table);
    mean.nmi += scores.nmi_geometric;
    mean.ac += scores.accuracy;
  }
  mean.nmi /= static_cast<double>(counts.size());
  mean.ac /= static_cast<double>(counts.size());
  return mean;
}

ScoringObserver::ScoringObserver(bool quiet, const std::optional<std::vector<int>>& truth, const Options& options,
                                 std::function<void(Index)> check_truth)
    : ConsoleObserver(quiet), truth_(&truth), options_(options), check_truth_(std::move(check_truth)) {}

void ScoringObserver::on_start(const Report& known, int passes) {
  if (*truth_ && check_truth_ && known.instances > 0) check_truth_(known.instances);
  ConsoleObserver::on_start(known, passes);
}

void ScoringObserver::on_pass(const PassReport& pass, const Embedding& embedding) {
  // A pass that is broken off may not have seen enough instances to be scored.
  if (*truth_ && check_truth_ && !stop_requested()) check_truth_(embedding.rows());
  // The living model is scored once, by the labels that it writes.
  const bool scored = *truth_ && !stop_requested() && options_.method != Algorithm::omvc;
  if (scored) scores_.push_back(mean_scores(embedding, **truth_, options_));
  ConsoleObserver::on_pass(pass, embedding);
}

std::string ScoringObserver::describe(const PassReport& pass) {
  std::string text = ConsoleObserver::describe(pass);
  if (!scores_.empty()) text += fmt::format(", NMI {:.4f}, AC {:.4f}", scores_.back().nmi, scores_.back().ac);
  return text;
}

void ScoringSink::write(const ResultRows& rows) {
  if (!*truth_) return;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    counts_.add(rows.labels[i], (*truth_)->at(static_cast<std::size_t>(rows.first_row) + i));
  }
}

nlohmann::json summarise(const Report& report, const std::vector<MeanScores>& scores, const Contingency& labels) {
  nlohmann::json out = nlohmann::json::parse(to_json(report));
  out["peak_rss_bytes"] = peak_rss_bytes();
  // A resumed run has scored the last passes only.
  const std::size_t unscored = report.passes.size() - std::min(scores.size(), report.passes.size());
  for (std::size_t i = unscored; i < report.passes.size(); ++i)
    out["per_pass"][i].update({{"nmi", scores[i - unscored].nmi}, {"ac", scores[i - unscored].ac}});
  if (!scores.empty()) out.update({{"nmi", scores.back().nmi}, {"ac", scores.back().ac}});
  if (labels.scored() > 0) {
    const Scores best = score(labels);
    out.update({{"nmi_best", best.nmi_geometric}, {"ac_best", best.accuracy}, {"ari_best", best.ari}});
  }
  return out;
}

void name_members(nlohmann::json& summary, Source& source) {
  if (source.ids(0, 1).empty()) return;
  const auto name = [&](nlohmann::json& members) {
    for (nlohmann::json& one : members) {
      const std::vector<std::string> found = source.ids(one["row"].get<Index>(), 1);
      if (!found.empty()) one["id"] = found.front();
    }
  };
  if (summary.contains("farthest")) name(summary["farthest"]);
  if (!summary.contains("cluster_members")) return;
  for (nlohmann::json& members : summary["cluster_members"]) {
    name(members["typical"]);
    name(members["borderline"]);
  }
}

std::string feature_list(const Clusterer& model, std::size_t view, int cluster, int count) {
  std::string text;
  for (const Feature& feature : top_features(model, view, cluster, count)) {
    // A number beside a sign would read as a value.
    const bool number = feature.name.find_first_not_of("0123456789") == std::string::npos;
    text += fmt::format("{}{}{}{}{}", text.empty() ? "" : " ", feature.high ? '+' : '-', number ? "[" : "",
                        feature.name, number ? "]" : "");
  }
  return text;
}

std::string feature_table(const Clusterer& model, const std::vector<std::string>& sizes, int count) {
  const std::vector<ViewSchema>& views = model.schema().views;
  const std::vector<int> clusters = model.clusters();
  std::vector<std::vector<std::string>> wide{{"cluster", "size"}};
  std::vector<std::vector<std::string>> narrow{{"cluster", "size", "view", "features"}};
  for (const ViewSchema& view : views) wide[0].push_back(view.name);
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    const std::string number = fmt::format("{}", clusters[k]);
    const std::string size = k < sizes.size() ? sizes[k] : "not kept";
    wide.push_back({number, size});
    for (std::size_t v = 0; v < views.size(); ++v) {
      const std::string features = feature_list(model, v, clusters[k], count);
      wide.back().push_back(features + ' ');  // so that signs alone are no numbers
      narrow.push_back({v == 0 ? number : "", v == 0 ? size : "", views[v].name, features});
    }
  }
  const std::string text = format_table(wide);
  const std::size_t width = text.find('\n', text.find('\n') + 1) - text.find('\n') - 1;
  return "Clusters, and the features that tell them apart (+ higher there, - lower)\n" +
         (width > kTerminalWidth ? format_table(narrow) : text);
}

std::string describe_clusters(const Report& report, const Clusterer& model) {
  constexpr int kFeatures = 4;
  constexpr std::size_t kPatterns = 8;
  std::vector<std::vector<std::string>> rows{{"view", "explained"}};
  const auto lacks = [](const ViewReport& view) { return view.missing > 0; };
  const bool cells = std::any_of(report.views.begin(), report.views.end(), lacks);
  const auto worth = [](const ViewReport& view) { return !std::isnan(view.worth); };
  const bool worths = std::any_of(report.views.begin(), report.views.end(), worth);
  if (worths) rows[0].push_back("worth");
  if (cells) rows[0].push_back("cells missing");
  for (const ViewReport& view : report.views) {
    rows.push_back({view.name, fmt::format("{:.3f}", view.explained)});
    if (worths) rows.back().push_back(fmt::format("{:.2f}", view.worth));
    const double all = static_cast<double>(view.observed) * static_cast<double>(view.table_columns);
    if (cells)
      rows.back().push_back(
          fmt::format("{} ({:.1f} %)", view.missing, 100 * static_cast<double>(view.missing) / std::max(all, 1.0)));
  }
  std::string out;
  if (report.choice) out += describe_choice(*report.choice) + "\n";
  if (!report.found_by.empty()) {
    const bool sure = !report.confidence_histogram.empty();
    out += fmt::format("Found by {}; {}{} outliers\n{}\n", report.found_by,
                       sure ? fmt::format("mean confidence {:.2f}, ", report.confidence) : "", report.outliers,
                       describe_events(report.events));
  }
  out += "How much of each view the clusters explain\n" + format_table(rows);

  std::vector<std::string> sizes;
  for (const Index size : report.cluster_sizes) sizes.push_back(fmt::format("{}", size));
  out += "\n" + feature_table(model, sizes, kFeatures);

  if (report.patterns.size() < 2) return out;
  rows = {{"views present", "instances"}};
  for (const int number : report.cluster_numbers) rows[0].push_back(fmt::format("{}", number));
  for (std::size_t i = 0; i < std::min(kPatterns, report.patterns.size()); ++i) {
    const PatternReport& pattern = report.patterns[i];
    std::string present;
    for (const bool here : pattern.present) present += here ? "#" : ".";
    rows.push_back({present, fmt::format("{}", pattern.instances)});
    for (const Index size : pattern.cluster_sizes) rows.back().push_back(fmt::format("{}", size));
  }
  out += fmt::format("\nPresence patterns (# present, in the order of the views) over the clusters; NMI {:.3f}\n{}",
                     report.pattern_nmi, format_table(rows));
  if (report.patterns.size() > kPatterns)
    out += fmt::format("  and {} more pattern{}\n", report.patterns.size() - kPatterns,
                       report.patterns.size() == kPatterns + 1 ? "" : "s");
  return out;
}

std::string describe_profile(const Report& report) {
  std::vector<StepTime> steps = report.profile;
  std::stable_sort(steps.begin(), steps.end(), [](const StepTime& a, const StepTime& b) {
    return std::pair(a.name == "other", -a.seconds) < std::pair(b.name == "other", -b.seconds);
  });
  double total = 0;
  for (const StepTime& step : steps) total += step.overlaps ? 0 : step.seconds;
  std::vector<std::vector<std::string>> rows{{"step", "seconds", "% of total"}};
  const auto add = [&](const std::string& title, double seconds) {
    rows.push_back({title, fmt::format("{:.3f}", seconds), fmt::format("{:.1f}", 100 * seconds / total)});
  };
  for (const StepTime& step : steps) add(title_of(step.name), step.seconds);
  add("total", total);
  std::string out = "Where the time went\n" + format_table(rows);

  rows = {{"pass", "chunks", "products a chunk", "columns: X U, X' V"}};
  for (const PassReport& pass : report.passes) {
    const std::optional<double> products = products_per_chunk(pass);
    rows.push_back({fmt::format("{}", pass.pass), fmt::format("{}", pass.chunks),
                    products ? fmt::format("{:.1f}", *products) : "", ""});
    for (const ProductCount& count : pass.products) {
      rows.back().back() += fmt::format("{}{}: {}, {}", rows.back().back().empty() ? "" : "; ", count.columns,
                                        count.times, count.transpose_times);
    }
  }
  return out + "\nProducts of a view of a chunk with a matrix of so many columns\n" + format_table(rows);
}

long peak_rss_bytes() {
  // getrusage would count the memory of the parent process at the time of the fork as ours.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace omvc::app
