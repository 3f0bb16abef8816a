// Every form of the backend does what the definitions say. The definitions are written once more here, so that the
// naive form, with which others are compared, is tested like them.
#include "kernels/backend.hpp"

#include <gtest/gtest.h>
#include <set>

#include "fine/sample.hpp"
#include "support/backend_data.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::BackendCase;

struct Form {
  const char* name;
  Backend& (*backend)();
  double error;  // of a distance, as a share of the squares it is made of
};

const Form kForms[] = {{"naive", naive_backend, 1e-14}, {"cpu", cpu_backend, 1e-6}};

class BackendForms : public testing::TestWithParam<Form> {
 protected:
  BackendForms() { compute_.set_backend(&GetParam().backend()); }
  Compute compute_{2};
};

void expect_nothing(const Near& near, Index i) {
  for (Index j = 0; j < near.count; ++j) {
    EXPECT_EQ(near.id(i, j), -1);
    EXPECT_EQ(near.weight(i, j), 0);
  }
  EXPECT_TRUE(std::isnan(near.distances[static_cast<std::size_t>(i)]));
}

// What is listed for one instance; `error` is what a sum of distances may be wrong by.
void expect_listed(const Near& near, Index i, const test::PlainDistances& plain, const BackendCase& of, double error) {
  const std::vector<double> shares = test::plain_shares(plain, near.count, of.beyond);
  const auto sum_of = [&](Index prototype) { return plain.sum[static_cast<std::size_t>(prototype)]; };
  std::set<Index> seen;
  double weights = 0;
  for (Index j = 0; j < near.count; ++j) {
    const Index id = near.id(i, j);
    const Index right = plain.nearest[static_cast<std::size_t>(j)];
    ASSERT_TRUE(id >= 0 && id < static_cast<Index>(plain.sum.size()));
    EXPECT_TRUE(seen.insert(id).second) << "listed twice";
    if (of.integers) {
      EXPECT_EQ(id, right) << "place " << j;
    }
    EXPECT_NEAR(sum_of(id), sum_of(right), error);
    const double steps = near.weight(i, j) * kWeightSteps;
    EXPECT_EQ(steps, std::round(steps));
    weights += near.weight(i, j);
    if (of.integers && j > 0) {
      EXPECT_EQ(steps, std::round(shares[static_cast<std::size_t>(j)] * kWeightSteps));
    } else if (shares[0] > 0) {
      const double total =
          (sum_of(plain.nearest[static_cast<std::size_t>(near.count - 1)]) - sum_of(plain.nearest[0])) + of.beyond;
      const double wrong = total > 0 ? 4 * static_cast<double>(near.count) * error / total : 1;
      EXPECT_NEAR(near.weight(i, j), shares[static_cast<std::size_t>(j)],
                  static_cast<double>(near.count) / kWeightSteps + wrong);
    }
  }
  EXPECT_EQ(weights, 1);
  const double distance = near.distances[static_cast<std::size_t>(i)];
  EXPECT_NEAR(distance, sum_of(plain.nearest[0]) / plain.views, error);
  if (of.integers) {
    EXPECT_EQ(distance, sum_of(plain.nearest[0]) / plain.views);
  }
}

