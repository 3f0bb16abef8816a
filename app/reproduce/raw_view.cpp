#include "reproduce/raw_view.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

namespace omvc::app {
namespace {

using Ids = std::vector<std::string>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Fills in places and instances of views with ids, and returns the ids of all instances.
Ids number_ids(std::vector<RawView>& views) {
  Ids ids;
  std::unordered_map<std::string, Index> numbers;
  for (RawView& view : views) {
    view.places.clear();
    for (std::string& id : view.ids) {
      const auto [found, is_new] = numbers.try_emplace(id, static_cast<Index>(ids.size()));
      view.places.push_back(found->second);
      if (is_new) ids.push_back(std::move(id));
    }
    view.ids.clear();
  }
  for (RawView& view : views) view.instances = static_cast<Index>(ids.size());
  return ids;
}

void check_same_length(const std::vector<RawView>& views) {
  for (const RawView& view : views) {
    if (view.instances == views[0].instances) continue;
    throw Error(ErrorKind::data,
                fmt::format("the view {} has {} instances and {} has {}: the archive is not whole; "
                            "unpack it again",
                            view.schema.name, view.instances, views[0].schema.name, views[0].instances));
  }
}

// The rows in the order of their instances.
ChunkView in_order(const RawView& view) {
  std::vector<Index> order(view.places.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return view.places[at(a)] < view.places[at(b)]; });
  CsrBlock<double> sorted;
  sorted.rows = view.block.rows;
  sorted.cols = view.block.cols;
  std::vector<double> values;
  ChunkView out;
  for (const Index row : order) {
    for (Index k = view.block.offsets[at(row)]; k < view.block.offsets[at(row) + 1]; ++k) {
      sorted.columns.push_back(view.block.columns[at(k)]);
      values.push_back(view.block.values.data()[k]);
    }
    sorted.offsets.push_back(static_cast<Index>(values.size()));
    out.present.push_back(view.places[at(row)]);
  }
  sorted.values = std::move(values);
  out.block = std::move(sorted);
  return out;
}

// Where more than 2/3 of the values are stored, dense rows take less memory.
void make_dense_if_full(ChunkView& view) {
  const auto& sparse = std::get<CsrBlock<double>>(view.block);
  const double all = static_cast<double>(sparse.rows) * static_cast<double>(sparse.cols);
  if (static_cast<double>(sparse.nonzeros()) <= 2.0 / 3.0 * all) return;
  std::vector<double> values(at(sparse.rows * sparse.cols), 0.0);
  for (Index i = 0; i < sparse.rows; ++i) {
    for (Index k = sparse.offsets[at(i)]; k < sparse.offsets[at(i) + 1]; ++k) {
      values[at(i * sparse.cols + sparse.columns[at(k)])] = sparse.values.data()[k];
    }
  }
  view.block = DenseBlock<double>{sparse.rows, sparse.cols, std::move(values)};
}

std::optional<int> whole_number(const std::string& word) {
  int number = 0;
  const char* const first = word.data() + (word.starts_with('+') ? 1 : 0);
  const auto read = std::from_chars(first, word.data() + word.size(), number);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

// The class of each instance as a word, empty where no view has one; nothing where views disagree.
std::optional<Ids> agreed_classes(const std::vector<RawView>& views) {
  Ids words(at(views[0].instances));
  for (const RawView& view : views) {
    for (std::size_t row = 0; row < view.classes.size(); ++row) {
      std::string& word = words[at(view.places[row])];
      if (!word.empty() && word != view.classes[row]) return std::nullopt;
      word = view.classes[row];
    }
  }
  return words;
}

std::vector<int> class_numbers(const Ids& words) {
  const bool numbers =
      std::all_of(words.begin(), words.end(), [](const auto& word) { return word.empty() || whole_number(word); });
  std::unordered_map<std::string, int> by_appearance;
  std::vector<int> truth;
  for (const std::string& word : words) {
    if (word.empty()) {
      truth.push_back(kNoClass);
    } else if (numbers) {
      truth.push_back(*whole_number(word));
    } else {
      truth.push_back(by_appearance.try_emplace(word, static_cast<int>(by_appearance.size())).first->second);
    }
  }
  return truth;
}

}  // namespace

Input join_views(std::vector<RawView> views) {
  const auto with_ids =
      std::count_if(views.begin(), views.end(), [](const RawView& view) { return !view.ids.empty(); });
  if (with_ids != 0 && with_ids != static_cast<std::ptrdiff_t>(views.size())) {
    throw Error(ErrorKind::data, fmt::format("{} of {} views have ids: the archive is not whole; unpack it again",
                                             with_ids, views.size()));
  }
  Ids ids;
  if (with_ids != 0) ids = number_ids(views);
  check_same_length(views);
  Input input;
  if (const auto words = agreed_classes(views)) {
    input.truth = class_numbers(*words);
  } else {
    input.notes.emplace_back("the views disagree about the classes of instances, so there is no truth");
  }
  Schema schema;
  Chunk table;
  table.rows.resize(at(views[0].instances));
  std::iota(table.rows.begin(), table.rows.end(), Index{0});
  for (RawView& view : views) {
    table.views.push_back(in_order(view));
    view.block = {};
    make_dense_if_full(table.views.back());
    schema.views.push_back(std::move(view.schema));
  }
  input.source = make_table_source(std::move(schema), std::move(table), {}, std::move(ids));
  return input;
}

}  // namespace omvc::app
