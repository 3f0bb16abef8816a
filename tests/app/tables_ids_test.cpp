// Tables of people, through the command: ids at any place, a stream of the table that fit took, a truth with gaps.
#include <algorithm>
#include <fmt/ranges.h>
#include <functional>
#include <random>

#include "app/command.hpp"
#include "app/live_stream.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 120;

class TablesIds : public testing::Test {
 protected:
  // The rows of planted clusters with columns before and behind the measurements, shuffled if there is a seed.
  std::string write(const std::string& name, unsigned seed, const std::function<std::string(std::size_t)>& before,
                    const std::function<std::string(std::size_t)>& behind, const std::string& header,
                    unsigned shuffled = 0) {
    const Table table = planted_table(kRows, 4, seed);
    std::vector<std::size_t> order(kRows);
    for (std::size_t i = 0; i < kRows; ++i) order[i] = i;
    std::mt19937 random(shuffled);
    if (shuffled > 0) std::shuffle(order.begin(), order.end(), random);
    std::string text = header + "\n";
    for (const std::size_t i : order) {
      text += fmt::format("{}{}{}\n", before(i), fmt::join(table[i], ","), behind(i));
    }
    return dir_.write_file(name, text);
  }
  static std::string none(std::size_t) { return ""; }
  static std::string number(std::size_t i) { return fmt::format(",{}", 1000 + i); }
  // With ids: those of the rows, and of their planted clusters.
  std::string truth(const std::string& header, const std::function<std::string(std::size_t)>& name) {
    std::string text = header + "\n";
    for (std::size_t i = 0; i < kRows; ++i) text += fmt::format("{},{}\n", 1000 + i, name(i));
    return dir_.write_file("truth.csv", text);
  }
  static std::string cluster(std::size_t i) { return fmt::format("group {}", planted_cluster(i)); }

  TempDir dir_;
};

TEST_F(TablesIds, RowsAreNotPairedByChance) {
  const std::string a = write("a.csv", 1, none, number, "w,x,y,z,id");
  const std::string b = write("b.csv", 2, none, number, "p,q,r,s,id", 7);
  const Arguments more{"-k", "3", "--quiet", "--json", "--truth", truth("id,class", cluster)};
  EXPECT_GT(run_command(Arguments{"fit", a, b} + more).json()["nmi_best"].get<double>(), 0.95);
  const std::string c = write("c.csv", 1, none, number, "w,x,y,z,patient_id");
  const std::string d = write("d.csv", 2, none, number, "p,q,r,s,patient_id", 7);
  for (const char* verb : {"fit", "look"}) {
    expect_failure({verb, c, d}, 3, {"'patient_id'", "--id-column", "--drop", "c.csv", "d.csv"});
  }
  const Outcome told = run_command(Arguments{"fit", c, d, "--id-column", "patient_id"} + more);
  EXPECT_GT(told.json()["nmi_best"].get<double>(), 0.95);
  EXPECT_TRUE(contains(run_command({"look", c, d, "--drop", "patient_id"}).err, "joined by row"));
}

TEST_F(TablesIds, AStreamTakesTheTableThatFitTook) {
  const auto person = [](std::size_t i) { return fmt::format("P{},", i); };
  const auto rest = [](std::size_t i) { return fmt::format(",2026-11-{:02},{}.5%", 1 + i % 28, i); };
  const std::string table = write("a.csv", 1, person, rest, "patient,w,x,y,z,taken,saturation");
  const std::string other = write("b.csv", 2, person, none, "patient,p,q,r,s");
  const std::string model = dir_.path("model.omvc");
  ASSERT_EQ(run_command({"fit", table, other, "-k", "3", "--quiet", "--model", model}).code, 0);
  const Outcome streamed = stream_file(dir_, read_bytes(table), {"--model", model, "--no-learn"});
  EXPECT_EQ(streamed.code, 0) << streamed.err;
  EXPECT_TRUE(contains(streamed.err, "'taken' is left out")) << streamed.err;
  EXPECT_EQ(Answers(streamed.out).rows.size(), kRows);
  EXPECT_EQ(Answers(streamed.out).rows.at(0).at("id"), "P0");
}

TEST_F(TablesIds, TheHeaderAndTheGapsOfATruthAreNoClasses) {
  const std::string table = write("a.csv", 1, none, number, "w,x,y,z,id");
  const std::string known =
      truth("patient,kind", [](std::size_t i) { return i % 10 == 0 ? std::string("NA") : cluster(i); });
  const std::string page = dir_.path("page.html");
  const Outcome outcome =
      run_command({"fit", table, "-k", "3", "--quiet", "--json", "--truth", known, "--report", page});
  EXPECT_GT(outcome.json()["nmi_best"].get<double>(), 0.95);
  EXPECT_TRUE(contains(outcome.err, "truth.csv: 12 lines have no label")) << outcome.err;
  EXPECT_TRUE(contains(read_bytes(page), R"("class_names":["group 1","group 2","group 0"])") ||
              contains(read_bytes(page), R"("class_names":["group 0","group 1","group 2"])"));
  EXPECT_FALSE(contains(read_bytes(page), R"("kind")"));
}

}  // namespace
}  // namespace omvc::test
