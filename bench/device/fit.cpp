// A fit of embeddings that lie in memory, on processors or on a device: what bench/device.py runs.
//
//     fit ROWS K MISSING DEVICE THREADS FEATURES...     prints one line of JSON: seconds, profile, checksum of labels;
//     DEVICE is what --device takes, cuda+fast being --device cuda --fast
//
// Rows are planted: K centres in every view, each row near one of them, and a view lacks a row with the chance MISSING,
// but for rows that would lack all.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <omvc/clusterer.hpp>
#include <omvc/evaluation.hpp>
#include <thread>
#include <vector>

namespace {

using omvc::Index;

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

float uniform(std::uint64_t key) { return static_cast<float>(mixed(key) >> 40) / static_cast<float>(1 << 24) - 0.5F; }

struct Planted {
  Index rows;
  int clusters;
  double missing;
  std::vector<Index> features;

  int label(Index row) const {
    return static_cast<int>(mixed(static_cast<std::uint64_t>(row) * 7 + 1) % static_cast<std::uint64_t>(clusters));
  }
  bool lacks(Index row, std::size_t view) const {
    const std::uint64_t key = mixed(static_cast<std::uint64_t>(row) * 16 + 2);
    if (key % features.size() == view) return false;
    const double share = missing * static_cast<double>(features.size()) / static_cast<double>(features.size() - 1);
    return features.size() > 1 && uniform(key * 16 + view) + 0.5 < share;
  }
};

struct View {
  std::vector<float> values;
  std::vector<Index> instances;
};

View make_view(const Planted& planted, std::size_t v, int threads) {
  View out;
  for (Index row = 0; row < planted.rows; ++row) {
    if (!planted.lacks(row, v)) out.instances.push_back(row);
  }
  const Index d = planted.features[v];
  std::vector<float> centres(static_cast<std::size_t>(planted.clusters * d));
  for (std::size_t e = 0; e < centres.size(); ++e) centres[e] = uniform(e * 64 + v);
  out.values.resize(out.instances.size() * static_cast<std::size_t>(d));
  std::vector<std::thread> makers;
  for (int t = 0; t < threads; ++t) {
    makers.emplace_back([&, t] {
      for (std::size_t i = static_cast<std::size_t>(t); i < out.instances.size();
           i += static_cast<std::size_t>(threads)) {
        const float* centre = centres.data() + planted.label(out.instances[i]) * d;
        std::uint64_t state = mixed(static_cast<std::uint64_t>(out.instances[i]) * 64 + v);
        float* to = out.values.data() + static_cast<Index>(i) * d;
        for (Index j = 0; j < d; ++j) {
          state = state * 6364136223846793005ULL + 1442695040888963407ULL;
          to[j] = centre[j] + 3 * (static_cast<float>(state >> 40) / static_cast<float>(1 << 24) - 0.5F);
        }
      }
    });
  }
  for (std::thread& maker : makers) maker.join();
  return out;
}

}  // namespace

int main(int count, char** words) {
  if (count < 7) {
    std::cerr << "fit ROWS K MISSING DEVICE THREADS FEATURES...\n";
    return 2;
  }
  Planted planted{
      .rows = std::atoll(words[1]), .clusters = std::atoi(words[2]), .missing = std::atof(words[3]), .features = {}};
  const std::string device = words[4];
  const int threads = std::atoi(words[5]);
  for (int i = 6; i < count; ++i) planted.features.push_back(std::atoll(words[i]));
  std::vector<View> views;
  for (std::size_t v = 0; v < planted.features.size(); ++v) {
    views.push_back(make_view(planted, v, static_cast<int>(std::thread::hardware_concurrency())));
  }
  omvc::Schema schema;
  std::vector<omvc::BorrowedView> lent;
  for (std::size_t v = 0; v < views.size(); ++v) {
    schema.views.push_back(
        {.name = fmt::format("view{}", v + 1), .features = planted.features[v], .feature_names = {}});
    lent.push_back({.rows = omvc::DenseRows<float>{.data = views[v].values.data(),
                                                   .rows = static_cast<Index>(views[v].instances.size()),
                                                   .cols = planted.features[v]},
                    .instances = views[v].instances,
                    .owner = {}});
  }
  omvc::Options options;
  options.clusters = planted.clusters;
  options.threads = threads;
  options.fast = device.ends_with("+fast");
  options.device = device.substr(0, device.find('+'));
  const auto start = std::chrono::steady_clock::now();
  const auto source = omvc::make_borrowed_source(schema, std::move(lent), planted.rows);
  omvc::Clusterer model(options);
  const omvc::Fitted fitted = model.fit(*source);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  omvc::Contingency pairs;
  std::uint64_t checksum = 0;
  for (Index row = 0; row < planted.rows; ++row) {
    pairs.add(fitted.found.labels[static_cast<std::size_t>(row)], planted.label(row));
    checksum = mixed(checksum ^ static_cast<std::uint64_t>(fitted.found.labels[static_cast<std::size_t>(row)] + 1));
  }
  std::string profile;
  for (const omvc::StepTime& step : fitted.report.profile) {
    profile += fmt::format("{}\"{}\": {:.4f}", profile.empty() ? "" : ", ", step.name, step.seconds);
  }
  fmt::print(
      "{{\"rows\": {}, \"device\": \"{}\", \"threads\": {}, \"seconds\": {:.3f}, \"nmi\": {:.4f}, \"labels\": "
      "\"{:016x}\", "
      "\"model\": \"{:016x}\", \"prototypes\": {}, \"profile\": {{{}}}}}\n",
      planted.rows, device, threads, seconds, omvc::score(pairs).nmi_geometric, checksum,
      std::hash<std::string>()(model.to_bytes()), fitted.report.prototypes, profile);
}
