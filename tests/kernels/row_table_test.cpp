// The search for the nearest rows, in every form of the backend, beside the definition written out: lists chosen by
// their prototypes, distances between rows as they are or as their prototypes complete them, everything sorted.
#include "kernels/row_table.hpp"

#include <gtest/gtest.h>
#include <tuple>

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "kernels/backend.hpp"
#include "support/chunks.hpp"
#include "support/row_table_data.hpp"

namespace omvc {
namespace {

using test::BackendCase;
using test::TableCase;

const std::vector<BackendCase>& cases() {
  static const std::vector<BackendCase> kCases{
      {.name = "no rows", .rows = 0, .features = {5, 3}, .prototypes = 4, .wanted = 2},
      {.name = "one row", .rows = 1, .features = {5, 3}, .prototypes = 4, .wanted = 2},
      {.name = "no view present", .rows = 9, .features = {5, 3}, .prototypes = 4, .wanted = 2, .lacking = 1},
      {.name = "one feature, many ties", .rows = 70, .features = {1}, .prototypes = 9, .wanted = 3},
      {.name = "one prototype", .rows = 20, .features = {4, 4}, .prototypes = 1, .wanted = 1, .beyond = 2},
      {.name = "four kinds", .rows = 65, .features = {7, 90, 33, 2}, .prototypes = 33, .wanted = 5},
      {.name = "huge", .rows = 50, .features = {9, 40}, .prototypes = 12, .wanted = 5, .scale = 0x1.0p50},
      {.name = "real", .rows = 65, .features = {7, 90, 33}, .prototypes = 13, .wanted = 5, .integers = false},
      {.name = "real, tiny",
       .rows = 40,
       .features = {7},
       .prototypes = 9,
       .wanted = 4,
       .integers = false,
       .scale = 1e-6},
  };
  return kCases;
}

// What is listed beside all distances. Whole numbers leave no room for an error.
void expect_listed(const NearRows& found, Index at, const RowVector& distances, Index self, bool exact, double error) {
  std::vector<Index> order;
  for (Index row = 0; row < distances.size(); ++row) {
    if (row != self && std::isfinite(distances(row))) order.push_back(row);
  }
  // Among equals those that follow the own row come first.
  const auto place = [&](Index row) { return std::tuple(distances(row), row <= self, row); };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return place(a) < place(b); });
  std::vector<bool> seen(static_cast<std::size_t>(distances.size()), false);
  for (Index j = 0; j < found.count; ++j) {
    const std::int32_t id = found.id(at, j);
    if (j >= static_cast<Index>(order.size())) {
      EXPECT_EQ(id, -1);
      EXPECT_EQ(found.distance(at, j), test::kInf);
      continue;
    }
    const Index right = order[static_cast<std::size_t>(j)];
    ASSERT_TRUE(id >= 0 && id < distances.size() && id != self) << id;
    EXPECT_FALSE(seen[static_cast<std::size_t>(id)]) << "listed twice";
    seen[static_cast<std::size_t>(id)] = true;
    if (exact) {
      EXPECT_EQ(id, right) << "place " << j;
      EXPECT_EQ(found.distance(at, j), distances(right));
    } else {
      EXPECT_NEAR(distances(id), distances(right), error);
      EXPECT_NEAR(found.distance(at, j), distances(id), error);
    }
  }
}

struct Asked {
  const Chunk& chunk;
  RowSearch search;
};

void expect_found(const TableCase& made, const Asked& asked, Compute& compute) {
  const PreparedChunk chunk(asked.chunk);
  std::vector<NarrowMatrix> products;
  find_near(chunk, made.prototypes, 1, 0, compute, &products);
  const RowNeighbours found = find_rows(chunk, products, made.prototypes, made.table, asked.search, compute);
  const test::PlainNeighbours plain(made, asked.chunk, products, asked.search);
  ASSERT_EQ(found.views.size(), asked.chunk.views.size());
  EXPECT_EQ(found.whole.count, asked.search.whole ? asked.search.count : 0);
  for (Index i = 0; i < asked.chunk.size(); ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    const auto at = static_cast<std::size_t>(i);
    const Index self = asked.search.own < 0 ? -1 : asked.search.own + i;
    const double error = 2e-6 * plain.squares(at);
    for (std::size_t v = 0; v < plain.views(); ++v) {
      if (!plain.has(v, at)) continue;
      const std::vector<Index>& present = chunk.present(v);
      const Index row = std::lower_bound(present.begin(), present.end(), i) - present.begin();
      expect_listed(found.views[v], row, plain.by_view(v, at), self, made.of.integers, error);
    }
    if (asked.search.whole) expect_listed(found.whole, i, plain.whole(at), self, made.of.integers, error);
  }
}

struct RowForm {
  const char* name;
  Backend& (*backend)();
};
const RowForm kRowForms[] = {{"naive", naive_backend}, {"cpu", cpu_backend}};

