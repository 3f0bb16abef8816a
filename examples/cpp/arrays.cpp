// Clusters what lies in arrays of this program: two views of 600 pages, some of which lack one of them.
#include <cmath>
#include <iostream>
#include <limits>
#include <omvc/clusterer.hpp>
#include <omvc/error.hpp>
#include <random>
#include <vector>

namespace {

constexpr omvc::Index kPages = 600;
constexpr omvc::Index kWords = 40;
constexpr omvc::Index kColours = 8;
constexpr int kTopics = 3;

struct Pages {
  std::vector<float> words;     // kPages x kWords
  std::vector<double> colours;  // kPages x kColours
};

// A page is about one of three topics, which shows in both views. A row that is NaN throughout is a view that is
// missing.
Pages make_pages() {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> noise(0, 1);
  Pages pages;
  for (omvc::Index page = 0; page < kPages; ++page) {
    const auto topic = static_cast<int>(page % kTopics);
    const bool no_words = page % 5 == 1;
    const bool no_colours = page % 5 == 3;
    for (omvc::Index j = 0; j < kWords; ++j) {
      const float value = noise(random) + (j % kTopics == topic ? 1.0f : 0.0f);
      pages.words.push_back(no_words ? std::numeric_limits<float>::quiet_NaN() : value);
    }
    for (omvc::Index j = 0; j < kColours; ++j) {
      const double value = noise(random) + (j % kTopics == topic ? 1.0 : 0.0);
      pages.colours.push_back(no_colours ? std::numeric_limits<double>::quiet_NaN() : value);
    }
  }
  return pages;
}

void cluster() {
  const Pages pages = make_pages();
  omvc::Options options;
  options.clusters = kTopics;
  omvc::Clusterer model(options);
  // The arrays are lent for as long as the call lasts; views may be of either precision, dense or CSR.
  const omvc::Fitted fitted =
      model.fit({{.rows = omvc::DenseRows<float>{.data = pages.words.data(), .rows = kPages, .cols = kWords}},
                 {.rows = omvc::DenseRows<double>{.data = pages.colours.data(), .rows = kPages, .cols = kColours}}});
  for (std::size_t i = 0; i < 6; ++i) {
    std::cout << "page " << i << ": cluster " << fitted.found.labels[i] << ", confidence "
              << std::round(100 * fitted.found.confidence[i]) << " %\n";
  }
  for (std::size_t k = 0; k < fitted.report.cluster_sizes.size(); ++k) {
    std::cout << "cluster " << fitted.report.cluster_numbers[k] << " has " << fitted.report.cluster_sizes[k]
              << " pages\n";
  }
  model.save("pages.omvc");

  // Later, in another program: new pages, of which the first has words only.
  const omvc::Clusterer saved = omvc::Clusterer::load("pages.omvc");
  omvc::Chunk fresh;
  fresh.rows = {0, 1};
  fresh.views.push_back(
      {omvc::DenseBlock<float>{2, kWords, std::vector<float>(pages.words.begin(), pages.words.begin() + 2 * kWords)},
       {0, 1}});
  fresh.views.push_back(
      {omvc::DenseBlock<double>{
           1, kColours, std::vector<double>(pages.colours.begin() + kColours, pages.colours.begin() + 2 * kColours)},
       {1}});
  // The second page of the arrays has no words: it is present in the second view alone.
  fresh.views[0] = omvc::keep_instances(std::move(fresh.views[0]), {true, false});
  const omvc::Assignment found = saved.assign(fresh);
  std::cout << "new pages: clusters " << found.labels[0] << " and " << found.labels[1] << '\n';
}

}  // namespace

int main() {
  try {
    cluster();
  } catch (const omvc::Error& error) {
    std::cerr << "arrays: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
