// The floor under a fit: its products with the data and nothing else, by libraries. Prints seconds as JSON.
//
//     omvc_floor FOLDER --chunk 500 --threads 2 --pass 93:1200:1100,31:8:4 --pass ... [--repeat 3]
//
// FOLDER is what omvc_scaled wrote. A --pass lists products as columns:times:transpose_times, where one product is one
// view of one chunk multiplied once; they are spread evenly over the chunks. Every chunk also gives ||X||^2 once a
// pass. Data are in memory and in the precision of the product before the clock starts, sparse data by rows and by
// columns.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <fmt/format.h>
#include <functional>

#include "blocks.hpp"
#include "pool.hpp"

namespace {

struct Products {
  Index columns = 0;
  Index times = 0;
  Index transpose_times = 0;
};
using Pass = std::vector<Products>;

// out = X U and out += X' V, as one library does them.
template <class T>
struct Library {
  std::string name;
  int threads = 1;  // of the library itself
  std::function<void(const Piece<T>&, const Matrix<T>& U, Matrix<T>& out)> times;
  std::function<void(const Piece<T>&, const Matrix<T>& V, Matrix<T>& out)> add_transpose_times;
};

void gemm(CBLAS_TRANSPOSE turn, Index m, Index n, Index k, const double* A, Index lda, const double* B, double beta,
          double* C) {
  cblas_dgemm(CblasRowMajor, turn, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0, A,
              static_cast<int>(lda), B, static_cast<int>(n), beta, C, static_cast<int>(n));
}

void gemm(CBLAS_TRANSPOSE turn, Index m, Index n, Index k, const float* A, Index lda, const float* B, double beta,
          float* C) {
  cblas_sgemm(CblasRowMajor, turn, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0F, A,
              static_cast<int>(lda), B, static_cast<int>(n), static_cast<float>(beta), C, static_cast<int>(n));
}

// The part of 0 .. n that one thread of a pool gets.
std::pair<Index, Index> share(Index n, int part, int parts) { return {n * part / parts, n * (part + 1) / parts}; }

// The same for rows with different numbers of entries, so that every thread gets about as many of them.
template <class T>
std::pair<Index, Index> share(const Sparse<T>& X, int part, int parts) {
  const std::int32_t* starts = X.outerIndexPtr();
  const auto row = [&](Index entry) { return std::lower_bound(starts, starts + X.rows(), entry) - starts; };
  const auto [begin, end] = share(X.nonZeros(), part, parts);
  return {part == 0 ? 0 : row(begin), part == parts - 1 ? X.rows() : row(end)};
}

// OpenBLAS on its own threads, or on one thread for every part of the pool.
template <class T>
Library<T> openblas(const std::string& name, int threads, Pool& pool) {
  return {.name = name,
          .threads = threads,
          .times =
              [&pool](const Piece<T>& X, const Matrix<T>& U, Matrix<T>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.rows, part, pool.parts());
                  if (end > begin) {
                    gemm(CblasNoTrans, end - begin, U.cols(), X.cols, X.values + begin * X.cols, X.cols, U.data(), 0,
                         out.data() + begin * U.cols());
                  }
                });
              },
          .add_transpose_times =
              [&pool](const Piece<T>& X, const Matrix<T>& V, Matrix<T>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.cols, part, pool.parts());
                  if (X.rows > 0 && end > begin) {
                    gemm(CblasTrans, end - begin, V.cols(), X.rows, X.values + begin, X.cols, V.data(), 1,
                         out.data() + begin * V.cols());
                  }
                });
              }};
}

Library<double> eigen(Pool& pool) {
  using Rows = Eigen::Map<const Matrix<double>>;
  return {.name = "Eigen",
          .times =
              [&pool](const Piece<double>& X, const Matrix<double>& U, Matrix<double>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.rows, part, pool.parts());
                  out.middleRows(begin, end - begin).noalias() =
                      Rows(X.values, X.rows, X.cols).middleRows(begin, end - begin) * U;
                });
              },
          .add_transpose_times =
              [&pool](const Piece<double>& X, const Matrix<double>& V, Matrix<double>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.cols, part, pool.parts());
                  out.middleRows(begin, end - begin).noalias() +=
                      Rows(X.values, X.rows, X.cols).middleCols(begin, end - begin).transpose() * V.topRows(X.rows);
                });
              }};
}

