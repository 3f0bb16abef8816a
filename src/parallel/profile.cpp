#include "parallel/profile.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace omvc {
namespace {

// In the order of Step.
constexpr std::array<const char*, kSteps> kStepNames{
    "first_look", "reading",      "waiting",    "prepare",    "times",  "transpose_times",
    "gram",       "row_solver",   "learning",   "prototypes", "kmeans", "neighbours",
    "readers",    "eigenvectors", "checkpoint", "results",    "other"};

constexpr std::size_t index_of(Step step) { return static_cast<std::size_t>(step); }

// The counts of products with so many columns, which are made where there are none yet.
ProductCount& count_of(std::vector<ProductCount>& products, int columns) {
  const auto at = std::lower_bound(products.begin(), products.end(), columns,
                                   [](const ProductCount& count, int wanted) { return count.columns < wanted; });
  if (at != products.end() && at->columns == columns) return *at;
  return *products.insert(at, {.columns = columns});
}

}  // namespace

Profile::Profile(Clock clock) : clock_(clock) { start(); }

double Profile::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Profile::start() {
  since_ = clock_();
  current_ = Step::other;
  seconds_.fill(0);
  products_.clear();
}

Step Profile::enter(Step step) {
  const double now = clock_();
  seconds_[index_of(current_)] += now - since_;
  since_ = now;
  return std::exchange(current_, step);
}

void Profile::add(Step step, double seconds) { seconds_[index_of(step)] += seconds; }

void Profile::add(const std::vector<double>& seconds) {
  for (std::size_t i = 0; i < kSteps; ++i) seconds_[i] += seconds[i];
}

void Profile::take_over(const std::vector<Profile*>& others) {
  std::array<double, kSteps> spent{};
  double all = 0;
  for (Profile* other : others) {
    for (std::size_t i = 0; i < kSteps; ++i) {
      spent[i] += other->seconds_[i];
      all += other->seconds_[i];
    }
    add_products(other->products_, products_);
    other->products_.clear();
  }
  const double now = clock_();
  const double passed = now - since_;
  since_ = now;
  if (!(all > 0)) return add(current_, passed);
  for (std::size_t i = 0; i < kSteps; ++i) seconds_[i] += passed * spent[i] / all;
}

std::vector<double> Profile::seconds() {
  enter(current_);
  return {seconds_.begin(), seconds_.end()};
}

std::vector<StepTime> Profile::report() {
  enter(current_);
  std::vector<StepTime> steps;
  for (std::size_t i = 0; i < kSteps; ++i) {
    steps.push_back({.name = kStepNames[i], .seconds = seconds_[i], .overlaps = i == index_of(Step::reading)});
  }
  return steps;
}

double Profile::total() const {
  double sum = 0;
  for (std::size_t i = 0; i < kSteps; ++i) sum += i == index_of(Step::reading) ? 0 : seconds_[i];
  return sum;
}

void Profile::count_product(Step step, Index columns) {
  ProductCount& count = count_of(products_, static_cast<int>(columns));
  ++(step == Step::times ? count.times : count.transpose_times);
}

void Profile::count_products(const std::vector<ProductCount>& more) { add_products(more, products_); }

std::vector<ProductCount> Profile::take_products() { return std::exchange(products_, {}); }

void add_products(const std::vector<ProductCount>& more, std::vector<ProductCount>& products) {
  for (const ProductCount& one : more) {
    ProductCount& count = count_of(products, one.columns);
    count.times += one.times;
    count.transpose_times += one.transpose_times;
  }
}

}  // namespace omvc
