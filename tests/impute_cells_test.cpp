// Single cells that are missing in rows that have the view: what the rest of the row says of them counts.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

class NoSink final : public Sink {
 public:
  void write(const ResultRows&) override {}
  bool wants_embedding() const override { return false; }
};

struct Table {
  Index rows = 0;
  Index columns = 0;
  std::vector<double> truth;
  std::vector<int> groups;
  std::vector<std::size_t> holes;  // places in `truth`

  ChunkView view() const {
    std::vector<double> values = truth;
    for (const std::size_t at : holes) values[at] = std::nan("");
    return view_from_rows(DenseBlock<double>{.rows = rows, .cols = columns, .values = std::move(values)}, "table");
  }
  // The mean of a column over the cells of a group that are there; -1: of all.
  double mean(Index column, int group) const {
    double sum = 0;
    double cells = 0;
    for (Index i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i * columns + column);
      if (group >= 0 && groups[static_cast<std::size_t>(i)] != group) continue;
      if (std::binary_search(holes.begin(), holes.end(), at)) continue;
      sum += truth[at];
      cells += 1;
    }
    return sum / cells;
  }
  template <class Told>
  double error(const Told& told) const {
    double sum = 0;
    for (const std::size_t at : holes) sum += (told(at) - truth[at]) * (told(at) - truth[at]);
    return std::sqrt(sum / static_cast<double>(holes.size()));
  }
  Index column(std::size_t at) const { return static_cast<Index>(at) % columns; }
  int group(std::size_t at) const { return groups[at / static_cast<std::size_t>(columns)]; }
};

// Groups at corners of a cube, and what else `hidden` numbers add to all columns of a row; one row in `every` lacks a
// cell.
Table planted(std::uint32_t stream, Index rows, Index columns, double apart, double noise, double hidden,
              std::uint64_t every) {
  const Random random(3, Purpose::planted_data, stream);
  const Random shared(3, Purpose::planted_data, 99);  // the same in all views
  Table out{.rows = rows, .columns = columns};
  for (Index i = 0; i < rows; ++i) {
    const int group = static_cast<int>(i % 3);
    out.groups.push_back(group);
    for (Index j = 0; j < columns; ++j) {
      const bool high = (j + group) % 3 == 0;
      const auto place = static_cast<std::uint64_t>(i * columns + j);
      const double follows = shared.normal(static_cast<std::uint64_t>(2 * i + (j + stream) % 2));
      out.truth.push_back((high ? apart : 0) + hidden * follows + noise * random.normal(place));
    }
    const Random chance(3, Purpose::planted_mask, stream);
    if (chance.below(every, static_cast<std::uint64_t>(2 * i)) != 0) continue;
    const auto j = chance.below(static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(2 * i + 1));
    out.holes.push_back(static_cast<std::size_t>(i * columns) + j);
  }
  return out;
}

Chunk chunk_of(const std::vector<const Table*>& tables) {
  Chunk out;
  for (Index i = 0; i < tables.front()->rows; ++i) out.rows.push_back(i);
  for (const Table* table : tables) out.views.push_back(table->view());
  return out;
}

Clusterer fitted(const std::vector<const Table*>& tables, int threads = 2) {
  Options options;
  options.clusters = 3;
  options.threads = threads;
  Clusterer model(options);
  Schema schema;
  for (std::size_t v = 0; v < tables.size(); ++v) {
    schema.views.push_back({.name = "v" + std::to_string(v), .features = tables[v]->columns, .feature_names = {}});
  }
  NoSink sink;
  const auto source = make_table_source(schema, chunk_of(tables));
  model.fit(*source, sink);
  return model;
}

double error_of(const Table& table, const Imputed& told) {
  return table.error([&](std::size_t at) { return told.values[at]; });
}

// Columns that say nothing of each other within a group: nobody can know more than the means of the groups.
TEST(ImputeCells, SingleHolesAreFilledAsTheirGroupsAre) {
  const Table table = planted(0, 900, 6, 10, 1, 0, 30);
  ASSERT_GT(table.holes.size(), 15U);
  const Imputed told = fitted({&table}).impute(chunk_of({&table}), 0);
  const double groups = table.error([&](std::size_t at) { return table.mean(table.column(at), table.group(at)); });
  const double all = table.error([&](std::size_t at) { return table.mean(table.column(at), -1); });
  EXPECT_LT(error_of(table, told), 1.1 * groups);
  EXPECT_LT(error_of(table, told), 0.5 * all);
  double spread = 0;
  for (const std::size_t at : table.holes) spread += told.spread[at] * told.spread[at];
  EXPECT_NEAR(std::sqrt(spread / static_cast<double>(table.holes.size())), 1, 0.3);
  for (std::size_t at = 0; at < told.values.size(); ++at) {
    if (std::binary_search(table.holes.begin(), table.holes.end(), at)) continue;
    EXPECT_EQ(told.values[at], table.truth[at]);
    EXPECT_EQ(told.spread[at], 0);
  }
}

// Rows that lack the same cell of a group all stand at the mean of the column: they are near to each other, and know
// nothing. The rest of the row, which follows the same hidden numbers, says more than the other view alone.
TEST(ImputeCells, KnowingMoreOfARowIsNoWorse) {
  const Table first = planted(0, 900, 5, 8, 0.5, 1, 1'000'000);
  const Table second = planted(1, 900, 4, 8, 0.5, 1, 5);
  const Clusterer model = fitted({&first, &second});
  Chunk chunk = chunk_of({&first, &second});
  const double with_row = error_of(second, model.impute(chunk, 1));
  chunk.views[1] = {.block = DenseBlock<double>{.rows = 0, .cols = 4, .values = {}}, .present = {}};
  const double without = error_of(second, model.impute(chunk, 1));
  const double groups = second.error([&](std::size_t at) { return second.mean(second.column(at), second.group(at)); });
  EXPECT_LT(with_row, 1.02 * without);
  EXPECT_LT(with_row, 0.75 * groups);
}

TEST(ImputeCells, AreTheSameForAnyNumberOfThreadsAndForAModelThatWasSaved) {
  const Table first = planted(0, 400, 5, 8, 0.5, 1, 4);
  const Table second = planted(1, 400, 4, 8, 0.5, 1, 4);
  const Chunk chunk = chunk_of({&first, &second});
  const Clusterer model = fitted({&first, &second}, 1);
  const Imputed told = model.impute(chunk, 1);
  const Imputed again = fitted({&first, &second}, 4).impute(chunk, 1);
  EXPECT_EQ(told.values, again.values);
  EXPECT_EQ(told.spread, again.spread);
  EXPECT_EQ(told.values, Clusterer::from_bytes(model.to_bytes()).impute(chunk, 1).values);
}

// A model that has learned more rows since knows those of its sample as they are compared only, and one that was saved
// for prediction none at all.
TEST(ImputeCells, AreFilledByModelsThatKnowLessOfTheirRows) {
  const Table table = planted(0, 900, 6, 10, 1, 0, 10);
  const double groups = table.error([&](std::size_t at) { return table.mean(table.column(at), table.group(at)); });
  Clusterer model = fitted({&table});
  const Clusterer predictor = Clusterer::from_bytes(model.to_bytes(ModelKind::prediction));
  EXPECT_LT(error_of(table, predictor.impute(chunk_of({&table}), 0)), 1.5 * groups);
  const Table more = planted(7, 60, 6, 10, 1, 0, 10);
  model.partial_fit(chunk_of({&more}));
  EXPECT_LT(error_of(table, model.impute(chunk_of({&table}), 0)), 1.1 * groups);
}

}  // namespace
}  // namespace omvc
