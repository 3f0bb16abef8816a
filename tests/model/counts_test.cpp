#include "model/counts.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "chunk/fingerprint.hpp"
#include "chunk/rows.hpp"
#include "support/backend_data.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

constexpr Index kRows = 130;

const test::BackendCase& kind() {
  static const test::BackendCase kCase{
      .name = "real", .rows = kRows, .features = {7, 60}, .prototypes = 11, .wanted = 5, .integers = false};
  return kCase;
}

const Schema& schema() {
  static const Schema kSchema = test::schema_of({7, 60});
  return kSchema;
}

// What is counted of the rows [first, last), `size` at a time.
Counts counted(Index first, Index last, Index size, std::uint64_t seed = 1) {
  Compute compute;
  const Chunk whole = test::case_chunk(kind(), 0);
  const PrototypeTable table = test::case_table(kind(), compute);
  const std::vector<double> quantum{0x1.0p-24, 0x1.0p-22};
  Counts out(schema(), kind().prototypes);
  for (Index from = first; from < last; from += size) {
    const Chunk chunk = take_instances(whole, test::iota(std::min(size, last - from), from));
    const PreparedChunk data(chunk);
    const Near near = find_near(data, table, kind().wanted, 0, compute);
    out.add(data, {from, 2 * chunk.size()});
    out.sums.add({&data, 1}, {&near, 1}, quantum, seed, compute);
    out.progress.chunks += 1;
    out.progress.instances += chunk.size();
    out.progress.fingerprint += fingerprint(chunk);
    out.progress.order += order_hash(from, chunk);
  }
  return out;
}

std::string bytes(const Counts& counts) {
  Archive archive;
  counts.put(archive);
  return archive.to_bytes();
}

Counts merged(std::vector<Counts> parts) {
  Counts sum = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) sum.merge(parts[i]);
  return sum;
}

TEST(Counts, CountsWhoIsPresent) {
  const Counts found = counted(0, kRows, kRows);
  const Chunk whole = test::case_chunk(kind(), 0);
  std::vector<bool> observed(kRows, false);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_EQ(found.present[v], static_cast<Index>(whole.views[v].present.size()));
    EXPECT_EQ(found.sums.rows(v), static_cast<double>(whole.views[v].present.size()));
    for (const Index at : whole.views[v].present) observed[static_cast<std::size_t>(at)] = true;
  }
  EXPECT_EQ(found.observed, std::count(observed.begin(), observed.end(), true));
  EXPECT_EQ(found.sums.mass.sum(), static_cast<double>(found.observed));
  EXPECT_EQ(found.last, 1000 + kRows) << "rows are numbered from 1000";
  EXPECT_EQ(found.rounds, 1);
  EXPECT_EQ(found.negatives, (std::vector<Index>{0, 2 * kRows}));
}

TEST(Counts, PartsAddUpToTheWholeInAnyOrder) {
  const std::string whole = bytes(counted(0, kRows, 10));
  const auto part = [](Index first, Index last) { return counted(first, last, 10); };
  EXPECT_TRUE(bytes(merged({part(0, 30), part(30, 110), part(110, kRows)})) == whole);
  EXPECT_TRUE(bytes(merged({part(110, kRows), part(0, 30), part(30, 110)})) == whole);
  EXPECT_TRUE(bytes(merged({part(40, kRows), merged({part(20, 40), part(0, 20)})})) == whole) << "in a tree";
  EXPECT_TRUE(bytes(merged({Counts(schema(), kind().prototypes), part(0, kRows)})) == whole) << "and nothing";
  EXPECT_FALSE(bytes(merged({part(0, 30), part(30, 110)})) == whole);
}

// But for how many chunks there were.
TEST(Counts, TheSizeOfChunksChangesNoBit) {
  const Counts one = counted(0, kRows, kRows);
  for (const Index size : {1, 7, 64}) {
    Counts other = counted(0, kRows, size);
    other.progress.chunks = other.rounds = 1;
    other.negatives = one.negatives;
    EXPECT_TRUE(bytes(other) == bytes(one)) << size;
  }
}

TEST(Counts, TravelAsBytes) {
  const Counts counts = counted(0, kRows, 10);
  const Counts back = Counts::get(Archive::from_bytes(bytes(counts), "test"), schema(), kind().prototypes);
  EXPECT_EQ(back.progress, counts.progress);
  EXPECT_TRUE(bytes(back) == bytes(counts));
}

TEST(Counts, RefusesThoseOfOthers) {
  Archive archive;
  counted(0, kRows, 10).put(archive);
  const auto refuses = [&](const Schema& of, Index prototypes) {
    test::expect_error(ErrorKind::data, {}, [&] { Counts::get(archive, of, prototypes); });
  };
  refuses(schema(), kind().prototypes - 1);
  refuses(schema(), kind().prototypes + 1);
  refuses(schema(), 0);
  refuses(test::schema_of({7}), kind().prototypes);
  refuses(test::schema_of({7, 61}), kind().prototypes);
  refuses(test::schema_of({7, 60, 2}), kind().prototypes);
  Counts sum = counted(0, kRows, 10);
  EXPECT_THROW(sum.merge(Counts(schema(), 3)), Error);
  EXPECT_THROW(sum.merge(Counts(test::schema_of({7}), kind().prototypes)), Error);
}

TEST(Counts, RefusesHostileNumbers) {
  const Counts counts = counted(0, kRows, 10);
  const auto refuses = [&](const std::string& key, const std::vector<Index>& numbers) {
    Archive archive;
    counts.put(archive);
    archive.put(key, numbers);
    test::expect_error(ErrorKind::data, {}, [&] { Counts::get(archive, schema(), kind().prototypes); });
  };
  const std::vector<Index> sound{13, kRows, -5, -6, 13, 120, 1130};
  for (const Index bad : {Index{-1}, std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()}) {
    for (const std::size_t at : {0u, 1u, 4u, 5u, 6u}) {
      std::vector<Index> numbers = sound;
      numbers[at] = bad;
      refuses("counted/progress", numbers);
    }
    refuses("counted/present", {bad, 1});
    refuses("counted/negatives", {1, bad});
  }
  refuses("counted/progress", {});
  refuses("counted/progress", {1, 2, 3});
  refuses("counted/present", {1});
  refuses("counted/negatives", {1, 2, 3});
  for (const double bad : {test::kNan, test::kInf, -1.0}) {
    for (const char* key : {"counted/mass", "counted/spread"}) {
      Archive archive;
      counts.put(archive);
      std::vector<double> numbers = archive.numbers(key);
      numbers[3] = bad;
      archive.put(key, numbers);
      test::expect_error(ErrorKind::data, {key}, [&] { Counts::get(archive, schema(), kind().prototypes); });
    }
  }
}

}  // namespace
}  // namespace omvc
