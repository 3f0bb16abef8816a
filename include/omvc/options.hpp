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
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"

namespace omvc {

enum class Preset { standard, paper };

// The algorithm. docs/methods.md has the objective and updates of each.
enum class Algorithm {
  omvc,           // ours: the living model (docs/algorithm.md)
  omvc_paper,     // Shao, He, Lu, Yu 2016, as published
  onmf_i,         // Wang, Tan, Koenig, Li 2011: on-line NMF of the concatenated views, exact inverse Hessian
  onmf_da,        // the same with the diagonal of the Hessian
  multinmf,       // Liu, Wang, Gao, Han 2013: off-line, complete views
  mic,            // Shao, He, Yu 2015: off-line, incomplete views
  opimc,          // Hu, Chen 2019: on-line, one-hot latent rows
  masked_kmeans,  // k-means over the observed views
  concat_kmeans,  // k-means on the concatenated views, means in the place of what is missing
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
  log,  // each feature as log(1 + x / its smallest positive value), those with negative values as they are, then as
        // automatic does dense views
  clr,  // counts: log(1 + x) less its mean over the row, each feature to 0 .. 1, then as variance
};

// The algorithm for the row problem of the latent and the basis step.
enum class RowSolver {
  hals,      // cyclic coordinate descent
  newton,    // projected steps with the inverse Hessian and the Armijo rule (Eq. 16, 18, 22)
  diagonal,  // the same with the diagonal of the Hessian (Section IV-B), for large ranks
};

// The methods that an option belongs to are named in kParams below; the others refuse it.
struct Options {
  int clusters = 0;                                  // K; 0: chosen from the data (method omvc)
  Algorithm method = Algorithm::omvc;                // ours, or one of those it is compared with
  int rank = 0;                                      // latent components of the factorisation; 0: chosen
  Index chunk = 0;                                   // instances learned at a time; 0: chosen by their size
  int passes = 1;                                    // times the data are learned from; one for streams
  std::vector<Scaling> scaling{Scaling::automatic};  // of every view, or one per view
  double half_life = 0;                  // instances after which what was learned counts half; 0: nothing is forgotten
  double memory = 64;                    // MB for the sample of all rows seen; data that fit are learned whole
  std::vector<std::string> recipe;       // for experiments: other numbers of the method, as NAME=VALUE
  std::vector<double> alpha{1e-2};       // omvc_paper, mic, multinmf: pull to the consensus; one value, or one per view
  std::vector<double> beta{1e-7};        // omvc_paper, mic: lasso on the latent rows; likewise
  double ridge = 10;                     // opimc: ridge on the prototypes
  RowSolver solver = RowSolver::newton;  // omvc_paper: for the row problem
  int rounds = 200;                      // updates of all factors on a chunk, at most
  double tolerance = 1e-4;               // a chunk is done when a round changes the loss by less than this share of it
  std::uint64_t seed = 0;                // of all randomness: same seed, same bits
  int threads = 0;                       // 0: all cores; no result depends on it
  std::string device = "auto";           // auto, cpu, cuda or cuda:1; no result depends on it
  double device_memory = 0;              // MB of the card that may be used; 0: nine tenths of what is free
  bool fast = false;                     // with device cuda: products of factors rounded to 10 bits; other results

