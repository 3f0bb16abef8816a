// The logic of figures: ticks, numbers at them, and what a plot shows.
#include "reproduce/plot.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reproduce/plot_ticks.hpp"

namespace omvc::app {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

void expect_near(const Numbers& found, const Numbers& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-9 * std::abs(expected[i]) + 1e-300);
}

TEST(PlotTicks, AreRoundNumbersInsideTheRange) {
  expect_near(linear_ticks(0, 1, 5), {0, 0.2, 0.4, 0.6, 0.8, 1.0});
  expect_near(linear_ticks(0.31, 0.54, 5), {0.35, 0.4, 0.45, 0.5});
  expect_near(linear_ticks(1, 10, 10), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  expect_near(linear_ticks(-3e-7, 5e-7, 4), {-2e-7, 0, 2e-7, 4e-7});
  expect_near(linear_ticks(4, 4, 5), {4});
}

TEST(PlotTicks, AreAtLeastTwoForAnyRange) {
  for (double low = -1; low < 1; low += 0.0137) {
    for (const double width : {1e-9, 0.003, 0.7, 95.0, 4e8}) {
      const Numbers ticks = linear_ticks(low, low + width, 4);
      EXPECT_GE(ticks.size(), 2u) << low << " + " << width;
      EXPECT_LE(ticks.size(), 11u) << low << " + " << width;
      EXPECT_GE(ticks.front(), low - 1e-6 * width);
      EXPECT_LE(ticks.back(), low + width + 1e-6 * width);
    }
  }
}

TEST(PlotTicks, OfALogarithmicAxisArePowersOfTen) {
  expect_near(log_ticks(1e-4, 10, 6), {1e-4, 1e-3, 1e-2, 1e-1, 1, 10});
  expect_near(log_ticks(3, 60, 5), {5, 10, 20, 50});
  EXPECT_LE(log_ticks(1e-30, 1e30, 6).size(), 7u);
}

TEST(PlotTicks, HaveTheSameNumberOfDecimals) {
  EXPECT_EQ(tick_texts({0, 0.2, 0.4}), (Texts{"0.0", "0.2", "0.4"}));
  EXPECT_EQ(tick_texts({0.35, 0.4, 0.45}), (Texts{"0.35", "0.40", "0.45"}));
  EXPECT_EQ(tick_texts({0, 10, 20}), (Texts{"0", "10", "20"}));
  EXPECT_EQ(tick_texts({1e-4, 2e-4}), (Texts{"1e-4", "2e-4"}));
  EXPECT_EQ(tick_texts({0, 2e6}), (Texts{"0", "2e6"}));
  EXPECT_EQ(short_number(0.01), "0.01");
  EXPECT_EQ(short_number(-2.5e-12), "-2.5e-12");
}

TEST(Plot, LeavesGapsAndEscapesText) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  LinePlot plot{.title = "a < b & c", .x = {.name = "x"}, .y = {.name = "y"}};
  plot.curves.push_back({.name = "one", .x = {1, 2, 3, 4}, .y = {1, nan, 3, 4}, .spread = {0.1, 0.1, 0.1, 0.1}});
  const std::string svg = line_plot(plot);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const std::size_t path = svg.find("stroke-dasharray=\"\"");
  const std::string curve = svg.substr(svg.rfind("<path", path), 80);
  EXPECT_EQ(std::count(curve.begin(), curve.end(), 'M'), 2) << "the pen is lifted once: " << curve;
}

TEST(Plot, OfNothingIsAnEmptyFrame) {
  EXPECT_NE(line_plot({.title = "none"}).find("</svg>"), std::string::npos);
  EXPECT_NE(heat_map({.title = "none"}).find("</svg>"), std::string::npos);
}

TEST(Plot, TakesPowersOfTenOutOfLongNumbers) {
  LinePlot plot{.title = "loss", .x = {.name = "x"}, .y = {.name = "loss"}};
  plot.curves.push_back({.name = "one", .x = {1, 2}, .y = {5e-7, 6e-7}});
  EXPECT_NE(line_plot(plot).find("loss (× 10⁻⁷)"), std::string::npos);
}

TEST(Plot, MarksUnknownCellsOfAHeatMap) {
  const HeatMap map{.title = "grid",
                    .columns = {"1", "2"},
                    .rows = {"a"},
                    .values = {{0.25, std::numeric_limits<double>::quiet_NaN()}}};
  const std::string svg = heat_map(map);
  EXPECT_NE(svg.find(">0.250<"), std::string::npos);
  EXPECT_NE(svg.find(">–<"), std::string::npos);
}

}  // namespace
}  // namespace omvc::app
