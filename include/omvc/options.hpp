// Everything that decides a result. One struct with the defaults in place and one table (kParams) that names each
// field, its range and its meaning; validation, command line, model file and docs/parameters.md are derived from the
// table.
//
//     omvc::Options options;                                     // the default preset
//     options.clusters = 10;
//     omvc::Options paper = omvc::preset_options(omvc::Preset::paper);   // OMVC as published
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

enum class Preset { standard, paper };

// The algorithm. docs/methods.md has the objective and updates of each.
enum class Algorithm {
  omvc,           // ours: Shao, He, Lu, Yu 2016, and what the default preset makes of it
  onmf_i,         // Wang, Tan, Koenig, Li 2011: on-line NMF of the concatenated views, exact inverse Hessian
  onmf_da,        // the same with the diagonal of the Hessian
  multinmf,       // Liu, Wang, Gao, Han 2013: off-line, complete views
  mic,            // Shao, He, Yu 2015: off-line, incomplete views
  opimc,          // Hu, Chen 2019: on-line, one-hot latent rows
  masked_kmeans,  // k-means over the observed views
  concat_kmeans,  // k-means on the concatenated views, means in the place of what is missing
};

// How the views of an instance are held together.
enum class Consensus {
  tight,  // one latent row an instance, solved jointly over its observed views: the limit of alpha to infinity
  soft,   // one latent row a view, pulled to their weighted mean by alpha (Eq. 7)
};

// What stands in for a missing view.
enum class Missing {
  ignore,  // weight 0: only what was observed speaks
  fill,    // the running mean of the view (Eq. 10) with the share of instances present as its weight (Eq. 11)
};

// What a later pass does with the share of a chunk in the running sums.
enum class Statistics {
  replace,     // the chunk's old share is subtracted first, so every instance counts once
  accumulate,  // every pass adds to the sums (Section IV-C, as in the authors' script)
};

// How a view is brought to a nonnegative scale. What is measured (totals, ranges, frequencies) is measured over all
// observed instances in a first look at the data, kept in the model, and applied to new instances as it is.
enum class Scaling {
  automatic,  // by the kind of each view; see docs/algorithm.md#scaling
  none,       // as the data are; negative values are refused
  total,      // negative entries to 0, each view divided by its total: the authors'
  minmax,     // each feature from 0 (its minimum) to 1 (its maximum)
  standard,   // each feature divided by its standard deviation and shifted to minimum 0
  l2,         // negative entries to 0, each row to length 1
  tfidf,      // negative entries to 0, times the inverse document frequency, each row to length 1
  variance,   // each feature shifted to minimum 0, the view divided so that its total variance is 1: views weigh alike
};

// Where the basis comes from before the first chunk is learned.
enum class Start {
  data,    // instances of the first chunk
  random,  // uniform numbers
};

// The algorithm for the row problem of the latent and the basis step.
enum class RowSolver {
  hals,      // cyclic coordinate descent
  newton,    // projected steps with the inverse Hessian and the Armijo rule (Eq. 16, 18, 22)
  diagonal,  // the same with the diagonal of the Hessian (Section IV-B), for large ranks
};

struct Options {
  int clusters = 0;
  Algorithm method = Algorithm::omvc;
  int rank = 0;
  Index chunk = 0;
  int passes = 5;
  Consensus consensus = Consensus::tight;
  std::vector<double> alpha{1e-2};
  std::vector<double> beta{1e-7};
  double ridge = 0.05;
  Missing missing = Missing::ignore;
  Statistics statistics = Statistics::replace;
  std::vector<Scaling> scaling{Scaling::automatic};
  Start start = Start::data;
  RowSolver solver = RowSolver::hals;
  bool unit_rows = true;
  int runs = 3;
  bool refine = true;
  int rounds = 60;
  double tolerance = 1e-3;
  int restarts = 20;
  std::uint64_t seed = 0;
  int threads = 0;

  bool operator==(const Options&) const = default;
};

// The options of a preset, with `clusters` still to be set.
Options preset_options(Preset preset);

// The stated defaults of a method (docs/methods.md), with `clusters` still to be set. Those of omvc are its default
// preset.
Options method_options(Algorithm method);

// Whether a method works with negative values: those that cluster in data space do, a nonnegative factorisation does
// not.
bool takes_signed(Algorithm method);

// The names of an enum's values, as users write them.
template <class E>
struct EnumNames;
#define OMVC_ENUM_NAMES(E, ...)                                                                        \
  template <>                                                                                          \
  struct EnumNames<E> {                                                                                \
    static constexpr std::array kNames = std::to_array<std::pair<std::string_view, E>>({__VA_ARGS__}); \
  }
OMVC_ENUM_NAMES(Preset, {"default", Preset::standard}, {"paper", Preset::paper});
OMVC_ENUM_NAMES(Algorithm, {"omvc", Algorithm::omvc}, {"onmf-i", Algorithm::onmf_i}, {"onmf-da", Algorithm::onmf_da},
                {"multinmf", Algorithm::multinmf}, {"mic", Algorithm::mic}, {"opimc", Algorithm::opimc},
                {"masked-kmeans", Algorithm::masked_kmeans}, {"concat-kmeans", Algorithm::concat_kmeans});
