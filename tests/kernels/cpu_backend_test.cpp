// What the form of processors keeps to beside the definitions: threads change no bit. And who works with which form.
#include <gtest/gtest.h>

#include "fine/sample.hpp"
#include "kernels/backend.hpp"
#include "support/backend_data.hpp"

namespace omvc {
namespace {

using test::BackendCase;

// Everything that the operations say of data that are worth threads, as numbers in a row.
std::vector<double> everything(const BackendCase& of, std::size_t kind, int threads) {
  Compute compute(threads);
  const Chunk chunk = test::case_chunk(of, kind);
  const PreparedChunk data(chunk);
  const Near near = find_near(data, test::case_table(of, compute), of.wanted, of.beyond, compute);
  std::vector<double> out(near.ids.begin(), near.ids.end());
  const auto add = [&](const auto& numbers) { out.insert(out.end(), numbers.begin(), numbers.end()); };
  add(near.weights);
  for (const double distance : near.distances) out.push_back(std::isnan(distance) ? -1 : distance);
  for (const std::vector<double>& squares : near.squares) add(squares);
  out.push_back(near.gap);
  std::vector<std::int32_t> ids(near.distances.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = near.id(static_cast<Index>(i), 0);
  const Members members{&data, &ids};
  std::vector<Matrix> sums;
  for (const Index features : of.features) sums.emplace_back(Matrix::Zero(features, of.prototypes));
  add_rounded_rows({&members, 1}, 1, std::vector<double>(sums.size(), 0x1.0p-20), sums, compute);
  for (const Matrix& sum : sums) add(sum.reshaped());
  for (std::size_t v = 0; v < sums.size(); ++v) {
    const Matrix U = test::random_matrix(of.features[v], 20, 3);
    Matrix product(data.views[v].rows(), 20);
    data.views[v].times(U, product, compute);
    add(product.reshaped());
    Matrix sum = Matrix::Zero(of.features[v], 20);
    data.views[v].add_transpose_times(product, sum, compute);
    add(sum.reshaped());
  }
  return out;
}

TEST(CpuBackend, ThreadsChangeNoBit) {
  const BackendCase of{
      .name = "", .rows = 700, .features = {90, 300}, .prototypes = 130, .wanted = 5, .integers = false};
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const std::vector<double> alone = everything(of, kind, 1);
    EXPECT_EQ(everything(of, kind, 2), alone);
    EXPECT_EQ(everything(of, kind, 5), alone);
  }
}

TEST(CpuBackend, IsThereWhereNoneWasSet) {
  Compute compute;
  EXPECT_EQ(compute.backend(), nullptr);
  EXPECT_EQ(&backend_of(compute), &cpu_backend());
  compute.set_backend(&naive_backend());
  EXPECT_EQ(&backend_of(compute), &naive_backend());
}

TEST(CpuBackend, PiecesOfASampleAreWorkedOnByTheBackendOfTheWhole) {
  for (const int threads : {1, 3}) {
    Compute compute(threads);
    compute.set_backend(&naive_backend());
    std::vector<Backend*> used(8, nullptr);
    for_pieces(used.size(), compute, [&](std::size_t p, Compute& own) { used[p] = own.backend(); });
    EXPECT_EQ(used, std::vector<Backend*>(8, &naive_backend()));
  }
}

}  // namespace
}  // namespace omvc
