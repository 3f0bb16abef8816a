// Brings the views and features of data into the order of a model.
#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "source/quoted.hpp"
#include "source/two_steps.hpp"

namespace omvc {
namespace {

constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

// Up to five of the names, and how many more there are.
std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) text += (i == 0 ? "" : ", ") + omvc::quoted(names[i]);
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::data, message); }

// Where each wanted name is among those that there are, the n-th of equal ones for the n-th; kUnmatched if nowhere.
std::vector<std::size_t> find_names(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  for (std::size_t i = there.size(); i-- > 0;) places[there[i]].push_back(i);
  std::vector<std::size_t> found;
  for (const std::string& name : wanted) {
    const auto at = places.find(name);
    if (at == places.end() || at->second.empty()) {
      found.push_back(kUnmatched);
      continue;
    }
    found.push_back(at->second.back());
    at->second.pop_back();
  }
  return found;
}

bool same_names(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return !a.empty() && a == b;
}

// Whether two views have at least half of the features of either in common: they are one under two names.
bool shares_most(const ViewSchema& a, const ViewSchema& b) {
  const std::vector<std::size_t> found = find_names(a.feature_names, b.feature_names);
  const auto shared = static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [](std::size_t place) { return place != kUnmatched; }));
  return shared > 0 && 2 * shared >= std::max(a.feature_names.size(), b.feature_names.size());
}

// Whether the fit left this column out: a feature of the same name, or one of a category's values.
bool was_left_out(const ViewSchema& wanted, const std::string& name) {
  const auto& columns = wanted.left_out;
  return std::find(columns.begin(), columns.end(), name) != columns.end() ||
         std::find(columns.begin(), columns.end(), name.substr(0, name.rfind('='))) != columns.end();
}

template <class T>
DenseBlock<T> take_columns(const DenseBlock<T>& block, const std::vector<std::size_t>& from) {
  DenseBlock<T> out{block.rows, static_cast<Index>(from.size()), {}};
  out.values.reserve(static_cast<std::size_t>(block.rows) * from.size());
  for (Index i = 0; i < block.rows; ++i) {
    const auto row = block.row(i);
    for (const std::size_t column : from) out.values.push_back(row[column]);
  }
  return out;
}

template <class T>
CsrBlock<T> take_columns(const CsrBlock<T>& block, const std::vector<std::size_t>& from) {
  std::vector<std::int32_t> to(static_cast<std::size_t>(block.cols), -1);
  for (std::size_t j = 0; j < from.size(); ++j) to[from[j]] = static_cast<std::int32_t>(j);
  CsrBlock<T> out;
  out.rows = block.rows;
  out.cols = static_cast<Index>(from.size());
  std::vector<std::pair<std::int32_t, T>> row;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.rows); ++i) {
    row.clear();
    for (auto k = static_cast<std::size_t>(block.offsets[i]); k < static_cast<std::size_t>(block.offsets[i + 1]); ++k) {
      const std::int32_t column = to[static_cast<std::size_t>(block.columns[k])];
      if (column >= 0) row.emplace_back(column, block.values[k]);
    }
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      out.columns.push_back(column);
      out.values.push_back(value);
    }
    out.offsets.push_back(out.nonzeros());
  }
  return out;
}

// A wanted view: which view of the data it is, and the columns that its features are there.
struct ViewMatch {
  std::size_t view = kUnmatched;     // absent from all instances
  std::vector<std::size_t> columns;  // none: the same in the same order
};

class Matching {
 public:
  Matching(const Schema& data, const Schema& wanted, bool ignore_extra, std::vector<std::string>& notes)
      : data_(data), wanted_(wanted), ignore_extra_(ignore_extra), notes_(notes), matches_(wanted.views.size()) {}

  std::vector<ViewMatch> run() {
    match_views();
    for (std::size_t v = 0; v < matches_.size(); ++v) {
      if (matches_[v].view != kUnmatched) match_features(v);
    }
    return std::move(matches_);
  }

