// Who is believed, and by how much, beside every mixture that there is.
#include "model/mixture.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "random/philox.hpp"

namespace omvc {
namespace {

// Three who tell of two features: one is off by a little, one by much, and one is the first with more noise.
struct Made {
  Mixture mixture{3, Vector::Map(std::vector<double>{4.0, 0.25}.data(), 2)};
  std::vector<Matrix> told;
  std::vector<RowVector> truth;
};

Made made(bool last_is_silent) {
  const Random random(2, Purpose::planted_data);
  std::uint64_t drawn = 0;
  const auto noise = [&](double size) { return size * (random.uniform(drawn++) - 0.5); };
  Made out;
  for (int i = 0; i < 200; ++i) {
    RowVector truth(2);
    truth << noise(8), noise(2);
    Matrix told(3, 2);
    for (Index j = 0; j < 2; ++j) {
      const double size = j == 0 ? 4 : 1;
      told(0, j) = truth(j) + noise(size);
      told(1, j) = truth(j) + noise(1.5 * size);
      told(2, j) = last_is_silent && i % 2 == 0 ? kNan : told(0, j) + noise(size);
    }
    if (i == 7) truth(1) = kNan;
    out.mixture.add(told, truth);
    out.told.push_back(told);
    out.truth.push_back(truth);
  }
  return out;
}

double error_of(const Made& made, const RowVector& weights, RowVector& by_feature) {
  RowVector squares = RowVector::Zero(2);
  RowVector cells = RowVector::Zero(2);
  for (std::size_t i = 0; i < made.told.size(); ++i) {
    const RowVector off = weights * made.told[i] - made.truth[i];
    for (Index j = 0; j < 2; ++j) {
      if (std::isnan(off(j))) continue;
      squares(j) += off(j) * off(j);
      cells(j) += 1;
    }
  }
  by_feature = (squares.array() / cells.array()).sqrt();
  return (squares(0) / 4 + squares(1) / 0.25) / cells.sum();
}

TEST(Mixture, NoOtherMixtureErrsLess) {
  const Made all = made(false);
  const RowVector found = all.mixture.weights({true, true, true});
  EXPECT_NEAR(found.sum(), 1, 1e-12);
  EXPECT_GE(found.minCoeff(), 0);
  RowVector spread;
  const double least = error_of(all, found, spread);
  EXPECT_TRUE(all.mixture.spread(found).isApprox(spread, 1e-9));
  for (double a = 0; a <= 1; a += 0.02) {
    for (double b = 0; a + b <= 1; b += 0.02) {
      RowVector other(3);
      other << a, b, 1 - a - b;
      RowVector ignored;
      EXPECT_GE(error_of(all, other, ignored), least - 1e-9);
    }
  }
}

TEST(Mixture, WhoCannotTellCountsForNothing) {
  const Made some = made(true);
  const RowVector without = some.mixture.weights({true, true, false});
  EXPECT_EQ(without(2), 0);
  EXPECT_NEAR(without.sum(), 1, 1e-12);
  EXPECT_TRUE(some.mixture.weights({false, true, false}).isApprox(RowVector::Unit(3, 1)));
  EXPECT_TRUE(std::isfinite(some.mixture.spread(some.mixture.weights({true, true, true})).sum()));
  // Nobody has tried any of them.
  const Mixture fresh(2, Vector::Ones(1));
  EXPECT_FALSE(fresh.tried());
  EXPECT_NEAR(fresh.weights({true, true}).sum(), 1, 1e-12);
  EXPECT_TRUE(std::isnan(fresh.spread(RowVector::Unit(2, 0))(0)));
}

}  // namespace
}  // namespace omvc
