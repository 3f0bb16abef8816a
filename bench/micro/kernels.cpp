// The operations on data (src/kernels/data_block.hpp). Bytes that must move: each entry of the data once (CSR: value
// and column number, and the row offsets), factors read once, outputs written once, and read too where they are added
// to. Rows of a factor that meet no entry need not be touched.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "data.hpp"
#include "kernels/data_block.hpp"
#include "suite.hpp"

namespace omvc::bench {
namespace {

struct Shape {
  Index d = 0;
  Index n = 0;
  double density = 1;  // 1: dense
};

struct Product {
  Shape shape;
  Index r = 0;
};

// A block that is ready to be multiplied, and what it takes to read it.
struct Data {
  explicit Data(Block made) : block(std::move(made)), ready(block) {}
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  Block block;
  DataBlock ready;
  double entries = 0;
  double columns = 0;       // that have an entry
  double value_bytes = 0;   // the values
  double column_bytes = 0;  // the column numbers
  double offset_bytes = 0;  // the row offsets

  double bytes() const { return value_bytes + column_bytes + offset_bytes; }
};

using SharedData = std::shared_ptr<const Data>;

constexpr double kDouble = sizeof(double);

double real(Index i) { return static_cast<double>(i); }

template <class T>
SharedData make_data(const Shape& shape) {
  if (shape.density >= 1) {
    const auto data = std::make_shared<Data>(Block(random_dense<T>(shape.n, shape.d)));
    data->entries = real(shape.n) * real(shape.d);
    data->columns = real(shape.d);
    data->value_bytes = data->entries * sizeof(T);
    return data;
  }
  CsrBlock<T> block = random_csr<T>(shape.n, shape.d, shape.density);
  std::vector<std::int32_t> columns = block.columns;
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const auto data = std::make_shared<Data>(Block(std::move(block)));
  data->entries = real(std::get<CsrBlock<T>>(data->block).nonzeros());
  data->columns = static_cast<double>(columns.size());
  data->value_bytes = data->entries * sizeof(T);
  data->column_bytes = data->entries * sizeof(std::int32_t);
  data->offset_bytes = real(shape.n + 1) * sizeof(Index);
  return data;
}

template <class T>
std::string name_of(std::string_view kernel, const Shape& shape, Index r = 0) {
  const bool dense = shape.density >= 1;
  return fmt::format(
      "{}/{}/{}/d={}{}{}/n={}", kernel, dense ? "dense" : "csr", std::is_same_v<T, float> ? "float" : "double", shape.d,
      dense ? "" : fmt::format("/density={:g}%", 100 * shape.density), r > 0 ? fmt::format("/r={}", r) : "", shape.n);
}

template <class T>
void add_times(const Product& product, int threads) {
  add_benchmark(name_of<T>("times", product.shape, product.r), threads, [product] {
    const auto& [shape, r] = product;
    const SharedData data = make_data<T>(shape);
    const Work work{2 * data->entries * real(r), data->bytes() + (data->columns + real(shape.n)) * real(r) * kDouble};
    return Case{work, [data, U = random_factor(shape.d, r), out = Matrix(shape.n, r)](Compute& compute) mutable {
                  data->ready.times(U, out, compute);
                }};
  });
}

template <class T>
void add_transpose_times(const Product& product, int threads) {
  add_benchmark(name_of<T>("add_transpose_times", product.shape, product.r), threads, [product] {
    const auto& [shape, r] = product;
    const SharedData data = make_data<T>(shape);
    const Work work{2 * data->entries * real(r),
                    data->bytes() + (2 * data->columns + real(shape.n)) * real(r) * kDouble};
    return Case{work, [data, V = random_factor(shape.n, r), out = Matrix(Matrix::Zero(shape.d, r))](
                          Compute& compute) mutable { data->ready.add_transpose_times(V, out, compute); }};
  });
}

template <class T>
void add_squared_norm(const Shape& shape) {
  add_benchmark(name_of<T>("squared_norm", shape), 1, [shape] {
    const SharedData data = make_data<T>(shape);
    return Case{{2 * data->entries, data->value_bytes}, [data](Compute& compute) {
                  double sum = data->ready.squared_norm(compute);
                  benchmark::DoNotOptimize(sum);
                }};
  });
}

template <class T>
void add_row_sum(const Shape& shape) {
  add_benchmark(name_of<T>("add_row_sum", shape), 1, [shape] {
    const SharedData data = make_data<T>(shape);
    const Work work{data->entries, data->value_bytes + data->column_bytes + 2 * data->columns * kDouble};
    return Case{work, [data, out = Vector(Vector::Zero(shape.d))](Compute& compute) mutable {
                  data->ready.add_row_sum(out, compute);
                }};
  });
}

// One half of a symmetric matrix.
void add_gram(Index r, Index n, int threads) {
  add_benchmark(fmt::format("gram/r={}/n={}", r, n), threads, [r, n] {
    const Work work{real(n) * real(r) * real(r + 1), (real(n) + real(r)) * real(r) * kDouble};
    return Case{work, [V = random_factor(n, r), out = Matrix()](Compute& compute) mutable { gram(V, out, compute); }};
  });
}

// Corners of what occurs, and the views of the paper's sets: Digit (dense, small), YouTube (dense), WebKB (sparse,
// small) and Reuters (about 100 entries a row).
constexpr Product kProducts[] = {
    {{50, 50, 1}, 2},          {{240, 50, 1}, 10},        {{240, 10000, 1}, 10},      {{1000, 500, 1}, 31},
    {{2000, 10000, 1}, 31},    {{1000, 1000, 1}, 128},    {{35000, 500, 1}, 6},       {{1800, 50, 0.05}, 5},
    {{20000, 50, 0.005}, 6},   {{20000, 2000, 0.005}, 6}, {{35000, 10000, 0.003}, 6}, {{35000, 10000, 0.001}, 2},
    {{35000, 1000, 0.01}, 31}, {{5000, 1000, 0.02}, 128}, {{1000, 1000, 0.3}, 31},
};

constexpr Product kOnTwoThreads[] = {{{2000, 10000, 1}, 31}, {{35000, 10000, 0.003}, 6}, {{35000, 1000, 0.01}, 31}};

// For what does not depend on the rank.
constexpr Shape kShapes[] = {{1000, 500, 1}, {2000, 10000, 1}, {1800, 50, 0.05}, {35000, 10000, 0.003}};

template <class T>
void add_of_type() {
  for (const Product& each : kProducts) add_times<T>(each, 1);
  for (const Product& each : kProducts) add_transpose_times<T>(each, 1);
  for (const Shape& each : kShapes) add_squared_norm<T>(each);
  for (const Shape& each : kShapes) add_row_sum<T>(each);
}

}  // namespace

void add_kernels() {
  add_of_type<float>();
  add_of_type<double>();
  for (const auto& [r, n] :
       {std::pair<Index, Index>{2, 50}, {6, 35000}, {10, 500}, {31, 1000}, {31, 10000}, {128, 1000}}) {
    add_gram(r, n, 1);
  }
  if (std::thread::hardware_concurrency() < 2) return;
  for (const Product& each : kOnTwoThreads) add_times<double>(each, 2);
  for (const Product& each : kOnTwoThreads) add_transpose_times<double>(each, 2);
  add_gram(31, 10000, 2);
}

}  // namespace omvc::bench