TEST_P(BackendForms, NearPrototypesAreThoseOfTheDefinition) {
  for (const BackendCase& of : test::backend_cases()) {
    for (std::size_t kind = 0; kind < 4; ++kind) {
      SCOPED_TRACE(of.name + ", first view of kind " + std::to_string(kind));
      const Chunk chunk = test::case_chunk(of, kind);
      const PrototypeTable table = test::case_table(of, compute_);
      const Near near = find_near(PreparedChunk(chunk), table, of.wanted, of.beyond, compute_);
      EXPECT_EQ(near.count, std::max<Index>(1, std::min({of.wanted, of.prototypes, Index{16}})));
      EXPECT_EQ(compute_.profile().take_products(),
                (std::vector<ProductCount>{
                    {.columns = static_cast<int>(of.prototypes), .times = static_cast<Index>(of.features.size())}}));
      const std::vector<test::PlainDistances> plain = test::plain_distances(chunk, table);
      ASSERT_EQ(near.distances.size(), plain.size());
      double gap = 0;
      double gap_error = 0;
      for (Index i = 0; i < of.rows; ++i) {
        const test::PlainDistances& one = plain[static_cast<std::size_t>(i)];
        if (one.views == 0) {
          expect_nothing(near, i);
          continue;
        }
        const double error = GetParam().error * (one.squares + one.norm);
        expect_listed(near, i, one, of, error);
        const auto last = static_cast<std::size_t>(one.nearest[static_cast<std::size_t>(near.count - 1)]);
        gap += one.sum[last] - one.sum[static_cast<std::size_t>(one.nearest[0])];
        gap_error += 2 * error;
      }
      EXPECT_NEAR(near.gap, gap, gap_error);
      ASSERT_EQ(near.squares.size(), chunk.views.size());
      for (std::size_t v = 0; v < near.squares.size(); ++v) {
        const Vector squares = naive::densify(chunk.views[v].block).rowwise().squaredNorm();
        ASSERT_EQ(static_cast<Index>(near.squares[v].size()), squares.size());
        for (Index i = 0; i < squares.size(); ++i) {
          EXPECT_NEAR(near.squares[v][static_cast<std::size_t>(i)], squares(i), 1e-14 * squares(i));
        }
      }
    }
  }
}

TEST_P(BackendForms, WithoutPrototypesNothingIsNear) {
  const BackendCase of{.name = "", .rows = 12, .features = {5, 3}, .prototypes = 0, .wanted = 2};
  const Chunk chunk = test::case_chunk(of, 0);
  const Near near = find_near(PreparedChunk(chunk), test::case_table(of, compute_), of.wanted, 0, compute_);
  EXPECT_EQ(near.count, 1);
  ASSERT_EQ(near.distances.size(), 12u);
  for (Index i = 0; i < of.rows; ++i) expect_nothing(near, i);
}

TEST_P(BackendForms, ValuesWhoseSquaresAreNoNumbersAreAnErrorThatNamesTheRow) {
  const BackendCase of{.name = "", .rows = 8, .features = {5}, .prototypes = 4, .wanted = 2};
  Chunk chunk = test::case_chunk(of, 2);
  std::get<DenseBlock<double>>(chunk.views[0].block).values[5 * 4] =
      1e200;  // row 4 of the block, the fifth that is there
  test::expect_error(ErrorKind::data, {"row 1005", "far too large"},
                     [&] { find_near(PreparedChunk(chunk), test::case_table(of, compute_), of.wanted, 0, compute_); });
}

// Sums of multiples of the quantum, as whole numbers.
std::vector<std::int64_t> plain_sums(const std::vector<Chunk>& chunks,
                                     const std::vector<std::vector<std::int32_t>>& ids, std::size_t view,
                                     double quantum, Index features, Index prototypes) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(features * prototypes), 0);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const ChunkView& rows = chunks[c].views[view];
    const Matrix X = naive::densify(rows.block);
    for (Index i = 0; i < X.rows(); ++i) {
      const std::int32_t id = ids[c][static_cast<std::size_t>(rows.present[static_cast<std::size_t>(i)])];
      if (id < 0) continue;
      for (Index j = 0; j < features; ++j) {
        sums[static_cast<std::size_t>(j * prototypes + id)] += std::llrint(X(i, j) / quantum);
      }
    }
  }
  return sums;
}

