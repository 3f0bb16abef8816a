#include "source/rows/row_builder.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostFeatures = std::size_t{1} << 30;

// What a model keeps of a view takes the room of a thousand features, whatever features it has.
Index most_views(Index max_features) {
  constexpr Index kFeatures = 1024;
  constexpr Index kLeast = 64;
  return std::max(kLeast, max_features / kFeatures);
}

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::data, message); }

}  // namespace

RowBuilder::RowBuilder(RowsLike like) : like_(std::move(like)) {
  like_.sparse.resize(like_.schema.views.size(), false);
  views_.resize(like_.schema.views.size());
  for (std::size_t v = 0; v < views_.size(); ++v) index(v);
}

void RowBuilder::index(std::size_t view) {
  const ViewSchema& schema = like_.schema.views[view];
  places_.emplace(schema.name, view);
  for (std::size_t j = 0; j < schema.feature_names.size(); ++j) {
    views_[view].places.emplace(schema.feature_names[j], j);
  }
  find_by_number(view);
}

void RowBuilder::find_by_number(std::size_t view) {
  const std::vector<std::string>& names = like_.schema.views[view].feature_names;
  views_[view].by_number =
      std::none_of(names.begin(), names.end(), [](const std::string& name) { return parse_index(name).has_value(); });
}

// From now on it is what it would be if it had started with this schema.
void RowBuilder::freeze() {
  if (!like_.grows) return;
  like_.grows = false;
  for (std::size_t v = 0; v < views_.size(); ++v) find_by_number(v);
}

std::string RowBuilder::named(std::size_t view) const { return "view " + quoted(like_.schema.views[view].name); }

std::string RowBuilder::known_views() const {
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t v = 0; v < std::min(kShown, views_.size()); ++v) {
    names += (v == 0 ? "" : ", ") + quoted(like_.schema.views[v].name);
  }
  return names + (views_.size() > kShown ? ", ..." : "");
}

void RowBuilder::begin() {
  ++line_;
  views_before_ = views_.size();
  growth_before_ = growth_;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    views_[v].values_before = views_[v].values.size();
    views_[v].rows_before = views_[v].present.size();
    views_[v].features_before = like_.schema.views[v].feature_names.size();
  }
}

void RowBuilder::end() { ++rows_; }

void RowBuilder::abandon() {
  for (std::size_t v = views_before_; v < views_.size(); ++v) {
    places_.erase(places_.find(like_.schema.views[v].name));
  }
  views_.resize(views_before_);
  like_.schema.views.resize(views_before_);
  like_.sparse.resize(views_before_);
  growth_ = growth_before_;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    View& view = views_[v];
    view.values.resize(view.values_before);
    if (like_.sparse[v]) view.columns.resize(view.values_before);
    view.present.resize(view.rows_before);
    view.offsets.resize(like_.sparse[v] ? view.rows_before + 1 : 1);
    std::vector<std::string>& names = like_.schema.views[v].feature_names;
    if (names.size() == view.features_before) continue;
    for (std::size_t j = view.features_before; j < names.size(); ++j) view.places.erase(names[j]);
    names.resize(view.features_before);
    like_.schema.views[v].features = static_cast<Index>(names.size());
  }
}

void RowBuilder::add_view(std::string_view name, bool sparse) {
  like_.schema.views.push_back({std::string(name), 0, {}});
  like_.sparse.push_back(sparse);
  views_.emplace_back();
  places_.emplace(name, views_.size() - 1);
  ++growth_;
}

std::optional<std::size_t> RowBuilder::view(std::string_view name, bool sparse) {
  const auto found = places_.find(name);
  const bool known = found != places_.end();
  const std::size_t place = known ? found->second : views_.size();
  if (!known && !like_.grows) {
    if (like_.ignore_extra) return std::nullopt;
    refuse(
        fmt::format("the model has no view {}; it has {}: name the view as there, or leave out what the model does "
                    "not know with --ignore-extra",
                    quoted(name), known_views()));
  }
  if (!known && like_.max_features > 0 && static_cast<Index>(place) >= most_views(like_.max_features)) {
    refuse(
        fmt::format("there are more than {} views, which is all that a new stream has room for: give numbers of one "
                    "kind as one view, or --memory",
                    most_views(like_.max_features)));
  }
  if (!known) add_view(name, sparse);
  if (views_[place].seen == line_) refuse(fmt::format("view {} comes twice", quoted(name)));
  views_[place].seen = line_;
  return place;
}

std::optional<std::size_t> RowBuilder::feature(std::size_t view, std::string_view name) {
  View& own = views_[view];
  ViewSchema& schema = like_.schema.views[view];
  if (const auto found = own.places.find(name); found != own.places.end()) return found->second;
  const bool unnamed = schema.feature_names.empty() && schema.features > 0;
  const bool takes_names = like_.sparse[view] && !unnamed && (like_.grows || like_.new_names);
  if (own.by_number && !like_.grows && !takes_names) {
    const std::optional<Index> number = parse_index(name);
    if (number && *number >= 0 && *number < schema.features) return static_cast<std::size_t>(*number);
  }
  if (takes_names) {
    const std::size_t most = like_.max_features > 0 ? static_cast<std::size_t>(like_.max_features) : kMostFeatures;
    if (schema.feature_names.size() >= most) {
      ++left_out_;
      return std::nullopt;
    }
    schema.feature_names.emplace_back(name);
    schema.features = static_cast<Index>(schema.feature_names.size());
    own.places.emplace(name, schema.feature_names.size() - 1);
    ++growth_;
    return schema.feature_names.size() - 1;
  }
  if (like_.ignore_extra) return std::nullopt;
  refuse(fmt::format("{}: the model has no feature {}{}; leave out what it does not know with --ignore-extra",
                     named(view), quoted(name),
                     unnamed ? fmt::format(" (its features are the numbers 0 to {})", schema.features - 1) : ""));
}

