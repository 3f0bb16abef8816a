// The inner loops of the kernels, compiled for several instruction sets (Highway); the best one that the machine has is
// chosen at run time. Nobody but the kernels and the row solver uses them.
//
// Every element of a result is one chain of multiply-adds in the order of the data: the lanes of a vector are different
// elements, never parts of one sum. So neither the length of vectors nor how the work is cut into calls changes a bit;
// only whether the machine fuses multiplication and addition does.
//
// Matrices are row-major with a distance between rows (`stride`), so that blocks of larger ones can be given. None may
// overlap another.
#pragma once

#include <cstdint>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc::simd {

template <class S>
struct ConstRowsOf {
  const S* data;
  Index stride;
};

template <class S>
struct RowsOf {
  S* data;
  Index stride;
};

using ConstRows = ConstRowsOf<double>;
using Rows = RowsOf<double>;
using NarrowConstRows = ConstRowsOf<float>;
using NarrowRows = RowsOf<float>;

// out += X M, for dense X of rows x depth, M of depth x r. Sums are of the type of M and out.
void add_product(const float* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out);
void add_product(const double* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out);
void add_product(const float* X, Index x_stride, Index rows, Index depth, NarrowConstRows M, Index r, NarrowRows out);
void add_product(const double* X, Index x_stride, Index rows, Index depth, NarrowConstRows M, Index r, NarrowRows out);

// out += X' M, for dense X of depth x rows, M of depth x r.
void add_transpose_product(const float* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out);
void add_transpose_product(const double* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out);

// The rows [first, last) of a sparse block.
template <class T>
struct SparseRows {
  const Index* offsets;
  const std::int32_t* columns;
  const T* values;
  Index first;
  Index last;
};

// out = X M for those rows; out has last - first of them.
void sparse_product(const SparseRows<float>& X, ConstRows M, Index r, Rows out);
void sparse_product(const SparseRows<double>& X, ConstRows M, Index r, Rows out);
void sparse_product(const SparseRows<float>& X, NarrowConstRows M, Index r, NarrowRows out);
void sparse_product(const SparseRows<double>& X, NarrowConstRows M, Index r, NarrowRows out);

// out += X' M, for the features [begin, end) of X alone; rows of M and of the block have the same numbers, out begins
// with feature `begin`.
void add_sparse_transpose_product(const SparseRows<float>& X, Index begin, Index end, ConstRows M, Index r, Rows out);
void add_sparse_transpose_product(const SparseRows<double>& X, Index begin, Index end, ConstRows M, Index r, Rows out);

// Sum of squares in eight interleaved chains.
double sum_of_squares(const float* values, Index count);
double sum_of_squares(const double* values, Index count);

// Row problems are solved kLane at a time with the problems side by side, so that the lanes of a vector are problems:
// entry k of problem i lies at [k * kLane + i]. Rows of r numbers are brought there, at most kLane of them, and back.
inline constexpr Index kLane = 32;
void to_lanes(const double* const* rows, Index count, Index r, double* lanes);
void from_lanes(const double* lanes, Index count, Index r, double* const* rows);

// Cyclic coordinate descent on `count` problems  minimise z G z' - 2 z q' + l 1'z over z >= 0, at most kLane at a time:
// z and q lie in lanes. A problem is left alone after a sweep in which no entry changed by more than `tolerance` times
// its largest entry. Returns the sweeps taken by the problem that took most.
int coordinate_descent(const double* G, Index r, const double* q, const double* l, int sweeps, double tolerance,
                       double* z);

// One projected Newton step on those of kLane such problems, laid out alike, that have a bit in `problems`:
// z <- max(z - gamma h M, 0) for h = z G - q + l / 2, half the gradient, and a matrix M in place of the inverse of G.
// gamma is the first of 1, eta, eta^2 ... for which the step s descends and (1 - sigma) 2 h s' + s G s' <= 0 (the
// Armijo rule). Where none of `tries` does, z <- max(z - h / lipschitz, 0) if that descends. Returns a bit for each
// problem that moved. `room` is 3 r x kLane numbers to work in.
struct NewtonRule {
  double lipschitz;  // no less than the largest eigenvalue of G
  double sigma;
  double eta;
  int tries;
};
std::uint32_t newton_step(const double* G, const double* M, Index r, const NewtonRule& rule, const double* q,
                          const double* l, std::uint32_t problems, double* room, double* z);

// Room for numbers that begins where a cache line does, since vectors that cross lines take twice as long to read.
class Buffer {
 public:
  double* of_size(Index count) {
    const auto needed = static_cast<std::size_t>(count) + kLine;
    if (numbers_.size() < needed) numbers_.resize(needed);
    const auto past = reinterpret_cast<std::uintptr_t>(numbers_.data()) / sizeof(double) % kLine;
    return numbers_.data() + (kLine - past);
  }

 private:
  static constexpr std::size_t kLine = 64 / sizeof(double);
  std::vector<double> numbers_;
};

// The name of the instruction set in use, by which tests tell one from another.
const char* target();

}  // namespace omvc::simd