  bool operator==(const Options&) const = default;
};

// The options of a preset, with `clusters` still to be set.
OMVC_API Options preset_options(Preset preset);

// The stated defaults of a method (docs/methods.md), with `clusters` still to be set.
OMVC_API Options method_options(Algorithm method);

// Whether a method works with negative values: those that cluster in data space do, a nonnegative factorisation does
// not.
OMVC_API bool takes_signed(Algorithm method);

// The names of an enum's values, as users write them.
template <class E>
struct EnumNames;
#define OMVC_ENUM_NAMES(E, ...)                                                                        \
  template <>                                                                                          \
  struct EnumNames<E> {                                                                                \
    static constexpr std::array kNames = std::to_array<std::pair<std::string_view, E>>({__VA_ARGS__}); \
  }
OMVC_ENUM_NAMES(Preset, {"default", Preset::standard}, {"paper", Preset::paper});
OMVC_ENUM_NAMES(Algorithm, {"omvc", Algorithm::omvc}, {"omvc-paper", Algorithm::omvc_paper},
                {"onmf-i", Algorithm::onmf_i}, {"onmf-da", Algorithm::onmf_da}, {"multinmf", Algorithm::multinmf},
                {"mic", Algorithm::mic}, {"opimc", Algorithm::opimc}, {"masked-kmeans", Algorithm::masked_kmeans},
                {"concat-kmeans", Algorithm::concat_kmeans});
OMVC_ENUM_NAMES(Scaling, {"auto", Scaling::automatic}, {"none", Scaling::none}, {"total", Scaling::total},
                {"minmax", Scaling::minmax}, {"standard", Scaling::standard}, {"l2", Scaling::l2},
                {"tfidf", Scaling::tfidf}, {"variance", Scaling::variance}, {"log", Scaling::log},
                {"clr", Scaling::clr});
OMVC_ENUM_NAMES(RowSolver, {"hals", RowSolver::hals}, {"newton", RowSolver::newton}, {"diagonal", RowSolver::diagonal});
#undef OMVC_ENUM_NAMES

// The methods that an option belongs to; the others refuse it.
struct Methods {
  unsigned bits = ~0u;

