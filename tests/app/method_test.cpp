// omvc fit --method: every method through the command, and what it refuses before it works.
#include "omvc/options.hpp"

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

class MethodCommand : public testing::Test {
 protected:
  MethodCommand()
      : a_(dir_.write_file("a.csv", to_text(planted_table(60, 6, 1), ","))),
        b_(dir_.write_file("b.csv", to_text(planted_table(60, 5, 2), ","))) {}

  Outcome fit(const Arguments& more) const { return run_command(Arguments{"fit", a_, b_, "-k", "3", "--json"} + more); }

  TempDir dir_;
  std::string a_;
  std::string b_;
};

TEST_F(MethodCommand, EveryMethodFitsAndItsModelAssigns) {
  for (const auto& [name, method] : EnumNames<Algorithm>::kNames) {
    const Outcome outcome =
        fit({"--method", std::string(name), "--labels", dir_.path("labels"), "--model", dir_.path("model")});
    ASSERT_EQ(outcome.code, 0) << name << ": " << outcome.message();
    EXPECT_EQ(read_label_file(dir_.path("labels")).size(), 60u) << name;
    EXPECT_GT(outcome.json().at("loss").get<double>(), 0) << name;
    EXPECT_EQ(run_command({"info", dir_.path("model")}).code, 0) << name;
    const Outcome assigned = run_command({"assign", dir_.path("model"), a_, b_, "--labels", dir_.path("again")});
    ASSERT_EQ(assigned.code, 0) << name << ": " << assigned.message();
    EXPECT_EQ(read_label_file(dir_.path("again")).size(), 60u) << name;
  }
}

TEST_F(MethodCommand, AMethodHasItsOwnDefaultsAndFlagsOverrideThem) {
  ASSERT_EQ(fit({"--method", "opimc", "--passes", "2", "--model", dir_.path("model")}).code, 0);
  const auto options = run_command({"info", dir_.path("model"), "--json"}).json().at("options");
  EXPECT_EQ(options.at("ridge"), "10");
  EXPECT_EQ(options.at("chunk"), "250");
  EXPECT_EQ(options.at("passes"), "2");
  const std::string config = dir_.write_file("options.toml", "method = \"onmf-da\"\npasses = 2\n");
  ASSERT_EQ(fit({"--config", config, "--model", dir_.path("model")}).code, 0);
  const auto from_file = run_command({"info", dir_.path("model"), "--json"}).json().at("options");
  EXPECT_EQ(from_file.at("method"), "onmf-da");
  EXPECT_EQ(from_file.at("chunk"), "50");
}

TEST_F(MethodCommand, RefusesWhatCannotWorkAndSaysWhatToDo) {
  const auto refused = [&](const Arguments& more, const std::vector<std::string>& parts) {
    const Outcome outcome = fit(more);
    EXPECT_EQ(outcome.code, 2) << outcome.message();
    for (const std::string& part : parts) EXPECT_TRUE(contains(outcome.err, part)) << part << " in " << outcome.err;
  };
  refused({"--method", "nmf"}, {"method", "nmf", "onmf-i", "masked-kmeans"});
  refused({"--method", "opimc", "--preset", "paper"}, {"--preset", "opimc", "leave"});
  refused({"--method", "masked-kmeans", "--rank", "9"}, {"rank", "masked-kmeans", "leave it out"});
}

TEST_F(MethodCommand, SignedDataAreRefusedByFactorisationsOnly) {
  const std::string c = dir_.write_file("c.csv", "1,-2\n-1,2\n1,-2.1\n-1,2.1\n1.1,-2\n-1.1,2\n");
  for (const auto& [name, method] : EnumNames<Algorithm>::kNames) {
    const Outcome outcome = run_command(
        {"fit", c, "-k", "2", "--method", std::string(name), "--scaling", "none", "--labels", dir_.path("l")});
    if (takes_signed(method)) {
      ASSERT_EQ(outcome.code, 0) << name << ": " << outcome.message();
      const std::vector<int> labels = read_label_file(dir_.path("l"));
      EXPECT_NE(labels[0], labels[1]) << name;
      EXPECT_EQ(labels[0], labels[2]) << name;
    } else {
      EXPECT_EQ(outcome.code, 3) << name;
      EXPECT_TRUE(contains(outcome.err, "negative") && contains(outcome.err, "scaling auto")) << outcome.err;
    }
  }
}

}  // namespace
}  // namespace omvc::test