 private:
  // By name; what is left by the names of the features, all of them or most; and, if no view has been found so far, by
  // place.
  void match_views() {
    std::vector<bool> used(data_.views.size());
    const auto pair_by = [&](auto same) {
      for (std::size_t v = 0; v < matches_.size(); ++v) {
        for (std::size_t w = 0; w < used.size() && matches_[v].view == kUnmatched; ++w) {
          if (used[w] || !same(wanted_.views[v], data_.views[w])) continue;
          matches_[v].view = w;
          used[w] = true;
        }
      }
    };
    pair_by([](const ViewSchema& a, const ViewSchema& b) { return a.name == b.name; });
    pair_by([](const ViewSchema& a, const ViewSchema& b) { return same_names(a.feature_names, b.feature_names); });
    pair_by(shares_most);
    if (std::none_of(used.begin(), used.end(), [](bool one) { return one; })) {
      if (used.size() != matches_.size()) fail_view_count();
      for (std::size_t v = 0; v < matches_.size(); ++v) matches_[v].view = v;
      return;
    }
    std::vector<std::string> extra;
    for (std::size_t w = 0; w < used.size(); ++w) {
      if (!used[w]) extra.push_back(data_.views[w].name);
    }
    if (!extra.empty() && !take_rest(used, extra.size())) leave_out(extra);
    std::vector<std::string> lacking;
    for (std::size_t v = 0; v < matches_.size(); ++v) {
      if (matches_[v].view == kUnmatched) lacking.push_back(wanted_.views[v].name);
    }
    if (!lacking.empty()) {
      notes_.push_back(fmt::format("the data lack the model's view{} {}: no instance has {}",
                                   lacking.size() == 1 ? "" : "s", list(lacking), lacking.size() == 1 ? "it" : "them"));
    }
  }

  // One view on either side is left: it can only be the other under another name, unless it is to be left out and does
  // not look like it.
  bool take_rest(const std::vector<bool>& used, std::size_t extra) {
    const auto is_open = [](const ViewMatch& match) { return match.view == kUnmatched; };
    if (extra != 1 || std::count_if(matches_.begin(), matches_.end(), is_open) != 1) return false;
    const auto rest = static_cast<std::size_t>(std::find(used.begin(), used.end(), false) - used.begin());
    ViewMatch& match = *std::find_if(matches_.begin(), matches_.end(), is_open);
    const ViewSchema& wanted = wanted_.views[static_cast<std::size_t>(&match - matches_.data())];
    const ViewSchema& data = data_.views[rest];
    const bool named = !wanted.feature_names.empty() && !data.feature_names.empty();
    if (ignore_extra_ && (named || wanted.features != data.features)) return false;
    match.view = rest;
    notes_.push_back(fmt::format("view {} of the data is taken for {} of the model", omvc::quoted(data.name),
                                 omvc::quoted(wanted.name)));
    return true;
  }

  void leave_out(const std::vector<std::string>& extra) {
    if (!ignore_extra_) {
      fail(
          fmt::format("the model has no view {}; it has {}: name the files so, or as NAME=FILE, or leave them out with "
                      "--ignore-extra",
                      list(extra), list(wanted_names())));
    }
    notes_.push_back(fmt::format("left out, since the model has no such view: {}; the model has {}", list(extra),
                                 list(wanted_names())));
  }

  std::vector<std::string> wanted_names() const {
    std::vector<std::string> names;
    for (const ViewSchema& view : wanted_.views) names.push_back(view.name);
    return names;
  }

  [[noreturn]] void fail_view_count() const {
    fail(
        fmt::format("the model knows {} views ({}), and the data have {}, none of them by these names: give all in the "
                    "order of the fit, or some as NAME=FILE",
                    wanted_.views.size(), list(wanted_names()), data_.views.size()));
  }