// Eigen's sparse products. X' V gathers along the columns, or on one thread may scatter along the rows.
Library<double> eigen_sparse(bool scatter, Pool& pool) {
  const auto multiply = [&pool](const Sparse<double>& X, const auto& factor, const auto& store) {
    pool.run([&](int part) {
      const auto [begin, end] = share(X, part, pool.parts());
      store(begin, end - begin, X.middleRows(begin, end - begin) * factor);
    });
  };
  Library<double> out{.name = scatter ? "Eigen, scattering" : "Eigen"};
  out.times = [multiply](const Piece<double>& X, const Matrix<double>& U, Matrix<double>& result) {
    multiply(X.by_rows, U,
             [&](Index first, Index count, auto&& XU) { result.middleRows(first, count).noalias() = XU; });
  };
  out.add_transpose_times = [multiply, scatter](const Piece<double>& X, const Matrix<double>& V,
                                                Matrix<double>& result) {
    if (scatter) {
      result.noalias() += X.by_rows.transpose() * V.topRows(X.rows);
    } else {
      multiply(X.by_columns, V.topRows(X.rows),
               [&](Index first, Index count, auto&& XV) { result.middleRows(first, count).noalias() += XV; });
    }
  };
  return out;
}

template <class T>
double squared_norm(const Piece<T>& X) {
  const T* values = X.sparse() ? X.by_rows.valuePtr() : X.values;
  return static_cast<double>(Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(values, X.entries).square().sum());
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// How many of `all` products of one view of one chunk fall to each view of chunk c.
Index of_chunk(Index all, Index c, Index chunks, Index views) {
  return (c + 1) * all / (chunks * views) - c * all / (chunks * views);
}

// The products of one pass in the order in which a fit has them: X U of all views of a chunk, then X' V of all.
// `count` is the number of all views, of which `views` are those of one kind.
template <class T>
double seconds_of(const Library<T>& library, const std::vector<View<T>>& views, Index count, const Pass& pass,
                  double& checksum) {
  const auto chunks = static_cast<Index>(views[0].pieces.size());
  Index height = 0;
  for (const View<T>& view : views) {
    for (const Piece<T>& piece : view.pieces) height = std::max(height, piece.rows);
  }
  struct Factors {
    Matrix<T> V, XU;
    std::vector<Matrix<T>> U, XV;
  };
  std::vector<Factors> all;
  for (const Products& products : pass) {
    Factors& factors = all.emplace_back();
    factors.V.setConstant(height, products.columns, T(0.5));
    factors.XU.setZero(height, products.columns);
    for (const View<T>& view : views) {
      factors.U.push_back(Matrix<T>::Constant(view.cols, products.columns, T(0.5)));
      factors.XV.push_back(Matrix<T>::Zero(view.cols, products.columns));
    }
  }
  const double start = now();
  for (Index c = 0; c < chunks; ++c) {
    const auto at = static_cast<std::size_t>(c);
    for (const View<T>& view : views) checksum += squared_norm(view.pieces[at]);
    for (std::size_t p = 0; p < pass.size(); ++p) {
      const Index times = of_chunk(pass[p].times, c, chunks, count);
      const Index transposed = of_chunk(pass[p].transpose_times, c, chunks, count);
      for (Index i = 0; i < std::max(times, transposed); ++i) {
        for (std::size_t v = 0; i < times && v < views.size(); ++v) {
          library.times(views[v].pieces[at], all[p].U[v], all[p].XU);
        }
        for (std::size_t v = 0; i < transposed && v < views.size(); ++v) {
          library.add_transpose_times(views[v].pieces[at], all[p].V, all[p].XV[v]);
        }
      }
    }
  }
  const double seconds = now() - start;
  for (const Factors& factors : all) checksum += static_cast<double>(factors.XU.sum() + factors.XV[0].sum());
  return seconds;
}

Pass parse_pass(const std::string& text) {
  Pass pass;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');) {
    Products products;
    if (std::sscanf(one.c_str(), "%ld:%ld:%ld", &products.columns, &products.times, &products.transpose_times) != 3) {
      throw std::runtime_error("not columns:times:transpose_times: " + one);
    }
    pass.push_back(products);
  }
  return pass;
}

