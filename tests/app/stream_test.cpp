// omvc stream as its users see it: rows in, labels out, at once; what bad lines get; starting, stopping, going on.
#include <algorithm>
#include <map>
#include <set>

#include "app/live_stream.hpp"

namespace omvc::test {
namespace {

using StreamCommand = StreamTest;

// Labels of the planted clusters, from the row on where there are clusters: one number for each.
void expect_planted(const std::vector<nlohmann::json>& rows, std::size_t from) {
  std::map<int, std::set<int>> numbers;
  for (std::size_t i = from; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(std::stoi(rows[i].at("id").get<std::string>().substr(1)));
    numbers[planted_cluster(row)].insert(rows[i].at("cluster").get<int>());
  }
  for (const auto& [cluster, found] : numbers) EXPECT_EQ(found.size(), 1u) << cluster;
}

TEST_F(StreamCommand, AnswersEveryRowInOrderAndLearns) {
  const Outcome outcome = stream_file(dir_, json_rows(0, 1000), start_);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Answers answers(outcome.out);
  ASSERT_EQ(answers.rows.size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(answers.rows[i].at("id"), fmt::format("r{}", i));
    EXPECT_EQ(answers.rows[i].at("cluster").is_null(), i < 100) << i;
    if (i >= 100) {
      EXPECT_GT(answers.rows[i].at("confidence"), 0.3);
      EXPECT_GT(answers.rows[i].at("distance"), 0);
    }
  }
  expect_planted(answers.rows, 100);
  EXPECT_EQ(answers.of("born").size(), 3u);
  EXPECT_EQ(answers.of("saved").back().at("after"), "r999");
  EXPECT_EQ(run_command({"info", model_, "--json"}).json().at("instances"), 1000);
}

TEST_F(StreamCommand, ALabelComesBeforeTheNextRowIsWritten) {
  LiveStream live(dir_, start_);
  for (std::size_t i = 0; i < 120; ++i) {
    live.send(json_row(i));
    ASSERT_TRUE(live.process().read_output_until(fmt::format("\"r{}\"", i)))
        << "the row is answered while the pipe is open";
  }
  EXPECT_EQ(live.finish().code, 0);
}

TEST_F(StreamCommand, BetweenTwoQueues) {
  // As kcat -C | omvc stream | kcat -P: whoever writes and whoever reads know nothing of each other.
  LiveStream live(dir_, start_ + Arguments{"--every", "50,100ms"});
  live.send(json_rows(0, 400));
  ASSERT_TRUE(live.process().read_lines(403)) << "400 rows and three clusters born";
  live.send(json_rows(400, 800));
  const Outcome outcome = live.finish();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Answers(outcome.out).rows.size(), 800u);
}

TEST_F(StreamCommand, BadLinesAreAnsweredAndTheStreamGoesOn) {
  std::string text = json_rows(0, 150);
  text += "{\"id\": \"x1\", \"a\": [1, 2\n";
  text += "{\"id\": \"x2\", \"c\": [1]}\n";
  text += "{\"id\": \"x3\", \"a\": [1, 2]}\n";
  text += "{\"id\": \"x4\", \"a\": [1, 2, 3, 4, 5, \"six\"]}\n";
  text += "{\"id\": \"x5\", \"a\": [1, 2, 3, 4, 5, 1e999]}\n";
  text += "\xFF\xFE\n\n";
  text += json_rows(150, 200) + "{\"id\": \"last\"";
  const Outcome outcome = stream_file(dir_, text, {"--model", model_, "-k", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "200 rows labelled, 7 lines refused")) << outcome.err;
  const Answers answers(outcome.out);
  ASSERT_EQ(answers.rows.size(), 207u);
  const std::vector<std::pair<nlohmann::json, std::string>> expected{
      {nullptr, "not JSON"},     {"x2", "no view 'c'"}, {"x3", "2 numbers here, and 6 features"},
      {"x4", "a text is where"}, {nullptr, "number"},   {nullptr, "not JSON"}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const nlohmann::json& row = answers.rows[150 + i];
    EXPECT_EQ(row.at("id"), expected[i].first) << row;
    EXPECT_TRUE(contains(row.at("error"), expected[i].second)) << row;
    EXPECT_EQ(row.at("line"), 151 + i);
  }
  EXPECT_TRUE(answers.rows.back().contains("error")) << "a line that was cut short by the end";
  EXPECT_EQ(run_command({"info", model_, "--json"}).json().at("instances"), 200);
}

TEST_F(StreamCommand, StrictEndsAtTheFirstBadLineAndKeepsWhatWasLearned) {
  const Outcome outcome = stream_file(dir_, json_rows(0, 150) + "{\"id\": \"x\", \"a\": 3}\n" + json_rows(150, 200),
                                      start_ + Arguments{"--strict"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "line 151 (id \"x\")")) << outcome.err;
  EXPECT_EQ(Answers(outcome.out).rows.size(), 150u);
  EXPECT_EQ(run_command({"info", model_, "--json"}).json().at("instances"), 150);
}

TEST_F(StreamCommand, GoesOnFromAModelOfFitAndFromItsOwn) {
  std::string a;
  std::string b;
  for (const auto& [text, features, seed] : {std::tuple{&a, 6, 1}, {&b, 5, 2}}) {
    *text = to_text(planted_table(300, static_cast<std::size_t>(features), static_cast<unsigned>(seed)), ",");
  }
  const Outcome fit = run_command(
      {"fit", dir_.write_file("a.csv", a), dir_.write_file("b.csv", b), "-k", "3", "--quiet", "--model", model_});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome first = stream_file(dir_, json_rows(300, 600), {"--model", model_, "--quiet"});
  ASSERT_EQ(first.code, 0) << first.err;
  const Answers answers(first.out);
  EXPECT_TRUE(answers.of("resumed").empty()) << "no stream had been there";
  expect_planted(answers.rows, 0);
  const Outcome second = stream_file(dir_, json_rows(600, 700), {"--model", model_, "--quiet"});
  const Answers more(second.out);
  ASSERT_EQ(more.of("resumed").size(), 1u);
  EXPECT_EQ(more.events.front().at("after"), "r599");
  EXPECT_EQ(more.events.front().at("instances"), 600);
  std::vector<nlohmann::json> all = answers.rows;
  all.insert(all.end(), more.rows.begin(), more.rows.end());
  expect_planted(all, 0);
}

// A table as a German spreadsheet writes it, with numbers of each kind, categories and dates.
std::string german_table(std::size_t rows) {
  const Table numbers = planted_table(rows, 2, 1);
  const auto comma = [](double value) {
    std::string number = fmt::format("{:.4f}", value);
    std::replace(number.begin(), number.end(), '.', ',');
    return number;
  };
  const std::array<std::string, 3> kinds{"\"rot; hell\"", "blau", "NA"};
  std::string text = "\xEF\xBB\xBFPatient;Größe;Wert;Geprüft;Art;Menge;Datum\r\n";
  for (std::size_t i = 0; i < rows; ++i) {
    text += fmt::format("p{};{};{};{};{};{}.000,5;16.11.2026\r\n", i, comma(numbers[i][0]),
                        i % 7 == 3 ? "k. A." : comma(numbers[i][1]), i % 2 == 0 ? "ja" : "nein", kinds[i % 3],
                        1 + planted_cluster(i));
  }
  return text;
}

TEST_F(StreamCommand, ReadsAGermanTableAsFitAndAssignDo) {
  const Arguments missing{"--missing-values", "k. A.,NA"};
  const std::string file = dir_.write_file("klinik.csv", german_table(120));
  const Outcome fit = run_command(Arguments{"fit", file, "-k", "3", "--quiet", "--model", model_} + missing);
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome assigned = run_command(Arguments{"assign", model_, file} + missing);
  ASSERT_EQ(assigned.code, 0) << assigned.err;
  const Outcome outcome =
      stream_file(dir_, german_table(120), Arguments{"--model", model_, "--no-learn", "--quiet"} + missing);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> labels = lines_of(assigned.out);
  const Answers answers(outcome.out);
  ASSERT_EQ(answers.rows.size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ASSERT_TRUE(answers.rows[i].contains("cluster")) << answers.rows[i];
    EXPECT_EQ(answers.rows[i].at("id"), fmt::format("p{}", i));
    EXPECT_EQ(answers.rows[i].at("cluster"), std::stoi(labels[i])) << i;
  }
}

TEST_F(StreamCommand, ATableFromNothingGoesOnAfterARestart) {
  const std::vector<std::string> lines = lines_of(german_table(400));
  std::string first;
  std::string second = lines[0] + "\n";
  for (std::size_t i = 0; i < lines.size(); ++i) (i <= 250 ? first : second) += lines[i] + "\n";
  const Arguments table{"--drop", "Art,Geprüft", "--missing-values", "k. A."};
  const Outcome start = stream_file(dir_, first, start_ + table);
  ASSERT_EQ(start.code, 0) << start.err;
  const Outcome more = stream_file(dir_, second, Arguments{"--model", model_, "--quiet"} + table);
  ASSERT_EQ(more.code, 0) << more.err;
  const Answers answers(more.out);
  EXPECT_EQ(answers.of("resumed").size(), 1u);
  ASSERT_EQ(answers.rows.size(), 150u);
  for (const nlohmann::json& row : answers.rows) EXPECT_TRUE(row.contains("cluster")) << row;
}

TEST_F(StreamCommand, ReadsCsv) {
  const Table a = planted_table(300, 4, 1);
  const Table b = planted_table(300, 3, 2);
  std::string text = "id,a:w,a:x,a:y,a:z,b:1,b:2,b:3\n";
  for (std::size_t i = 0; i < 300; ++i) {
    text += fmt::format("r{},{},{}\n", i, i % 5 == 0 ? ",,," : fmt::format("{}", fmt::join(a[i], ",")),
                        i % 5 == 1 ? ",," : fmt::format("{}", fmt::join(b[i], ",")));
  }
  const Outcome outcome = stream_file(dir_, text, start_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Answers answers(outcome.out);
  ASSERT_EQ(answers.rows.size(), 300u);
  expect_planted(answers.rows, 100);
  const Outcome again = stream_file(dir_, text, {"--model", model_, "--no-learn", "--quiet"});
  EXPECT_EQ(Answers(again.out).rows.size(), 300u) << again.err;
  const Outcome bad = stream_file(dir_, "id,c:1\n1,2\n", {"--model", model_});
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(contains(bad.err, "no view 'c'")) << bad.err;
}

TEST_F(StreamCommand, TextWithoutAModelBeforehand) {
  std::string text;
  const std::vector<std::string> words{"goal", "match", "team", "vote", "law", "party"};
  for (int i = 0; i < 400; ++i) {
    const auto word = [&](int n) { return words[static_cast<std::size_t>(i % 2 * 3 + n)]; };
    text += fmt::format("{{\"text\": {{\"{}\": {}, \"{}\": 1, \"w{}\": 1}}}}\n", word(i / 2 % 3), 1 + i % 3,
                        word((i / 2 + 1) % 3), i < 90 ? i : i % 90);
  }
  const Outcome outcome = stream_file(dir_, text, {"--model", model_, "-k", "2", "--quiet"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Answers answers(outcome.out);
  ASSERT_EQ(answers.rows.size(), 400u);
  int agree = 0;
  for (std::size_t i = 100; i < 400; ++i) {
    EXPECT_EQ(answers.rows[i].at("id"), i + 1) << "without an id it is the number of the line";
    agree += answers.rows[i].at("cluster") == answers.rows[100 + i % 2].at("cluster");
  }
  EXPECT_GT(agree, 290);
  const Outcome unknown =
      stream_file(dir_, "{\"text\": {\"goal\": 1, \"nil\": 1}}\n", {"--model", model_, "--no-learn", "--quiet"});
  EXPECT_TRUE(contains(unknown.out, "no feature 'nil'")) << unknown.out;
  const Outcome left_out = stream_file(dir_, "{\"text\": {\"goal\": 1, \"nil\": 1}}\n",
                                       {"--model", model_, "--no-learn", "--ignore-extra", "--quiet"});
  EXPECT_TRUE(contains(left_out.out, "\"cluster\": ")) << left_out.out;
}

TEST_F(StreamCommand, AModelThatForgetsGoesOnWhateverItHasForgotten) {
  const Arguments forgetful = start_ + Arguments{"--half-life", "150", "--every", "100"};
  ASSERT_EQ(stream_file(dir_, json_rows(0, 1500), forgetful).code, 0);
  const Outcome shown = run_command({"info", model_});
  EXPECT_EQ(shown.code, 0) << shown.err;
  const Outcome outcome = stream_file(dir_, json_rows(1500, 2000), forgetful);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Answers(outcome.out).of("resumed").at(0).at("instances"), 1500);
  expect_planted(Answers(outcome.out).rows, 0);
}

TEST_F(StreamCommand, InStepIsTheSameEveryTime) {
  std::vector<std::string> outs;
  for (const char* name : {"one", "two"}) {
    const Outcome outcome = stream_file(
        dir_, json_rows(0, 2500), {"--model", dir_.path(name), "-k", "3", "--in-step", "--every", "200", "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    outs.push_back(outcome.out);
  }
  EXPECT_EQ(outs[0], outs[1]);
  EXPECT_EQ(read_bytes(dir_.path("one")), read_bytes(dir_.path("two")));
}

TEST_F(StreamCommand, OnlyLabelsWhereToldSo) {
  ASSERT_EQ(stream_file(dir_, json_rows(0, 500), start_).code, 0);
  const std::string before = read_bytes(model_);
  const Outcome outcome = stream_file(dir_, json_rows(500, 700), {"--model", model_, "--no-learn", "--quiet"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Answers answers(outcome.out);
  EXPECT_EQ(answers.rows.size(), 200u);
  EXPECT_TRUE(answers.events.empty());
  EXPECT_EQ(read_bytes(model_), before);
  EXPECT_EQ(stream_file(dir_, "", {"--model", dir_.path("none"), "--no-learn"}).code, 4);
}

TEST_F(StreamCommand, WrongOptionsAreRefusedBeforeAnyRow) {
  ASSERT_EQ(stream_file(dir_, json_rows(0, 200), start_).code, 0);
  const auto refused = [&](const Arguments& more, const std::string& part) {
    const Outcome outcome = stream_file(dir_, json_rows(0, 5), more);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
  };
  refused({}, "--model");
  refused({"--model", model_, "-k", "4"}, "clusters = 3, not 4");
  refused({"--model", model_, "--every", "never"}, "--every never");
  refused({"--model", model_, "--every", "5,6"}, "--every 6");
  refused({"--model", model_, "--every", "0"}, "--every 0");
  refused({"--model", model_, "--save-every", "5"}, "--save-every 5");
  refused({"--model", model_, "--format", "xml"}, "--format");
  EXPECT_EQ(stream_file(dir_, "", {"--model", model_, "-k", "3", "--quiet"}).code, 0) << "the same command goes on";
  EXPECT_EQ(stream_file(dir_, "", {"--model", dir_.path("folder/none")}).code, 4);
  dir_.write_file("text.omvc", "no model");
  EXPECT_EQ(stream_file(dir_, "", {"--model", dir_.path("text.omvc")}).code, 3);
}

}  // namespace
}  // namespace omvc::test
