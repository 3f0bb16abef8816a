#include "reproduce/data_sets.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

#include "omvc/error.hpp"
#include "omvc/input.hpp"
#include "omvc/mask.hpp"

namespace omvc::app {
namespace {

namespace fs = std::filesystem;

constexpr Index kLargeChunk = 2000;  // for Reuters and YouTube, as in the paper

// Data of the shape of Reuters and YouTube, with as many chunks a pass as the real sets have.
const PlantedOptions kReutersShape{.instances = 2800,
                                   .features = {21531, 24893, 34279, 15506, 11547},
                                   .density = {0.004, 0.004, 0.003, 0.005, 0.007},
                                   .clusters = 6,
                                   .separation = 1,
                                   .noise = 3,
                                   .seed = 2009};
const PlantedOptions kYouTubeShape{.instances = 4600,
                                   .features = {512, 2000, 1000},
                                   .density = {1, 0.05, 0.02},
                                   .clusters = 31,
                                   .separation = 1,
                                   .noise = 2,
                                   .seed = 2013};

std::vector<Index> order_of(const DataSet& set, Index rows, const std::string& folder, std::uint64_t seed) {
  const std::string file = fmt::format("{}/masks/{}-order-{}.txt", folder, set.name, seed);
  if (!fs::exists(file)) return random_order(rows, seed);
  std::vector<Index> order = read_order(file);
  if (static_cast<Index>(order.size()) == rows) return order;
  throw Error(ErrorKind::data, fmt::format("{} lists {} rows, and {} has {}: mend or remove the file", file,
                                           order.size(), set.title, rows));
}

std::vector<bool> mask_of(const DataSet& set, const LoadedSet& data, const std::string& folder, int missing,
                          std::uint64_t seed) {
  const std::string file = fmt::format("{}/masks/{}-cyclic-{}-{}.txt", folder, set.name, missing, seed);
  const Index rows = data.table.size();
  const auto views = static_cast<Index>(data.schema.views.size());
  if (!fs::exists(file)) return make_mask(MaskProtocol::cyclic, rows, views, missing / 100.0, seed);
  std::vector<bool> mask = read_presence(file, views);
  if (static_cast<Index>(mask.size()) == rows * views) return mask;
  throw Error(ErrorKind::data, fmt::format("{} has {} rows, and {} has {}: mend or remove the file", file,
                                           static_cast<Index>(mask.size()) / views, set.title, rows));
}

bool all_exist(const std::vector<std::string>& files) {
  return std::all_of(files.begin(), files.end(), [](const std::string& file) { return fs::is_regular_file(file); });
}

// The sizes of the files, masks and orders included, which tell other data under the same names from those that results
// were computed on.
std::string stamp_of(const DataSet& set, const std::string& folder) {
  std::string stamp;
  for (const std::string& file : set.files) stamp += fmt::format("{} ", fs::file_size(file));
  if (!set.labels.empty()) stamp += fmt::format("{}", fs::file_size(set.labels));
  if (set.planted) stamp += fmt::format("planted {}", set.planted->instances);
  std::map<std::string, std::uintmax_t> masks;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder + "/masks", none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(set.name + "-")) masks[name] = entry.file_size();
  }
  for (const auto& [name, size] : masks) stamp += fmt::format(" {} {}", name, size);
  return stamp;
}

class Finder {
 public:
  explicit Finder(const std::string& folder) : folder_(folder) {}

  bool add(DataSet set) {
    for (std::string& file : set.files) file = folder_ + "/" + file;
    if (!set.labels.empty()) set.labels = folder_ + "/" + set.labels;
    if (!all_exist(set.files) || (!set.labels.empty() && !all_exist({set.labels}))) return false;
    set.stamp = stamp_of(set, folder_);
    if (!set.stand_in.empty()) {
      found.absent.push_back(
          fmt::format("{} is absent: {}", set.role == "reuters" ? "Reuters" : "YouTube", set.stand_in));
    }
    found.sets.push_back(std::move(set));
    return true;
  }
  void absent(const std::string& sentence) { found.absent.push_back(sentence); }

  FoundSets found;

 private:
  std::string folder_;
};

}  // namespace

