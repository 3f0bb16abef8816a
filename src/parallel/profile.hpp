// Where the time of a run goes, and how often the data were multiplied.
//
// At every moment the thread that drives a run is in one step: the innermost one it has entered, Step::other where it
// has entered none. So the times of the steps exclude each other, and add up to the time since the start. Reading is
// the exception: it happens on a thread of its own, beside the others, and is told of when it is done (add).
//
// Always on: two looks at the clock for a kernel call cost nothing beside it. For the driving thread alone, never for
// tasks of Compute, so there are no locks.
#pragma once

#include <array>
#include <vector>

#include "omvc/profile.hpp"

namespace omvc {

enum class Step {
  first_look,       // at the data, before anything is learned
  reading,          // ahead, while something else is done
  waiting,          // for the reader
  prepare,          // a chunk: its squares and presence patterns
  times,            // X U
  transpose_times,  // X' V
  gram,             // V' V
  row_solver,
  learning,    // beside the steps above
  prototypes,  // likewise
  kmeans,
  neighbours,  // among the rows of the sample
  readers,
  eigenvectors,
  checkpoint,
  results,
  other,
};
inline constexpr std::size_t kSteps = static_cast<std::size_t>(Step::other) + 1;

class Profile {
 public:
  using Clock = double (*)();  // seconds since some moment

  explicit Profile(Clock clock = steady_seconds);

  // Forgets everything: time runs from now on, in Step::other.
  void start();
  // Goes on in another step and returns the one it was in. See Timed.
  Step enter(Step step);

  // Adds time that was spent before the start or on another thread. The second has a value for every step.
  void add(Step step, double seconds);
  void add(const std::vector<double>& seconds);

  // Takes over the products that others have counted, and shares the time since it entered its step out among the steps
  // that they were in, in proportion: what several threads did while this one waited for the last of them.
  void take_over(const std::vector<Profile*>& others);

  // Time up to now in every step, in the order of Step: as numbers, and by name.
  std::vector<double> seconds();
  std::vector<StepTime> report();
  // The sum of what the last call of these two returned, or more where steps were entered since; without reading.
  double total() const;

  // One product of a view of a chunk with a matrix of so many columns, by X (Step::times) or X' (transpose_times).
  void count_product(Step step, Index columns);
  // What the profile of another thread counted.
  void count_products(const std::vector<ProductCount>& more);
  // What was counted since the last call.
  std::vector<ProductCount> take_products();

  static double steady_seconds();

 private:
  Clock clock_;
  double since_ = 0;  // when the time of the current step was last added up
  Step current_ = Step::other;
  std::array<double, kSteps> seconds_{};
  std::vector<ProductCount> products_;
};

// Is in a step as long as it lives, then back in the one before.
class Timed {
 public:
  Timed(Profile& profile, Step step) : profile_(profile), before_(profile.enter(step)) {}
  // The same for a product with a matrix of so many columns, which it counts.
  Timed(Profile& profile, Step step, Index columns) : Timed(profile, step) { profile.count_product(step, columns); }
  ~Timed() { profile_.enter(before_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Profile& profile_;
  Step before_;
};

// Adds counts to others. Both are, and the sum is, in ascending order of columns.
void add_products(const std::vector<ProductCount>& more, std::vector<ProductCount>& products);

}  // namespace omvc