class RowForms : public testing::TestWithParam<RowForm> {
 protected:
  RowForms() { compute_.set_backend(&GetParam().backend()); }
  Compute compute_{2};
};

TEST_P(RowForms, RowsAreThoseOfTheDefinition) {
  for (const BackendCase& of : cases()) {
    for (std::size_t kind = 0; kind < 4; ++kind) {
      const Chunk strangers = test::case_chunk(of, kind + 2, 60);
      for (const bool listed : {false, true}) {
        SCOPED_TRACE(of.name + (listed ? ", in lists" : ", in one list") + ", kind " + std::to_string(kind));
        const TableCase made(of, kind, listed, true, compute_);
        ASSERT_EQ(made.table.lists(), listed ? (of.prototypes + 1) / 2 : 1);
        expect_found(made, {strangers, {.count = 7, .probes = 3, .whole = true}}, compute_);
        expect_found(made, {strangers, {.count = 7, .probes = 12, .apart = true, .whole = true}}, compute_);
        expect_found(made, {made.chunks[1], {.count = 3, .probes = 1, .whole = true, .own = of.rows}}, compute_);
        expect_found(made, {made.chunks[0], {.count = 1, .probes = 2, .own = 0}}, compute_);
      }
    }
  }
}

TEST_P(RowForms, AllListsTogetherAreAnExactSearch) {
  const BackendCase of{.name = "", .rows = 60, .features = {5, 20}, .prototypes = 9, .wanted = 3};
  const TableCase lists(of, 0, true, true, compute_);
  const TableCase one(of, 0, false, true, compute_);
  const Chunk strangers = test::case_chunk(of, 0, 60);
  const PreparedChunk chunk(strangers);
  std::vector<NarrowMatrix> products;
  find_near(chunk, one.prototypes, 1, 0, compute_, &products);
  const RowSearch search{.count = 9, .probes = of.prototypes, .whole = true};
  const RowNeighbours exact = find_rows(chunk, products, one.prototypes, one.table, search, compute_);
  const RowNeighbours found = find_rows(chunk, products, lists.prototypes, lists.table, search, compute_);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_EQ(found.views[v].ids, exact.views[v].ids);
    EXPECT_EQ(found.views[v].distances, exact.views[v].distances);
  }
  EXPECT_EQ(found.whole.ids, exact.whole.ids);
  EXPECT_EQ(found.whole.distances, exact.whole.distances);
}

TEST_P(RowForms, RowsOfAnotherKindAreRefused) {
  const BackendCase of{.name = "", .rows = 12, .features = {5}, .prototypes = 3, .wanted = 2};
  const TableCase made(of, 0, false, false, compute_);
  const Chunk sparse = test::case_chunk(of, 1);
  test::expect_error(ErrorKind::data, {"dense", "sparse"}, [&] {
    find_rows(PreparedChunk(sparse), {}, made.prototypes, made.table, {.count = 2}, compute_);
  });
}

INSTANTIATE_TEST_SUITE_P(Kernels, RowForms, testing::ValuesIn(kRowForms),
                         [](const auto& form) { return std::string(form.param.name); });

// All that was found of a chunk that is cut into chunks of so many instances.
struct AllFound {
  std::vector<std::int32_t> ids;
  std::vector<double> distances;
  bool operator==(const AllFound&) const = default;
};
AllFound found_in_chunks(const TableCase& made, const Chunk& all, Index size, int threads) {
  Compute compute(threads);
  std::vector<NearRows> parts(all.views.size() + 1);
  for (Index first = 0; first < all.size(); first += size) {
    const Chunk chunk = take_instances(all, test::iota(std::min(size, all.size() - first), first));
    const PreparedChunk prepared(chunk);
    std::vector<NarrowMatrix> products;
    find_near(prepared, made.prototypes, 1, 0, compute, &products);
    const RowNeighbours found = find_rows(prepared, products, made.prototypes, made.table,
                                          {.count = 6, .probes = 4, .whole = true, .own = first}, compute);
    for (std::size_t v = 0; v < parts.size(); ++v) {
      const NearRows& near = v < found.views.size() ? found.views[v] : found.whole;
      parts[v].ids.insert(parts[v].ids.end(), near.ids.begin(), near.ids.end());
      parts[v].distances.insert(parts[v].distances.end(), near.distances.begin(), near.distances.end());
    }
  }
  AllFound out;
  for (const NearRows& part : parts) {
    out.ids.insert(out.ids.end(), part.ids.begin(), part.ids.end());
    out.distances.insert(out.distances.end(), part.distances.begin(), part.distances.end());
  }
  return out;
}

