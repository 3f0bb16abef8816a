#include "sink/join.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>

#include "omvc/clusterer.hpp"
#include "omvc/planted.hpp"
#include "omvc/sink.hpp"

#include "file/archive.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_exchange.hpp"

namespace omvc {
namespace {

// A process that does not see the folder of the first one: the name that it is given leads nowhere.
class Blind final : public test::WrappedExchange {
 public:
  using WrappedExchange::WrappedExchange;
  std::string receive(int from) override {
    std::string bytes = WrappedExchange::receive(from);
    if (bytes.empty() || rank() == 0) return bytes;
    Archive archive = Archive::from_bytes(bytes, "test");
    if (archive.has("text")) archive.put("text", std::string("/nowhere/at/all"));
    return archive.to_bytes();
  }
};

std::string bytes_of_rank(int rank, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(i * 31 + i / 251 + static_cast<std::size_t>(rank) * 7);
  return bytes;
}

TEST(JoinParts, PartsOfAnySizesFollowEachOtherWhoeverWritesThem) {
  constexpr std::size_t kBlock = 1 << 16;
  const std::vector<std::vector<std::size_t>> cases{{10, 20, 30},
                                                    {0, 0, 5},
                                                    {kBlock, kBlock, kBlock},
                                                    {kBlock - 1, 2, kBlock - 1, 1},
                                                    {3, 5 * kBlock + 7, 0, 40 * kBlock, 9},
                                                    {100, 2 * kBlock - 100, kBlock}};
  for (const bool blind : {false, true}) {
    for (const std::vector<std::size_t>& sizes : cases) {
      const test::TempDir folder;
      const std::string path = folder.path("whole");
      std::string expected;
      for (std::size_t r = 0; r < sizes.size(); ++r) expected += bytes_of_rank(static_cast<int>(r), sizes[r]);
      const auto failures = test::run_ranks(static_cast<int>(sizes.size()), [&](Exchange& exchange) {
        Blind unseeing(exchange);
        AtomicFile mine(path, exchange.rank() > 0);
        mine.write(bytes_of_rank(exchange.rank(), sizes[static_cast<std::size_t>(exchange.rank())]));
        const std::uint64_t size = join_parts(mine, blind ? static_cast<Exchange&>(unseeing) : exchange);
        if (exchange.rank() > 0) return;
        EXPECT_EQ(size, expected.size());
        EXPECT_FALSE(std::filesystem::exists(path));
        mine.commit();
      });
      for (const std::string& failure : failures) EXPECT_EQ(failure, "");
      EXPECT_TRUE(test::read_bytes(path) == expected) << "blind: " << blind;
    }
  }
}

TEST(JoinParts, AnAbandonedFileLeavesNothingBehind) {
  const test::TempDir folder;
  test::run_ranks(2, [&](Exchange& exchange) {
    AtomicFile mine(folder.path("whole"), exchange.rank() > 0);
    mine.write("some bytes");
    join_parts(mine, exchange);
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

// Counts the bytes that reach the first process.
class Counted final : public test::WrappedExchange {
 public:
  using WrappedExchange::WrappedExchange;
  std::string receive(int from) override {
    std::string bytes = WrappedExchange::receive(from);
    received += bytes.size();
    return bytes;
  }
  std::size_t received = 0;
};

TEST(JoinParts, LabelsAndEmbeddingDoNotPassThroughTheFirstProcess) {
  Options options;
  options.clusters = 4;
  options.memory = 0.3;
  options.threads = 1;
  const PlantedOptions planted{
      .instances = 60000, .features = {6, 40}, .density = {1, 0.1}, .clusters = 4, .missing = 0.3, .seed = 5};
  std::size_t received = 0;
  std::vector<std::string> written;
  for (const int ranks : {1, 3}) {
    const test::TempDir folder;
    const auto failures = test::run_ranks(ranks, [&](Exchange& exchange) {
      const auto source = make_planted_source(planted);
      std::vector<std::unique_ptr<Sink>> sinks;
      sinks.push_back(make_label_sink(folder.path("labels.csv"), source.get(), exchange.rank()));
      sinks.push_back(make_embedding_sink(folder.path("rows.npy"), source.get(), exchange.rank()));
      sinks.push_back(make_embedding_sink(folder.path("rows.tsv"), source.get(), exchange.rank()));
      Counted counted(exchange);
      Clusterer(options).fit(*source, *make_sink_list(std::move(sinks)), {.exchange = &counted});
      if (exchange.rank() == 0) received = counted.received;
    });
    for (const std::string& failure : failures) ASSERT_EQ(failure, "");
    for (const char* name : {"labels.csv", "rows.npy", "rows.tsv"})
      written.push_back(test::read_bytes(folder.path(name)));
  }
  ASSERT_EQ(written.size(), 6u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(written[i] == written[i + 3]) << i;
  EXPECT_LT(received, written[0].size() + written[1].size());
}

}  // namespace
}  // namespace omvc
