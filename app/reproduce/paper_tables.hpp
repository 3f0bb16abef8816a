// The figures that the paper prints, for comparison.
//
// Source: W. Shao, L. He, C.-T. Lu, P. S. Yu: Online Multi-view Clustering with Incomplete Views, IEEE Big Data 2016,
// Table IV (run time), Table V (NMI on WebKB) and Table VI (NMI on Digit). Figures 1 to 13 are printed without numbers.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace omvc::app {

inline constexpr std::array kPaperMissing{0, 20, 40};      // per cent of the instances of each view
inline constexpr std::array kPaperChunks{2, 10, 50, 250};  // s
inline constexpr int kPaperPasses = 10;

struct PaperTime {
  std::string_view method;
  std::array<double, 4> seconds;  // WebKB, Digit, Reuters, YouTube; 0 where the paper has none
  bool whole;                     // of the whole run, else of a pass
};
inline constexpr std::array<PaperTime, 5> kTable4{{
    {"omvc-paper", {16.69, 27.47, 1963.82, 1547.78}, false},
    {"onmf-da", {14.53, 31.08, 1018.97, 1201.90}, false},
    {"onmf-i", {14.39, 27.26, 1213.50, 2589.94}, false},
    {"mic", {1133.23, 2187.88, 0, 0}, true},
    {"multinmf", {974.12, 747.64, 0, 0}, true},
}};

// NMI after 10 passes by missing share and chunk size; an off-line method has one figure a share, repeated here.
struct PaperNmi {
  std::string_view method;
  std::array<std::array<double, 4>, 3> nmi;
};
inline constexpr std::array<PaperNmi, 5> kTable5{{
    {"omvc-paper", {{{.5852, .5959, .5954, .5529}, {.2686, .2990, .4339, .4139}, {.1438, .1966, .3462, .3486}}}},
    {"onmf-da", {{{.1857, .3172, .3689, .3769}, {.1498, .2407, .2463, .2518}, {.1322, .1290, .1560, .1903}}}},
    {"onmf-i", {{{.4014, .4172, .3428, .2505}, {.1623, .2337, .2507, .2597}, {.1290, .1330, .1880, .2114}}}},
    {"mic", {{{.6010, .6010, .6010, .6010}, {.4013, .4013, .4013, .4013}, {.3512, .3512, .3512, .3512}}}},
    {"multinmf", {{{.5890, .5890, .5890, .5890}, {.3884, .3884, .3884, .3884}, {.2198, .2198, .2198, .2198}}}},
}};
inline constexpr std::array<PaperNmi, 5> kTable6{{
    {"omvc-paper", {{{.4631, .7203, .7303, .7258}, {.3240, .6590, .6614, .6527}, {.2594, .4635, .4885, .4976}}}},
    {"onmf-da", {{{.2762, .2994, .4218, .4195}, {.3752, .2933, .6118, .3600}, {.2205, .1473, .3103, .3136}}}},
    {"onmf-i", {{{.2545, .3142, .6735, .6688}, {.1892, .1792, .3318, .3102}, {.2588, .3146, .3785, .4138}}}},
    {"mic", {{{.7305, .7305, .7305, .7305}, {.6569, .6569, .6569, .6569}, {.4903, .4903, .4903, .4903}}}},
    {"multinmf", {{{.7313, .7313, .7313, .7313}, {.6412, .6412, .6412, .6412}, {.4304, .4304, .4304, .4304}}}},
}};

// What the paper has for a method: nothing for the methods that it does not compare with.
inline std::optional<double> paper_nmi(const std::array<PaperNmi, 5>& table, std::string_view method,
                                       std::size_t missing, std::size_t chunk) {
  for (const PaperNmi& row : table) {
    if (row.method == method) return row.nmi[missing][chunk];
  }
  return std::nullopt;
}

inline std::optional<double> paper_seconds(std::string_view method, std::size_t set) {
  for (const PaperTime& row : kTable4) {
    if (row.method == method && row.seconds[set] > 0) return row.seconds[set];
  }
  return std::nullopt;
}

}  // namespace omvc::app
