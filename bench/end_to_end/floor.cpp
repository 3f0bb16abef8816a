// The floor under a fit: its products with the data and nothing else, by libraries. Prints seconds as JSON, of one
// thread those of the processor.
//
//     omvc_floor FOLDER --chunk 500 --threads 2 --pass 93:1200:1100,31:8:4 --pass ... [--repeat 3]
//
// FOLDER is what omvc_scaled wrote. A --pass lists products as columns:times:transpose_times, where one product is one
// view of one chunk multiplied once; they are spread evenly over the chunks. Every chunk also gives ||X||^2 once a
// pass. Data are in memory and in the precision of the product before the clock starts, sparse data by rows and by
// columns.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>

#include "blocks.hpp"
#include "libraries.hpp"
#include "pool.hpp"

namespace {

struct Products {
  Index columns = 0;
  Index times = 0;
  Index transpose_times = 0;
};
using Pass = std::vector<Products>;

template <class T>
double squared_norm(const Piece<T>& X) {
  const T* values = X.sparse() ? X.by_rows.valuePtr() : X.values;
  return static_cast<double>(Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(values, X.entries).square().sum());
}

// Processor time of one thread, which other work on the machine does not add to. Threads that spin have no such clock.
double now(bool alone) {
  if (!alone) return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// How many of `all` products of one view of one chunk fall to each view of chunk c.
Index of_chunk(Index all, Index c, Index chunks, Index views) {
  return (c + 1) * all / (chunks * views) - c * all / (chunks * views);
}

// The products of one pass in the order in which a fit has them: X U of all views of a chunk, then X' V of all.
// `count` is the number of all views, of which `views` are those of one kind.
template <class T>
double seconds_of(const Library<T>& library, const std::vector<View<T>>& views, Index count, const Pass& pass,
                  bool alone, double& checksum) {
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
  const double start = now(alone);
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
  const double seconds = now(alone) - start;
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
  constexpr double kAgree = 1e-6;  // of the sums of all results
  nlohmann::json out = nlohmann::json::array();
  if (views.empty()) return out;
  double expected = 0;
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < arguments.repeat; ++repetition) {
    for (std::size_t i = 0; i < libraries.size(); ++i) {
      if (repetition > 0 && out[i]["seconds"][0].get<double>() > kClearly * best) continue;
      openblas_set_num_threads(libraries[i].threads);
      double seconds = 0;
      double checksum = 0;
      for (const std::string& pass : arguments.passes) {
        seconds += seconds_of(libraries[i], views, count, parse_pass(pass), arguments.threads == 1, checksum);
      }
      if (repetition == 0) {
        if (i == 0) expected = checksum;
        if (!(std::abs(checksum - expected) <= kAgree * std::abs(expected))) {
          throw std::runtime_error(libraries[i].name + " and " + libraries[0].name + " disagree");
        }
        out.push_back({{"library", libraries[i].name},
                       {"sparse", views[0].pieces[0].sparse()},
                       {"threads", arguments.threads},
                       {"bytes", sizeof(T)}});
        best = std::min(best, seconds);
      }
      out[i]["seconds"].push_back(seconds);
    }
  }
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
