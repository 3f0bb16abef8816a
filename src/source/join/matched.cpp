// Brings the views and features of data into the order of a model.
#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "source/table/line_reader.hpp"
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
  Matching(const Schema& data, const Schema& wanted, bool ignore_extra)
      : data_(data), wanted_(wanted), ignore_extra_(ignore_extra), matches_(wanted.views.size()) {}

  std::vector<ViewMatch> run() {
    match_views();
    for (std::size_t v = 0; v < matches_.size(); ++v) {
      if (matches_[v].view != kUnmatched) match_features(v);
    }
    return std::move(matches_);
  }

 private:
  // By name; what is left by the names of the features; and, if no view has been found so far, by place.
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
    if (std::none_of(used.begin(), used.end(), [](bool one) { return one; })) {
      if (used.size() != matches_.size()) fail_view_count();
      for (std::size_t v = 0; v < matches_.size(); ++v) matches_[v].view = v;
      return;
    }
    std::vector<std::string> extra;
    for (std::size_t w = 0; w < used.size(); ++w) {
      if (!used[w]) extra.push_back(data_.views[w].name);
    }
    std::size_t lacking = 0;
    for (const ViewMatch& match : matches_) lacking += match.view == kUnmatched;
    if (extra.empty() || ignore_extra_) return;
    // One view on either side is left: it can only be the other under another name.
    if (extra.size() == 1 && lacking == 1) {
      const auto rest = static_cast<std::size_t>(std::find(used.begin(), used.end(), false) - used.begin());
      for (ViewMatch& match : matches_) {
        if (match.view == kUnmatched) match.view = rest;
      }
      return;
    }
    fail(
        fmt::format("the model has no view {}; it has {}: name the files so, or as NAME=FILE, or leave them out with "
                    "--ignore-extra",
                    list(extra), list(wanted_names())));
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
      fail(fmt::format("view {} ({}): the data lack {} of the {} features of the model: {}", v + 1, wanted.name,
                       lacking.size(), wanted.features, list(lacking)));
    }
    std::vector<std::string> extra;
    for (std::size_t j = 0; j < used.size(); ++j) {
      if (!used[j]) extra.push_back(data.feature_names[j]);
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

std::unique_ptr<Source> make_matched_source(std::unique_ptr<Source> source, const Schema& schema, bool ignore_extra) {
  if (source->schema() == schema) return source;
  std::vector<ViewMatch> matches = Matching(source->schema(), schema, ignore_extra).run();
  return std::make_unique<MatchedSource>(std::move(source), schema, std::move(matches));
}

}  // namespace omvc