  void match_features(std::size_t v) {
    const ViewSchema& wanted = wanted_.views[v];
    const ViewSchema& data = data_.views[matches_[v].view];
    if (wanted.feature_names.empty() || data.feature_names.empty()) {
      if (wanted.features == data.features) return;
      fail(fmt::format("view {} ({}): the model has {} features, and the data have {}", v + 1, wanted.name,
                       wanted.features, data.features));
    }
    if (wanted.feature_names == data.feature_names) return;
    const std::vector<std::size_t> places = find_names(wanted.feature_names, data.feature_names);
    std::vector<std::string> lacking;
    std::vector<bool> used(data.feature_names.size());
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (places[j] == kUnmatched) {
        lacking.push_back(wanted.feature_names[j]);
      } else {
        used[places[j]] = true;
      }
    }
    if (!lacking.empty()) {
      fail(fmt::format(
          "view {} ({}): the data lack {} of the {} features of the model: {}; add the column{}, empty where "
          "nothing is known, or fit a model without {}",
          v + 1, wanted.name, lacking.size(), wanted.features, list(lacking), lacking.size() == 1 ? "" : "s",
          lacking.size() == 1 ? "it" : "them"));
    }
    std::vector<std::string> extra;
    for (std::size_t j = 0; j < used.size(); ++j) {
      if (!used[j]) extra.push_back(data.feature_names[j]);
    }
    std::erase_if(extra, [&](const std::string& name) { return was_left_out(wanted, name); });
    if (!extra.empty() && ignore_extra_) {
      notes_.push_back(fmt::format("view {}: {} column{} that the model lacks {} left out: {}", omvc::quoted(data.name),
                                   extra.size(), extra.size() == 1 ? "" : "s", extra.size() == 1 ? "is" : "are",
                                   list(extra)));
    }
    if (!extra.empty() && !ignore_extra_) {
      fail(fmt::format("view {} ({}): the model has no feature {}; leave out what it does not know with --ignore-extra",
                       v + 1, wanted.name, list(extra)));
    }
    matches_[v].columns = places;
  }

  const Schema& data_;
  const Schema& wanted_;
  bool ignore_extra_;
  std::vector<std::string>& notes_;
  std::vector<ViewMatch> matches_;
};

class MatchedSource final : public Source {
 public:
  MatchedSource(std::unique_ptr<Source> source, Schema schema, std::vector<ViewMatch> matches)
      : source_(std::move(source)), schema_(std::move(schema)), matches_(std::move(matches)) {}

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return source_->size(); }
  bool rewind() override { return source_->rewind(); }
  void skip(Index rows) override { source_->skip(rows); }
  std::vector<std::string> ids(Index first, Index count) override { return source_->ids(first, count); }

  std::optional<Chunk> next(Index max_rows) override { return read_at_once(*this, max_rows); }

  Delivery begin_next(Index max_rows) override {
    return then(source_->begin_next(max_rows), [this](Chunk chunk) { return matched(std::move(chunk)); });
  }

 private:
  Chunk matched(Chunk chunk) const {
    std::vector<ChunkView> views;
    for (std::size_t v = 0; v < matches_.size(); ++v) {
      if (matches_[v].view == kUnmatched) {
        views.push_back({DenseBlock<double>{0, schema_.views[v].features, {}}, {}});
        continue;
      }
      ChunkView& own = views.emplace_back(std::move(chunk.views[matches_[v].view]));
      if (matches_[v].columns.empty()) continue;
      own.block =
          std::visit([&](const auto& block) -> Block { return take_columns(block, matches_[v].columns); }, own.block);
    }
    chunk.views = std::move(views);
    return chunk;
  }

  std::unique_ptr<Source> source_;
  Schema schema_;
  std::vector<ViewMatch> matches_;
};

}  // namespace

std::unique_ptr<Source> make_matched_source(std::unique_ptr<Source> source, const Schema& schema, bool ignore_extra,
                                            std::vector<std::string>* notes) {
  if (source->schema() == schema) return source;
  std::vector<std::string> found;
  std::vector<ViewMatch> matches = Matching(source->schema(), schema, ignore_extra, found).run();
  if (notes != nullptr) notes->insert(notes->end(), found.begin(), found.end());
  return std::make_unique<MatchedSource>(std::move(source), schema, std::move(matches));
}

}  // namespace omvc
