// The nearest prototypes of rows and the nearest rows of a sample, as a fit asks for them: on a card, copies included,
// and on processors; whether both have the same bits. What bench/device.py runs.
//
//     rows ROWS FEATURES PROTOTYPES LISTS THREADS      prints one line of JSON; LISTS 0: every row is compared with
//     all,
//                                                      -1: prototypes alone
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <random>

#include "omvc/options.hpp"

#include "device/device.hpp"
#include "kernels/backend.hpp"

namespace {

using namespace omvc;

Chunk made_chunk(Index rows, Index features, Index groups) {
  std::mt19937 draw(1);
  std::uniform_real_distribution<float> number(-0.5F, 0.5F);
  std::vector<float> centres(static_cast<std::size_t>(groups * features));
  for (float& x : centres) x = number(draw);
  DenseBlock<float> block;
  block.rows = rows;
  block.cols = features;
  block.values.resize(static_cast<std::size_t>(rows * features));
  Chunk out;
  ChunkView view;
  for (Index i = 0; i < rows; ++i) {
    out.rows.push_back(i);
    view.present.push_back(i);
    const float* centre = centres.data() + i % groups * features;
    float* to = block.values.data() + i * features;
    for (Index j = 0; j < features; ++j) to[j] = centre[j] + number(draw);
  }
  view.block = std::move(block);
  out.views.push_back(std::move(view));
  return out;
}

// The best of four times, or of as many as begin within ten seconds.
template <class Work>
double best_seconds(const Work& work) {
  double best = 1e30;
  double spent = 0;
  for (int i = 0; i < 4 && spent < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) {
    std::cerr << "rows ROWS FEATURES PROTOTYPES LISTS THREADS\n";
    return 2;
  }
  const Index rows = std::atoll(words[1]);
  const Index features = std::atoll(words[2]);
  const Index prototypes = std::atoll(words[3]);
  const int how = std::atoi(words[4]);
  Options options;
  options.device = "cuda";
  Compute card(std::atoi(words[5]));
  card.hold_backend(make_backend(options));
  Compute processors(std::atoi(words[5]));

  const Chunk chunk = made_chunk(rows, features, 100);
  const std::vector<PreparedChunk> pieces{PreparedChunk(chunk)};
  PrototypeTable table;
  table.columns.emplace_back(features, prototypes);
  const auto& block = std::get<DenseBlock<float>>(chunk.views[0].block);
  for (Index p = 0; p < prototypes; ++p) {
    for (Index j = 0; j < features; ++j) {
      table.columns[0](j, p) = block.values[static_cast<std::size_t>((rows / prototypes * p) * features + j)];
    }
  }
  table.measure(processors);

  std::vector<NarrowMatrix> products[2];
  std::vector<Near> near(1);
  Near on_card;
  const double near_card =
      best_seconds([&] { on_card = find_near(pieces[0], table, 5, 0, card, how < 0 ? nullptr : &products[0]); });
  const double near_cpu =
      best_seconds([&] { near[0] = find_near(pieces[0], table, 5, 0, processors, how < 0 ? nullptr : &products[1]); });
  RowNeighbours found[2];
  double rows_card = 0;
  double rows_cpu = 0;
  Index list_count = 0;
  if (how >= 0) {
    const RowTable made =
        make_row_table({.pieces = pieces,
                        .near = near,
                        .prototypes = table,
                        .list_of = how > 0 ? group_prototypes(table, rows, processors) : std::vector<std::int32_t>{}},
                       processors);
    list_count = made.lists();
    const RowSearch search{.count = 10, .probes = 8, .own = 0};
    rows_card = best_seconds([&] { found[0] = find_rows(pieces[0], products[0], table, made, search, card); });
    rows_cpu = best_seconds([&] { found[1] = find_rows(pieces[0], products[1], table, made, search, processors); });
  }
  const bool same_near = near[0].ids == on_card.ids && near[0].weights == on_card.weights &&
                         near[0].distances == on_card.distances && near[0].gap == on_card.gap;
  const bool same_rows = how < 0 || (found[0].views[0].ids == found[1].views[0].ids &&
                                     found[0].views[0].distances == found[1].views[0].distances);
  fmt::print(
      "{{\"rows\": {}, \"features\": {}, \"prototypes\": {}, \"lists\": {}, \"threads\": {}, \"near_card_ms\": {:.1f}, "
      "\"near_cpu_ms\": {:.1f}, \"rows_card_ms\": {:.1f}, \"rows_cpu_ms\": {:.1f}, \"same_bits\": {}}}\n",
      rows, features, prototypes, list_count, words[5], near_card * 1e3, near_cpu * 1e3, rows_card * 1e3,
      rows_cpu * 1e3, same_near && same_rows);
}
