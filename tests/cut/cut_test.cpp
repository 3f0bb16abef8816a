#include "cut/cut.hpp"

#include <gtest/gtest.h>
#include <map>

#include "omvc/evaluation.hpp"

#include "model/facts.hpp"
#include "model/model.hpp"
#include "support/chunks.hpp"
#include "support/made_cut.hpp"

namespace omvc {
namespace {

using test::MadeCut;
constexpr int kClusters = test::kPlantedClusters;

std::string bytes_of(const MadeCut& made) {
  Archive archive;
  const Cut& cut = made.cut;
  archive.put("group", std::vector<Index>(cut.group.begin(), cut.group.end()));
  if (cut.round) cut.round->save(archive, "round", true);
  if (cut.votes) cut.votes->save(archive, "votes", true);
  std::vector<double> numbers;
  for (const Vote& vote : cut.rows) numbers.insert(numbers.end(), {static_cast<double>(vote.cluster), vote.share});
  archive.put("numbers", numbers);
  archive.put("found by", cut.found_by);
  return archive.to_bytes();
}

TEST(Cut, FindsPlantedClusters) {
  for (const bool is_text : {false, true}) {
    MadeCut made(is_text, {});
    EXPECT_EQ(made.cut.count, kClusters);
    EXPECT_GT(made.nmi(), 0.9) << (is_text ? "text" : "dense");
    double all = 0;
    for (const double size : made.cut.sizes(made.prototypes)) {
      EXPECT_GT(size, 0);
      all += size;
    }
    EXPECT_EQ(all, static_cast<double>(made.sample.size()));
  }
}

// Left to the data, the number is chosen first; the cut is then the one that this number gives.
TEST(Cut, TheDataMaySayHowMany) {
  for (const bool is_text : {false, true}) {
    MadeCut made(is_text, {}, 1, 0);
    ASSERT_TRUE(made.cut.choice);
    EXPECT_EQ(made.cut.count, made.cut.choice->clusters);
    EXPECT_GE(made.cut.count, 2);
    const Cut asked =
        omvc::cut(made.prototypes, made.sample, made.graphs, made.cut.count, made.input, {}, made.compute);
    EXPECT_FALSE(asked.choice);
    EXPECT_EQ(asked.group, made.cut.group);
    EXPECT_EQ(asked.worth, made.cut.worth);
  }
}

TEST(Cut, ThreadsChangeNoBit) {
  for (const bool is_text : {false, true}) {
    const std::string one = bytes_of(MadeCut(is_text, {}));
    for (const int threads : {2, 3}) EXPECT_TRUE(bytes_of(MadeCut(is_text, {}, threads)) == one) << threads;
  }
}

// Fine prototypes and votes label dense rows, K prototypes alone those of text.
TEST(Cut, VotesLabelDenseRowsAndPrototypesText) {
  for (const bool is_text : {false, true}) {
    const MadeCut made(is_text, {});
    EXPECT_EQ(made.cut.round.has_value(), is_text);
    EXPECT_EQ(made.cut.votes == nullptr, is_text);
    EXPECT_EQ(made.cut.worth.size(), made.schema.views.size());
    const Index placing = is_text ? kClusters : made.prototypes.size();
    EXPECT_EQ(made.cut.placing(made.prototypes).size(), placing);
    ASSERT_EQ(static_cast<Index>(made.cut.group.size()), placing);
    if (is_text) {
      EXPECT_EQ(made.cut.group, (std::vector<int>{0, 1, 2, 3}));
    }
    for (const int cluster : made.cut.group) EXPECT_TRUE(cluster >= 0 && cluster < kClusters);
  }
}

TEST(Cut, AVoteIsThatOfTheClusterAndSharesAddUpExactly) {
  Voted voted{.clusters = {}, .shares = Matrix(40, 3), .distance = {}};
  double sum = 0;
  for (Index i = 0; i < 40; ++i) {
    const double first = static_cast<double>(i) / 41;
    voted.shares.row(i) = RowVector{{first, (1 - first) / 3, 2 * (1 - first) / 3}};
    voted.clusters.push_back(static_cast<int>(i % 3));
    voted.distance.push_back(0.5);
    const Vote vote = vote_of(voted, i, {});
    EXPECT_EQ(vote.cluster, i % 3);
    EXPECT_NEAR(vote.share, voted.shares(i, i % 3), 1.0 / kWeightSteps);
    EXPECT_EQ(vote.share * kWeightSteps, std::round(vote.share * kWeightSteps));
    sum += vote.share;
  }
  double back = 0;
  for (Index i = 39; i >= 0; --i) back += vote_of(voted, i, {}).share;
  EXPECT_EQ(sum, back);
  voted.clusters[0] = -1;
  EXPECT_EQ(vote_of(voted, 0, {}).cluster, -1);
  EXPECT_TRUE(std::isnan(vote_of(voted, 0, {}).share));
}

TEST(Cut, RowsOfTheGraphHaveTheirVotes) {
  MadeCut made(false, {});
  ASSERT_EQ(static_cast<Index>(made.cut.rows.size()), made.graphs.rows);
  const std::vector<int> asked = made.labels();
  for (std::size_t i = 0; i < made.cut.rows.size(); ++i) {
    EXPECT_EQ(made.cut.rows[i].cluster, asked[i]) << "row " << i;
    EXPECT_TRUE(made.cut.rows[i].share >= 0 && made.cut.rows[i].share < 1 + 1e-12);
  }
}

TEST(Cut, RefusesMoreClustersThanThereIsRoomFor) {
  test::expect_error(ErrorKind::data, {"1000 clusters", "ask for fewer"}, [] { MadeCut made(false, {}, 1, 1000); });
}

// A model of the data, made as a fit makes it.
Model model_of(bool is_text, Compute& compute) {
  Options options;
  options.clusters = kClusters;
  options.threads = 1;
  const auto source = make_planted_source(is_text ? test::planted_text() : test::planted_dense());
  Look look(options, source->schema());
  const Chunk whole = read_all(*source);
  const Chunk* const one = &whole;
  look.add({&one, 1}, 0, compute);
  Model model(options, source->schema());
  model.take(std::move(look), compute);
  model.build(compute);
  model.cut(kClusters, compute);
  return model;
}

TEST(Cut, WhatCutsSayIsWhatACutThenGives) {
  Compute compute;
  for (const bool is_text : {false, true}) {
#ifdef OMVC_SANITIZED  // where everything takes ten times as long
    const std::vector<int> numbers{2, 4};
#else
    const std::vector<int> numbers{2, 3, 4, 5, 7};
#endif
    Model shown = model_of(is_text, compute);
    const std::vector<NamedCut> cuts = shown.cuts(numbers, compute);
    ASSERT_EQ(cuts.size(), numbers.size());
    EXPECT_EQ(shown.clusters().count, kClusters) << "the model stays as it is";
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      Model model = model_of(is_text, compute);
      model.cut(numbers[at], compute);
      const NamedCut& said = cuts[at];
      EXPECT_EQ(said.cut.count, numbers[at]);
      EXPECT_EQ(model.clusters().count, said.cut.count);
      EXPECT_EQ(model.clusters().group, said.cut.group);
      EXPECT_EQ(model.clusters().round.has_value(), said.cut.round.has_value());
      EXPECT_EQ(model.names().numbers(), said.numbers) << is_text << ", " << numbers[at];
      std::map<int, double> by_number;
      for (std::size_t k = 0; k < said.numbers.size(); ++k) by_number[said.numbers[k]] = said.sizes[k];
      std::vector<double> sizes;
      for (const auto& [number, size] : by_number) sizes.push_back(size);
      EXPECT_EQ(cluster_sizes(model), sizes);
      // Every row of the sample is where the model then has it, and where it puts the row when it is asked again.
      std::size_t row = 0;
      const std::vector<Placed> placed = model.placed_sample(compute);
      const Sample& sample = model.sample(compute);
      ASSERT_EQ(said.rows.size(), static_cast<std::size_t>(sample.size()));
      for (std::size_t p = 0; p < placed.size(); ++p) {
        const Placed asked = model.placer()->place(sample.pieces()[p], compute);
        EXPECT_EQ(asked.labels, placed[p].labels);
        const Placed lies = model.placer()->lies(sample.pieces()[p], compute);
        EXPECT_EQ(lies.near.ids, asked.near.ids);
        EXPECT_EQ(lies.near.weights, asked.near.weights);
        EXPECT_EQ(lies.distance, asked.distance);
        for (std::size_t i = 0; i < placed[p].labels.size(); ++i, ++row) {
          const std::int32_t nearest = placed[p].near.id(static_cast<Index>(i), 0);
          EXPECT_EQ(said.rows[row],
                    is_text ? said.cut.group[static_cast<std::size_t>(nearest)] : placed[p].clusters[i]);
        }
      }
      EXPECT_EQ(said.fine.size(), static_cast<std::size_t>(model.prototypes().size()));
      for (const int cluster : said.fine) EXPECT_TRUE(cluster >= 0 && cluster < numbers[at]);
    }
  }
}

TEST(Cut, ACutAndBackKeepsTheNumbers) {
  Compute compute;
  Model model = model_of(false, compute);
  const std::vector<int> before = model.names().numbers();
  const std::vector<double> sizes = cluster_sizes(model);
  model.cut(kClusters, compute);
  EXPECT_EQ(model.names().numbers(), before) << "the same cut again";
  EXPECT_EQ(cluster_sizes(model), sizes);
}

}  // namespace
}  // namespace omvc
