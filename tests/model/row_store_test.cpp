#include "model/row_store.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "model/row_sample.hpp"

namespace omvc {
namespace {

TEST(RowStore, GivesRowsBackByNumberWhateverTheOrderOfWriting) {
  RowStore store(2);
  const std::vector<Index> order{5, 6, 7, 1, 3};
  std::vector<double> data;
  for (const Index row : order) data.insert(data.end(), {static_cast<double>(row), -static_cast<double>(row)});
  store.write(order, data.data());
  EXPECT_EQ(store.rows(), 8);
  std::vector<double> all(20);
  store.read(0, 10, all.data());
  for (Index row = 0; row < 10; ++row) {
    const bool written = std::find(order.begin(), order.end(), row) != order.end();
    EXPECT_EQ(std::isnan(all[static_cast<std::size_t>(2 * row)]), !written) << row;
    if (written) EXPECT_EQ(all[static_cast<std::size_t>(2 * row + 1)], -static_cast<double>(row));
  }
  std::vector<double> some(4);
  store.read_last(std::vector<Index>{7, 1}, some.data());
  EXPECT_EQ(some, (std::vector<double>{7, -7, 1, -1}));
}

TEST(RowStore, RowsCanBeWrittenAgain) {
  RowStore store(1);
  const double one = 1, two = 2;
  store.write(std::vector<Index>{0}, &one);
  store.write(std::vector<Index>{0}, &two);
  double out = 0;
  store.read(0, 1, &out);
  EXPECT_EQ(out, 2);
}

TEST(RowSample, KeepsAllWhileTheyFitAndThenTheSameOnesInAnyOrder) {
  const auto value = [](Index row) { return std::vector<double>{static_cast<double>(row)}; };
  RowSample forward(100, 1), backward(100, 1), few(100, 1);
  for (Index i = 0; i < 1000; ++i) forward.offer(i, value(i));
  for (Index i = 999; i >= 0; --i) backward.offer(i, value(i));
  for (Index i = 0; i < 60; ++i) few.offer(i, value(i));
  EXPECT_EQ(forward.size(), 100);
  EXPECT_EQ(forward.rows(), backward.rows());
  EXPECT_EQ(forward.values(), backward.values());
  EXPECT_EQ(few.size(), 60);
  // A fair sample of 0 .. 999 has a mean near 500: the standard error is 29.
  double mean = 0;
  for (const Index row : forward.rows()) mean += static_cast<double>(row) / 100;
  EXPECT_NEAR(mean, 500, 120);
}

TEST(RowSample, TakesTheLatestOfARowAndLeavesOutNaN) {
  RowSample sample(10, 0);
  sample.offer(3, std::vector<double>{1.0});
  sample.offer(3, std::vector<double>{2.0});
  sample.offer(4, std::vector<double>{std::nan("")});
  EXPECT_EQ(sample.values(), std::vector<double>{2.0});
}

}  // namespace
}  // namespace omvc