TEST_P(BackendForms, RoundedSumsAreExactAndLeaveNothingWhenTakenOut) {
  for (const BackendCase& of : test::backend_cases()) {
    for (std::size_t kind = 0; kind < 4; ++kind) {
      SCOPED_TRACE(of.name + ", first view of kind " + std::to_string(kind));
      // Coarse beside the values, so that most are rounded, and half-way cases are among the whole numbers.
      const std::vector<double> quantum(of.features.size(),
                                        of.integers ? 2 * of.scale : std::exp2(std::ilogb(of.scale) - 9));
      const std::vector<Chunk> chunks{test::case_chunk(of, kind, 1), test::case_chunk(of, kind + 1, 50)};
      const std::vector<PreparedChunk> prepared(chunks.begin(), chunks.end());
      std::vector<std::vector<std::int32_t>> ids(2, std::vector<std::int32_t>(static_cast<std::size_t>(of.rows)));
      std::vector<Members> members;
      for (std::size_t c = 0; c < 2; ++c) {
        for (Index i = 0; i < of.rows; ++i) {
          ids[c][static_cast<std::size_t>(i)] =
              static_cast<std::int32_t>((i * 7 + static_cast<Index>(c)) % (of.prototypes + 1)) - 1;
        }
        members.push_back({&prepared[c], &ids[c]});
      }
      std::vector<Matrix> sums;
      for (const Index features : of.features) sums.emplace_back(Matrix::Zero(features, of.prototypes));
      add_rounded_rows(members, 1, quantum, sums, compute_);
      for (std::size_t v = 0; v < sums.size(); ++v) {
        const auto plain = plain_sums(chunks, ids, v, quantum[v], of.features[v], of.prototypes);
        for (Index at = 0; at < sums[v].size(); ++at) {
          ASSERT_EQ(sums[v].data()[at], static_cast<double>(plain[static_cast<std::size_t>(at)]) * quantum[v]) << at;
        }
      }
      std::swap(members[0], members[1]);  // the order says nothing
      add_rounded_rows(members, -1, quantum, sums, compute_);
      for (const Matrix& sum : sums) EXPECT_TRUE((sum.array() == 0).all());
    }
  }
}

TEST_P(BackendForms, ProductsAreThoseOfTheDefinition) {
  for (const BackendCase& of : test::backend_cases()) {
    const Chunk chunk = test::case_chunk(of, 0);
    for (std::size_t v = 0; v < chunk.views.size(); ++v) {
      const Matrix X = naive::densify(chunk.views[v].block);
      for (const Index rank : {1, 9}) {
        SCOPED_TRACE(of.name + ", view " + std::to_string(v));
        const Matrix U = test::random_matrix(X.cols(), rank, 3);
        const Matrix V = test::random_matrix(X.rows(), rank, 4);
        const double error = 1e-15 * static_cast<double>(X.size() + 1) * of.scale * 4;
        for (std::size_t kind = 0; kind < 4; ++kind) {
          const Block block = test::block_of_kind(X, kind);
          const Matrix exact = naive::densify(block);  // of single precision, where the kind is
          const DataBlock data(block);
          Matrix product = Matrix::Constant(X.rows(), rank, 5);
          data.times(U, product, compute_);
          EXPECT_TRUE(((product - exact * U).array().abs() <= error).all());
          NarrowMatrix narrow = NarrowMatrix::Constant(X.rows(), rank, 5);
          data.times(NarrowMatrix(U.cast<float>()), narrow, compute_);
          const Matrix rounded = exact * U.cast<float>().cast<double>();
          EXPECT_TRUE(
              ((narrow.cast<double>() - rounded).array().abs() <= 1e-6 * static_cast<double>(X.cols() + 1) * of.scale)
                  .all());
          Matrix sum = Matrix::Constant(X.cols(), rank, of.scale);
          data.add_transpose_times(V, sum, compute_);
          EXPECT_TRUE(((sum - exact.transpose() * V).array() - of.scale).abs().maxCoeff() <= error);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, BackendForms, testing::ValuesIn(kForms),
                         [](const auto& form) { return std::string(form.param.name); });

}  // namespace
}  // namespace omvc