  constexpr Methods() = default;
  constexpr Methods(std::initializer_list<Algorithm> methods) : bits(0) {
    for (const Algorithm method : methods) bits |= 1u << static_cast<unsigned>(method);
  }
  constexpr bool contains(Algorithm method) const { return (bits >> static_cast<unsigned>(method) & 1u) != 0; }
};

// One option: its name at every interface, where it lives, its range (numbers only), one line of help, and whose it is.
template <class T>
struct Param {
  const char* name;
  T Options::*field;
  double low;
  double high;
  const char* help;
  Methods methods = {};
};

inline constexpr std::tuple kParams{
    Param<int>{"clusters", &Options::clusters, 0, 1 << 20,
               "number of clusters K; 0: chosen from the data (method omvc)"},
    Param<Algorithm>{"method", &Options::method, 0, 0, "omvc, or one of those it is compared with (docs/methods.md)"},
    Param<int>{"rank",
               &Options::rank,
               0,
               4096,
               "latent components of the factorisation; 0 chooses: at most 50 for omvc, K for the others",
               {Algorithm::omvc, Algorithm::omvc_paper, Algorithm::onmf_i, Algorithm::onmf_da, Algorithm::multinmf,
                Algorithm::mic}},
    Param<Index>{"chunk", &Options::chunk, 0, 1 << 24, "instances learned at a time; 0 chooses by their size"},
    Param<int>{"passes", &Options::passes, 1, 100000,
               "times the data are learned from; one for streams, and for masked-kmeans in its mini-batch form"},
    Param<std::vector<Scaling>>{
        "scaling", &Options::scaling, 0, 0,
        "of every view, or one per view: auto: by its kind; none; total: the paper's, negatives "
        "to 0 and total mass 1; minmax, standard, variance: shift; l2, tfidf: unit rows; log: logarithms; clr: log "
        "ratios of counts"},
    Param<double>{"half-life",
                  &Options::half_life,
                  0,
                  1e15,
                  "instances after which what was learned counts half; 0: nothing is forgotten",
                  {Algorithm::omvc}},
    Param<double>{"memory",
                  &Options::memory,
                  1e-3,
                  1e6,
                  "MB for the sample of all rows seen, from which prototypes are made; data that fit are learned whole",
                  {Algorithm::omvc}},
    Param<std::vector<std::string>>{"recipe",
                                    &Options::recipe,
                                    0,
                                    0,
                                    "for experiments: other numbers of the method itself (src/recipe/recipe.hpp)",
                                    {Algorithm::omvc}},
    Param<std::vector<double>>{"alpha",
                               &Options::alpha,
                               1e-300,
                               1e100,
                               "pull of each view to the consensus (multinmf: lambda); one value, or one per view",
                               {Algorithm::omvc_paper, Algorithm::mic, Algorithm::multinmf}},
    Param<std::vector<double>>{"beta",
                               &Options::beta,
                               0,
                               1e100,
                               "lasso on the latent rows; mic: their lengths; one value, or one per view",
                               {Algorithm::omvc_paper, Algorithm::mic}},
    Param<double>{"ridge", &Options::ridge, 0, 1e100, "gamma: ridge on the prototypes", {Algorithm::opimc}},
    Param<RowSolver>{"solver",
                     &Options::solver,
                     0,
                     0,
                     "row problem: hals; newton (Eq. 16, 22); diagonal Hessian (Section IV-B)",
                     {Algorithm::omvc_paper}},
    Param<int>{"rounds",
               &Options::rounds,
               1,
               1000000,
               "updates of all factors on a chunk, at most; off-line methods: over all passes",
               {Algorithm::omvc_paper, Algorithm::onmf_i, Algorithm::onmf_da, Algorithm::multinmf, Algorithm::mic,
                Algorithm::opimc}},
    Param<double>{"tolerance",
                  &Options::tolerance,
                  0,
                  1,
                  "a chunk is done when a round changes the loss by less than this share of it",
                  {Algorithm::omvc_paper, Algorithm::onmf_i, Algorithm::onmf_da, Algorithm::multinmf, Algorithm::mic}},
    Param<std::uint64_t>{"seed", &Options::seed, 0, 18446744073709551615.0, "seed of all randomness"},
    Param<int>{"threads", &Options::threads, 0, 4096, "threads; 0 = all cores; the result does not depend on it"},
    Param<std::string>{
        "device", &Options::device, 0, 0,
        "auto: a card where it pays (docs/gpu.md); cpu; cuda, or cuda:1 for another card; the result does "
        "not depend on it"},
    Param<double>{"device-memory", &Options::device_memory, 0, 1e9,
                  "MB of the card's memory that may be used; 0: nine tenths of what is free"},
    Param<bool>{"fast",
                &Options::fast,
                0,
                0,
                "with device cuda: products on tensor cores, of factors rounded to 10 bits; the result differs",
                {Algorithm::omvc}},
};

// Calls f(param) for every entry of the table.
template <class F>
constexpr void for_each_param(F&& f) {
  std::apply([&](const auto&... param) { (f(param), ...); }, kParams);
}

// An option's value as text, as written in help texts, model files and option files; and back.
// parse_option throws ErrorKind::usage naming the option, the text and what is allowed.
OMVC_API std::string format_option(const Options& options, std::string_view name);
OMVC_API void parse_option(Options& options, std::string_view name, const std::string& text);

// Whether an option is part of a model, or says where it is computed: the same bytes come out whatever that is.
OMVC_API bool decides_result(std::string_view name);

// Whether files and reports name an option: a recipe only where there is one.
OMVC_API bool is_told(const Options& options, std::string_view name);

// The value of an option that is given once, or once per view.
template <class T>
const T& of_view(const std::vector<T>& values, std::size_t view) {
  return values[values.size() == 1 ? 0 : view];
}

// The names of the methods that an option belongs to, separated by commas.
OMVC_API std::string methods_of(const Methods& methods);

// Throws ErrorKind::usage naming option, value and rule: also for an option of other methods that is not at its
// default.
OMVC_API void check_options(const Options& options);

// The name of an enum value, as users write it.
template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& [name, candidate] : EnumNames<E>::kNames) {
    if (candidate == value) return name;
  }
  return "?";
}

}  // namespace omvc