FoundSets find_data_sets(const std::string& folder) {
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::io,
                fmt::format("{}: there is no such folder; --data names the folder of the data sets", folder));
  }
  Finder finder(folder);
  if (!finder.add({.name = "webkb", .role = "webkb", .title = "WebKB", .files = {"webkb/WebKB.mat"}})) {
    finder.absent(fmt::format("WebKB is absent: {}/webkb/WebKB.mat is what would be read", folder));
  }
  if (!finder.add(
          {.name = "digit",
           .role = "digit",
           .title = "Digit",
           .files = {"digit/mfeat-fou", "digit/mfeat-fac", "digit/mfeat-kar", "digit/mfeat-pix", "digit/mfeat-zer"},
           .labels = "digit/labels.txt"})) {
    finder.absent(fmt::format("Digit is absent: {}/digit/mfeat-* and labels.txt are what would be read", folder));
  }
  finder.add({.name = "reuters",
              .role = "reuters",
              .title = "Reuters",
              .chunk = kLargeChunk,
              .large = true,
              .files = {"reuters.h5mu"}}) ||
      finder.add({.name = "reuters-1200",
                  .role = "reuters",
                  .title = "Reuters subset of 1,200",
                  .stand_in = "its subset of 1,200 documents with 2,000 words a language stands in for it",
                  .large = true,
                  .files = {"reuters-1200/Reuters_1200_sparse.mat"}}) ||
      finder.add({.name = "reuters-600",
                  .role = "reuters",
                  .title = "Reuters subset of 600",
                  .stand_in = "its subset of 600 documents stands in for it",
                  .large = true,
                  .files = {"reuters-600/reuters.mat"}}) ||
      finder.add({.name = "reuters-shape",
                  .role = "reuters",
                  .title = "planted data of Reuters' shape",
                  .stand_in = "planted data with its views and clusters and 2,800 instances stand in for it",
                  .large = true,
                  .planted = kReutersShape});
  finder.add({.name = "youtube",
              .role = "youtube",
              .title = "YouTube",
              .chunk = kLargeChunk,
              .large = true,
              .files = {"youtube.h5mu"}}) ||
      finder.add({.name = "youtube-shape",
                  .role = "youtube",
                  .title = "planted data of YouTube's shape",
                  .stand_in = "planted data with its views and clusters and 4,600 instances stand in for it",
                  .chunk = 100,
                  .large = true,
                  .planted = kYouTubeShape});
  return std::move(finder.found);
}

LoadedSet load_set(const DataSet& set) {
  LoadedSet loaded;
  std::unique_ptr<Source> source;
  std::optional<std::vector<int>> truth;
  if (set.planted) {
    source = make_planted_source(*set.planted);
    truth.emplace();
    for (Index row = 0; row < set.planted->instances; ++row) truth->push_back(planted_label(*set.planted, row));
  } else {
    const bool converted = set.files[0].ends_with(".h5mu");
    Input input = open_input(set.files, converted ? InputOptions{.label_column = "truth"} : InputOptions{});
    source = std::move(input.source);
    truth = std::move(input.truth);
    if (!set.labels.empty()) truth = read_labels(set.labels);
  }
  loaded.schema = source->schema();
  loaded.table = read_all(*source);
  if (!truth || static_cast<Index>(truth->size()) != loaded.table.size()) {
    throw Error(
        ErrorKind::data,
        fmt::format("{}: there are {} class labels for {} instances: scoring needs one for each",
                    set.labels.empty() ? set.files[0] : set.labels, truth ? truth->size() : 0, loaded.table.size()));
  }
  loaded.truth = std::move(*truth);
  loaded.clusters = static_cast<int>(std::set<int>(loaded.truth.begin(), loaded.truth.end()).size());
  if (loaded.clusters < 2) {
    throw Error(ErrorKind::data, fmt::format("{}: all class labels are the same", set.title));
  }
  return loaded;
}

void check_stream(const DataSet& set, const LoadedSet& data, const std::string& folder, int missing,
                  std::uint64_t seed) {
  order_of(set, data.table.size(), folder, seed);
  if (missing > 0) mask_of(set, data, folder, missing, seed);
}

std::unique_ptr<Source> stream_of(const DataSet& set, const LoadedSet& data, const std::string& folder, int missing,
                                  std::uint64_t seed, Index limit) {
  auto source = make_table_source(data.schema, data.table, order_of(set, data.table.size(), folder, seed));
  if (missing > 0) source = make_masked_source(std::move(source), mask_of(set, data, folder, missing, seed));
  if (limit <= 0 || limit >= data.table.size()) return source;
  std::optional<Chunk> some = source->next(limit);
  for (std::size_t i = 0; i < some->rows.size(); ++i) some->rows[i] = static_cast<Index>(i);
  return make_table_source(data.schema, std::move(*some));
}

}  // namespace omvc::app
