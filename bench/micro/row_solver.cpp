// The row solvers (src/factorise/row_problem.hpp), with the number of steps that a call of the library takes. Bytes
// that must move: the start and q read, the result written. Operations that a row and step need, beside the few for
// each coordinate: hals one product with G (each coordinate's gradient); diagonal two (the gradient, and the curvature
// of a step that the Armijo rule takes at once); newton three (the direction too).
#include <fmt/format.h>
#include <string_view>
#include <thread>
#include <utility>

#include "data.hpp"
#include "factorise/row_problem.hpp"
#include "suite.hpp"

namespace omvc::bench {
namespace {

struct Solver {
  RowSolver kind;
  std::string_view name;
  int steps;
  int products;       // with G or its inverse, a row and step
  double coordinate;  // operations for each coordinate beside them
};

constexpr Solver kSolvers[] = {{RowSolver::hals, "hals", 4, 1, 4},
                               {RowSolver::newton, "newton", 1, 3, 10},
                               {RowSolver::diagonal, "diagonal", 1, 2, 11}};

struct Size {
  Index r = 0;
  Index rows = 0;
};

constexpr Size kSizes[] = {{2, 50}, {5, 1800}, {10, 500}, {6, 35000}, {31, 1000}, {31, 10000}, {128, 1000}};

double work_operations(const Solver& solver, const Size& size) {
  const auto r = static_cast<double>(size.r);
  const double row = 2 * solver.products * r * r + solver.coordinate * r;
  return row * solver.steps * static_cast<double>(size.rows);
}

// Rows whose solution is known but for noise, half of it zero, and which start away from it: every call starts anew, so
// that a solver that stops early has as much to do in each. The copy is part of the time, as it is part of the bytes.
Case make_case(const Solver& solver, const Size& size) {
  const auto [r, rows] = size;
  const Matrix basis = random_factor(20 * r, r, 0.7);
  const Matrix G = basis.transpose() * basis + 0.01 * Matrix::Identity(r, r);
  const Matrix start = random_factor(rows, r);
  const Matrix solution = random_factor(rows, r, 0.5);
  const Matrix Q = solution * G - 0.1 * start;
  const Work work{work_operations(solver, size), 3.0 * sizeof(double) * static_cast<double>(rows * r)};
  const TwoRuns lasso{.first = rows / 2, .head = 0.01, .rest = 0.02};
  return {work, [=, problem = RowProblem(solver.kind, G), Z = start, steps = solver.steps](Compute& compute) mutable {
            Z = start;
            problem.improve(Q, lasso, steps, Z, compute);
          }};
}

void add_solver(const Solver& solver, const Size& size, int threads) {
  add_benchmark(fmt::format("improve/{}/r={}/rows={}", solver.name, size.r, size.rows), threads,
                [solver, size] { return make_case(solver, size); });
}

}  // namespace

void add_row_solvers() {
  for (const Solver& solver : kSolvers) {
    for (const Size& size : kSizes) add_solver(solver, size, 1);
  }
  if (std::thread::hardware_concurrency() < 2) return;
  for (const Solver& solver : kSolvers) add_solver(solver, {31, 10000}, 2);
}

}  // namespace omvc::bench