OMVC_ENUM_NAMES(Consensus, {"tight", Consensus::tight}, {"soft", Consensus::soft});
OMVC_ENUM_NAMES(Missing, {"ignore", Missing::ignore}, {"fill", Missing::fill});
OMVC_ENUM_NAMES(Statistics, {"replace", Statistics::replace}, {"accumulate", Statistics::accumulate});
OMVC_ENUM_NAMES(Scaling, {"auto", Scaling::automatic}, {"none", Scaling::none}, {"total", Scaling::total},
                {"minmax", Scaling::minmax}, {"standard", Scaling::standard}, {"l2", Scaling::l2},
                {"tfidf", Scaling::tfidf}, {"variance", Scaling::variance});
OMVC_ENUM_NAMES(Start, {"data", Start::data}, {"random", Start::random});
OMVC_ENUM_NAMES(RowSolver, {"hals", RowSolver::hals}, {"newton", RowSolver::newton}, {"diagonal", RowSolver::diagonal});
#undef OMVC_ENUM_NAMES

// One option: its name at every interface, where it lives, its range (numbers only), and one line of help.
template <class T>
struct Param {
  const char* name;
  T Options::*field;
  double low;
  double high;
  const char* help;
};

inline constexpr std::tuple kParams{
    Param<int>{"clusters", &Options::clusters, 2, 1 << 20, "number of clusters K"},
    Param<Algorithm>{"method", &Options::method, 0, 0, "omvc, or one of those it is compared with (docs/methods.md)"},
    Param<int>{"rank", &Options::rank, 0, 4096, "number of latent components r; 0 chooses by consensus and data"},
    Param<Index>{"chunk", &Options::chunk, 0, 1 << 24,
                 "instances learned at a time; 0 chooses: 500, fewer if they are large, more if features are many"},
    Param<int>{"passes", &Options::passes, 1, 100000,
               "times the data are read; one for streams, and for masked-kmeans in its mini-batch form"},
    Param<Consensus>{"consensus", &Options::consensus, 0, 0,
                     "tight: one latent row an instance; soft: one a view, pulled together by alpha (Eq. 7)"},
    Param<std::vector<double>>{
        "alpha", &Options::alpha, 1e-300, 1e100,
        "soft consensus, mic, multinmf (lambda): pull of each view to it; one value, or one a view"},
    Param<std::vector<double>>{
        "beta", &Options::beta, 0, 1e100,
        "soft consensus: lasso on the latent rows; mic: their lengths; one value, or one a view"},
    Param<double>{"ridge", &Options::ridge, 0, 1e100,
                  "tight consensus: ridge on the latent rows, as a multiple of the mean diagonal of U'U; opimc: gamma"},
    Param<Missing>{"missing", &Options::missing, 0, 0,
                   "ignore: a missing view has weight 0; fill: running mean and dynamic weight (Eq. 10, 11)"},
    Param<Statistics>{"statistics", &Options::statistics, 0, 0,
                      "later passes: replace a chunk's share in the running sums, or accumulate as the paper does"},
    Param<std::vector<Scaling>>{"scaling", &Options::scaling, 0, 0,
                                "of every view, or one a view: auto: by its kind; none; total: the paper's, negatives "
                                "to 0 and total mass 1; minmax, standard, variance: shift; l2, tfidf: unit rows"},
    Param<Start>{
        "start", &Options::start, 0, 0,
        "first basis: instances of the first chunk, or random numbers; opimc: k-means on it, or random labels"},
    Param<RowSolver>{"solver", &Options::solver, 0, 0,
                     "row problem: hals; newton (Eq. 16, 22); diagonal Hessian (Section IV-B)"},
    Param<bool>{"unit-rows", &Options::unit_rows, 0, 1, "bring embedding rows to length 1 before k-means"},
    Param<int>{"runs", &Options::runs, 1, 64, "factorisations learned side by side from different starts"},
    Param<bool>{"refine", &Options::refine, 0, 1,
                "refine clusters in data space and keep the best there; opimc: assign all once more at the end"},
    Param<int>{"rounds", &Options::rounds, 1, 1000000,
               "updates of all factors on a chunk, at most; off-line methods: over all passes"},
    Param<double>{"tolerance", &Options::tolerance, 0, 1,
                  "a chunk is done when a round changes the loss by less than this share of it"},
    Param<int>{"restarts", &Options::restarts, 1, 100000, "starts of k-means; the best by inertia gives the labels"},
    Param<std::uint64_t>{"seed", &Options::seed, 0, 18446744073709551615.0, "seed of all randomness"},
    Param<int>{"threads", &Options::threads, 0, 4096, "threads; 0 = all cores; the result does not depend on it"},
};

// Calls f(param) for every entry of the table.
template <class F>
constexpr void for_each_param(F&& f) {
  std::apply([&](const auto&... param) { (f(param), ...); }, kParams);
}

// An option's value as text, as written in help texts, model files and option files; and back.
// parse_option throws ErrorKind::usage naming the option, the text and what is allowed.
std::string format_option(const Options& options, std::string_view name);
void parse_option(Options& options, std::string_view name, const std::string& text);

// The value of an option that is given once, or once a view.
template <class T>
const T& of_view(const std::vector<T>& values, std::size_t view) {
  return values[values.size() == 1 ? 0 : view];
}

// Throws ErrorKind::usage naming option, value and rule.
void check_options(const Options& options);

// The name of an enum value, as users write it.
template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& [name, candidate] : EnumNames<E>::kNames) {
    if (candidate == value) return name;
  }
  return "?";
}

}  // namespace omvc