TEST(RowTable, ThreadsAndChunksChangeNoBit) {
  const BackendCase of{
      .name = "", .rows = 700, .features = {40, 90, 7}, .prototypes = 40, .wanted = 5, .integers = false};
  Compute compute;
  for (const bool listed : {false, true}) {
    for (const std::size_t kind : {0, 1}) {
      const TableCase made(of, kind, listed, true, compute);
      const AllFound alone = found_in_chunks(made, made.chunks[0], of.rows, 1);
      EXPECT_GT(alone.ids.size(), 0u);
      for (const int threads : {2, 5}) {
        EXPECT_EQ(found_in_chunks(made, made.chunks[0], of.rows, threads), alone) << threads << " threads";
      }
      for (const Index size : {1, 33, 512}) {
        EXPECT_EQ(found_in_chunks(made, made.chunks[0], size, 2), alone) << "chunks of " << size;
      }
    }
  }
}

TEST(RowTable, GivesItsRowsBackAndKnowsThem) {
  const BackendCase of{.name = "", .rows = 40, .features = {7, 30}, .prototypes = 9, .wanted = 3};
  Compute compute;
  for (std::size_t kind = 0; kind < 4; ++kind) {
    for (const bool listed : {false, true}) {
      SCOPED_TRACE("kind " + std::to_string(kind) + (listed ? ", in lists" : ""));
      const TableCase made(of, kind, listed, false, compute);
      const Chunk rows = rows_of(made.table);
      EXPECT_EQ(rows.rows, test::iota(made.rows()));
      const std::vector<Index> lists = lists_of(made.table);
      for (Index row = 0; row < made.rows(); ++row) EXPECT_EQ(lists[static_cast<std::size_t>(row)], made.list(row));
      for (std::size_t v = 0; v < 2; ++v) {
        EXPECT_EQ(is_sparse(rows.views[v].block), is_sparse(made.chunks[0].views[v].block));
        test::Rows right = test::dense_rows(made.chunks[0].views[v], of.rows);
        const test::Rows more = test::dense_rows(made.chunks[1].views[v], of.rows);
        right.insert(right.end(), more.begin(), more.end());
        EXPECT_EQ(test::dense_rows(rows.views[v], made.rows()), right);
        const ChunkView& first = made.chunks[0].views[v];
        for (std::size_t i = 0; i < first.present.size(); ++i) {
          const auto row = static_cast<Index>(i);
          EXPECT_TRUE(equals_row(first.block, row, made.table, v, static_cast<std::int32_t>(first.present[i])));
        }
      }
    }
  }
}

TEST(RowTable, OneOtherValueMakesAnotherRow) {
  const Matrix X{{0, 2, 0, 4}, {1, 2, 0, 4}};
  Compute compute;
  for (std::size_t kind = 0; kind < 4; ++kind) {
    Chunk chunk{test::iota(2), {}};
    chunk.views.push_back({test::block_of_kind(X, kind), {0, 1}});
    const std::vector<PreparedChunk> pieces(1, PreparedChunk(chunk));
    const RowTable table = make_row_table({.pieces = pieces, .near = {}, .prototypes = {}}, compute);
    const auto equals = [&](const Matrix& row) {
      return equals_row(test::block_of_kind(row, kind + 2), 0, table, 0, 0);
    };
    EXPECT_TRUE(equals(Matrix{{0, 2, 0, 4}}));
    for (const Matrix& other : {Matrix{{0, 2, 0, 5}}, Matrix{{0, 2, 0, 0}}, Matrix{{1, 2, 0, 4}}, Matrix{{0, 0, 2, 4}},
                                Matrix{{0, 4, 0, 2}}, Matrix{{0, 0, 0, 0}}, Matrix{{0, 2, 0, -4}}}) {
      EXPECT_FALSE(equals(other)) << other << ", kind " << kind;
    }
    EXPECT_FALSE(equals_row(chunk.views[0].block, 0, table, 0, 1));
    EXPECT_TRUE(equals_row(chunk.views[0].block, 1, table, 0, 1));
  }
}

// Prototypes share the list of the head that is nearest over all views; heads are spread over all of them.
TEST(RowTable, PrototypesAreGroupedByTheNearestHead) {
  PrototypeTable table;
  for (const Index features : {Index{3}, Index{70}}) {
    table.columns.emplace_back(test::random_matrix(features, 100, static_cast<std::uint64_t>(features)).cast<float>());
  }
  Compute compute(2);
  table.measure(compute);
  const std::vector<std::int32_t> list_of = group_prototypes(table, 20 * kListRows, compute);
  ASSERT_EQ(list_of.size(), 100u);
  for (Index p = 0; p < 100; ++p) {
    RowVector distances = RowVector::Zero(20);
    for (const NarrowMatrix& P : table.columns) {
      for (Index list = 0; list < 20; ++list) distances(list) += double{(P.col(p) - P.col(list * 5)).squaredNorm()};
    }
    EXPECT_NEAR(distances(list_of[static_cast<std::size_t>(p)]), distances.minCoeff(), 1e-4);
  }
  const std::vector<std::int32_t> one = group_prototypes(table, 5, compute);
  EXPECT_EQ(one, std::vector<std::int32_t>(100, 0));
  for (std::int32_t p = 0; const std::int32_t list : group_prototypes(table, 100'000, compute)) EXPECT_EQ(list, p++);
}

}  // namespace
}  // namespace omvc