std::vector<std::optional<std::size_t>> RowBuilder::columns(std::size_t view, const std::vector<std::string>& names) {
  ViewSchema& schema = like_.schema.views[view];
  if (schema.features == 0) {  // new
    schema.feature_names = names;
    schema.features = static_cast<Index>(names.size());
    for (std::size_t j = 0; j < names.size(); ++j) views_[view].places.emplace(names[j], j);
  }
  std::vector<std::optional<std::size_t>> places;
  if (schema.feature_names.empty()) {
    if (static_cast<Index>(names.size()) != schema.features) {
      throw Error(ErrorKind::usage, fmt::format("{} has {} features in the model and {} columns here", named(view),
                                                schema.features, names.size()));
    }
    for (std::size_t j = 0; j < names.size(); ++j) places.emplace_back(j);
    return places;
  }
  std::vector<bool> have(schema.feature_names.size());
  for (const std::string& name : names) {
    const auto found = views_[view].places.find(name);
    if (found == views_[view].places.end() && !like_.ignore_extra) {
      throw Error(ErrorKind::usage, fmt::format("{}: the model has no feature {}; leave out what it does not know with "
                                                "--ignore-extra",
                                                named(view), quoted(name)));
    }
    places.push_back(found == views_[view].places.end() ? std::nullopt : std::optional(found->second));
    if (!places.back()) continue;
    if (have[*places.back()]) {
      throw Error(ErrorKind::usage, fmt::format("{}: column {} comes twice", named(view), quoted(name)));
    }
    have[*places.back()] = true;
  }
  const auto lacking = std::find(have.begin(), have.end(), false) - have.begin();
  if (lacking < static_cast<std::ptrdiff_t>(have.size())) {
    throw Error(ErrorKind::usage, fmt::format("{}: the columns lack the feature {} of the model", named(view),
                                              quoted(schema.feature_names[static_cast<std::size_t>(lacking)])));
  }
  return places;
}

void RowBuilder::store_dense(std::size_t view, std::span<const double> values) {
  if (std::all_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) return;
  views_[view].values.insert(views_[view].values.end(), values.begin(), values.end());
  views_[view].present.push_back(rows_);
}

void RowBuilder::store_sparse(std::size_t view, const std::vector<Entry>& entries) {
  View& own = views_[view];
  if (!entries.empty() &&
      std::all_of(entries.begin(), entries.end(), [](const Entry& e) { return std::isnan(e.second); }))
    return;
  for (const auto& [column, value] : entries) {
    own.columns.push_back(column);
    own.values.push_back(value);
  }
  own.offsets.push_back(static_cast<Index>(own.values.size()));
  own.present.push_back(rows_);
}

void RowBuilder::add_dense(std::size_t view, std::span<const double> values) {
  ViewSchema& schema = like_.schema.views[view];
  if (schema.features == 0 && like_.max_features > 0 && static_cast<Index>(values.size()) > like_.max_features) {
    refuse(fmt::format("{} has {} numbers, and a stream takes up to {}: give --max-features {} or more, and --memory",
                       named(view), values.size(), like_.max_features, values.size()));
  }
  if (schema.features == 0 && like_.grows && !like_.sparse[view]) schema.features = static_cast<Index>(values.size());
  if (static_cast<Index>(values.size()) != schema.features || values.empty()) {
    refuse(fmt::format("{} has {} numbers here, and {} features in the model", named(view), values.size(),
                       schema.features));
  }
  if (!like_.sparse[view]) return store_dense(view, values);
  entries_.clear();
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] != 0) entries_.emplace_back(static_cast<std::int32_t>(j), values[j]);
  }
  store_sparse(view, entries_);
}

void RowBuilder::add_entries(std::size_t view, std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  const auto twice = std::adjacent_find(entries.begin(), entries.end(),
                                        [](const Entry& a, const Entry& b) { return a.first == b.first; });
  if (twice != entries.end()) {
    const auto& names = like_.schema.views[view].feature_names;
    const auto at = static_cast<std::size_t>(twice->first);
    refuse(fmt::format("{}: feature {} comes twice", named(view),
                       at < names.size() ? quoted(names[at]) : std::to_string(at)));
  }
  if (like_.sparse[view]) {
    std::erase_if(entries, [](const Entry& entry) { return entry.second == 0; });
    return store_sparse(view, entries);
  }
  dense_.assign(static_cast<std::size_t>(like_.schema.views[view].features), kNan);
  for (const auto& [column, value] : entries) dense_[static_cast<std::size_t>(column)] = value;
  store_dense(view, dense_);
}

Chunk RowBuilder::take() {
  Chunk chunk;
  for (Index i = 0; i < rows_; ++i) chunk.rows.push_back(i);
  for (std::size_t v = 0; v < views_.size(); ++v) {
    View& view = views_[v];
    const auto rows = static_cast<Index>(view.present.size());
    const Index features = like_.schema.views[v].features;
    if (like_.sparse[v]) {
      chunk.views.push_back(
          {CsrBlock<double>{rows, features, std::move(view.offsets), std::move(view.columns), std::move(view.values)},
           std::move(view.present)});
    } else {
      chunk.views.push_back({DenseBlock<double>{rows, features, std::move(view.values)}, std::move(view.present)});
    }
    view.values.clear();
    view.columns.clear();
    view.offsets.assign(1, 0);
    view.present.clear();
  }
  rows_ = 0;
  return chunk;
}

}  // namespace omvc