struct Arguments {
  std::string folder;
  Index chunk = 500;
  int threads = 1;
  int repeat = 1;
  std::vector<std::string> passes;
};

// Times every library on the views of one kind. Those that are clearly slower than the best are timed once only.
template <class T>
nlohmann::json race(const std::vector<Library<T>>& libraries, const std::vector<View<T>>& views, Index count,
                    const Arguments& arguments) {
  constexpr double kClearly = 1.3;
  nlohmann::json out = nlohmann::json::array();
  if (views.empty()) return out;
  double checksum = 0;
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < arguments.repeat; ++repetition) {
    for (std::size_t i = 0; i < libraries.size(); ++i) {
      if (repetition > 0 && out[i]["seconds"][0].get<double>() > kClearly * best) continue;
      openblas_set_num_threads(libraries[i].threads);
      double seconds = 0;
      for (const std::string& pass : arguments.passes) {
        seconds += seconds_of(libraries[i], views, count, parse_pass(pass), checksum);
      }
      if (repetition == 0) {
        out.push_back({{"library", libraries[i].name},
                       {"sparse", views[0].pieces[0].sparse()},
                       {"threads", arguments.threads},
                       {"bytes", sizeof(T)}});
        best = std::min(best, seconds);
      }
      out[i]["seconds"].push_back(seconds);
    }
  }
  if (!std::isfinite(checksum)) throw std::runtime_error("a product is not finite");
  return out;
}

template <class T>
std::vector<View<T>> read_views(const Arguments& arguments, const nlohmann::json& data, bool sparse) {
  std::vector<View<T>> views;
  for (std::size_t v = 0; v < data["views"].size(); ++v) {
    if (data["views"][v]["sparse"] != sparse) continue;
    views.push_back(read_view<T>(fmt::format("{}/view{}", arguments.folder, v), data["views"][v], data["instances"],
                                 arguments.chunk));
  }
  return views;
}

nlohmann::json measure(const Arguments& arguments) {
  const nlohmann::json data = nlohmann::json::parse(std::ifstream(arguments.folder + "/data.json"));
  const auto count = static_cast<Index>(data["views"].size());
  nlohmann::json out = nlohmann::json::array();
  const auto add = [&](const nlohmann::json& results) { out.insert(out.end(), results.begin(), results.end()); };
  Pool one(1);
  Pool many(arguments.threads);
  {
    std::vector<Library<double>> dense{openblas<double>("OpenBLAS", arguments.threads, one), eigen(many)};
    if (arguments.threads > 1) dense.push_back(openblas<double>("OpenBLAS, rows split", 1, many));
    add(race(dense, read_views<double>(arguments, data, false), count, arguments));
  }
  add(race({openblas<float>("OpenBLAS, single precision", arguments.threads, one)},
           read_views<float>(arguments, data, false), count, arguments));
  std::vector<Library<double>> sparse{eigen_sparse(false, many)};
  if (arguments.threads == 1) sparse.push_back(eigen_sparse(true, many));
  add(race(sparse, read_views<double>(arguments, data, true), count, arguments));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("times products with data by libraries");
  Arguments arguments;
  app.add_option("folder", arguments.folder)->required();
  app.add_option("--chunk", arguments.chunk)->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads)->check(CLI::PositiveNumber);
  app.add_option("--repeat", arguments.repeat)->check(CLI::PositiveNumber);
  app.add_option("--pass", arguments.passes)->required()->expected(1)->take_all();
  CLI11_PARSE(app, argc, argv);
  try {
    fmt::print("{}\n", measure(arguments).dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "omvc_floor: {}\n", error.what());
    return 1;
  }
  return 0;
}
