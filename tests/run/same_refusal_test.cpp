// The same row is taken by every verb, or refused by every verb: with ErrorKind::data and a message that names view and
// row. A stream refuses that row alone, and goes on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/awkward_rows.hpp"

namespace omvc {
namespace {

using test::AwkwardRows;
using test::Form;
using test::Said;

constexpr Index kRows = 300, kLearned = 200;
constexpr Index kOdd = 257;       // the row that holds the odd value, which is learned late
constexpr double kBeyond = 0.01;  // MB: less than the rows take

// One odd value in rows that are sound otherwise.
struct Odd {
  std::string name;
  Scaling scaling;
  Form form;  // of the view that has it
  std::size_t view;
  double value;
  std::string refused = {};  // a word of the message; empty: it is taken; ?: all verbs are of one mind
  Index row = kOdd;

  AwkwardRows rows() const {
    AwkwardRows out = test::awkward_rows(kRows, 5, 0);
    for (Matrix& X : out.views) X = X.unaryExpr([](double x) { return std::isnan(x) ? 1 : x; });
    out.views[view](row, 1) = value;
    return out;
  }
  std::vector<Form> forms() const {
    std::vector<Form> out{Form::dense_double, Form::csr_double};
    out[view] = form;
    return out;
  }
  Options options(double memory = 64) const {
    Options out = test::awkward_options(scaling);
    out.memory = memory;
    out.recipe = {"calibrate=0"};  // who takes a row does not depend on models of other rows, which are dear
    return out;
  }
};

struct Outcome {
  std::string verb;
  std::optional<Error> error;  // what it threw
  Index row = kOdd;            // what it has to call the row
};

std::optional<Error> thrown(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

Chunk part_of(const AwkwardRows& rows, const std::vector<Form>& forms, Index first, Index count) {
  Chunk part = test::part_of(rows.chunk(forms), first, count);
  part.rows = test::iota(count, first);
  return part;
}

// A model that has learned the rows before the odd one.
Clusterer learned(const Odd& odd) {
  Clusterer model(odd.options());
  Said sink;
  const AwkwardRows rows = odd.rows();
  model.fit(*make_table_source(rows.schema, part_of(rows, odd.forms(), 0, kLearned)), sink);
  return model;
}

// Pushes the rows one by one until there are clusters, then ten at a time.
std::optional<Error> stream_all(const Odd& odd, const std::string& file, bool learn, std::string& why, Index& taken) {
  const AwkwardRows rows = odd.rows();
  return thrown([&] {
    StreamOptions options{.file = file, .model = odd.options()};
    options.rows = 20;
    options.in_step = true;
    options.learn = learn;
    Stream stream(options);
    if (stream.schema().views.empty()) stream.widen(rows.schema);
    Index first = learn ? stream.instances() : kLearned;
    while (first < kRows) {
      const Index count = stream.has_clusters() ? std::min<Index>(10, kRows - first) : 1;
      const StreamLabels found = stream.push(part_of(rows, odd.forms(), first, count),
                                             std::vector<std::string>(static_cast<std::size_t>(count), "0"));
      EXPECT_EQ(found.labels.size(), static_cast<std::size_t>(count));
      for (const auto& [at, text] : found.refused) {
        EXPECT_EQ(first + at, odd.row) << odd.name << ": " << text;
        EXPECT_EQ(found.labels[static_cast<std::size_t>(at)], -1);
        why = text;
      }
      first += count;
    }
    stream.finish();
    taken = stream.instances();
  });
}

// Every verb with the rows.
std::vector<Outcome> all_verbs(const Odd& odd) {
  const AwkwardRows rows = odd.rows();
  const Chunk chunk = rows.chunk(odd.forms());
  const auto source = [&] { return make_table_source(rows.schema, chunk); };
  Observer silent;
  std::vector<Outcome> out;
  const auto add = [&](const std::string& verb, const std::function<void()>& action) {
    out.push_back({verb, thrown(action)});
  };
  for (const double memory : {64.0, kBeyond}) {
    const std::string size = memory < 1 ? " beyond the sample" : "";
    add("fit" + size, [&] {
      Said sink;
      Clusterer(odd.options(memory)).fit(*source(), sink);
    });
    add("fit of data read once" + size, [&] {
      Said sink;
      Clusterer(odd.options(memory)).fit(*make_once_source(source()), sink);
    });
    for (const Index parts : {1, 3}) {
      add("plan in " + std::to_string(parts) + " parts" + size, [&] {
        Said sink;
        test::planned(Plan(odd.options(memory), rows.schema), chunk, parts, sink);
      });
      // The source of a part refuses these itself, and knows no row before its own.
      if (std::isinf(odd.value)) out.back().row = kOdd % (kRows / parts);
    }
    const std::vector<std::string> failures = test::run_ranks(2, [&](Exchange& exchange) {
      Said sink;
      Clusterer(odd.options(memory)).fit(*source(), sink, {.exchange = &exchange});
    });
    for (const std::string& failure : failures) {
      add("ranks" + size, [&] { return failure.empty() ? void() : throw Error(ErrorKind::data, failure); });
    }
    add("partial_fit" + size, [&] {
      Clusterer model(odd.options(memory));
      for (Index first = 0; first < kRows; first += 20) {
        model.partial_fit(part_of(rows, odd.forms(), first, 20), rows.schema);
      }
      model.refresh();
    });
  }
  const Clusterer model = learned(odd);
  const Chunk late = part_of(rows, odd.forms(), kLearned, kRows - kLearned);
  add("assign", [&] { model.assign(late); });
  add("assign by a predictor", [&] { Clusterer::from_bytes(model.to_bytes(ModelKind::prediction)).assign(late); });
  add("impute", [&] { model.impute(late, 0); });
  const Chunk numbered = test::part_of(chunk, kLearned, kRows - kLearned);
  add("assign of a source", [&] {
    Said sink;
    model.assign(*make_table_source(rows.schema, numbered), sink, silent);
  });
  out.back().row = kOdd - kLearned;
  add("update",
      [&] { Clusterer::from_bytes(model.to_bytes()).update(*make_table_source(rows.schema, numbered), silent); });
  out.back().row = kOdd - kLearned;
  const test::TempDir dir;
  for (const std::string name : {"stream from nothing", "stream of a model", "stream without learning"}) {
    if (name != "stream from nothing") model.save(dir.path(name));
    Index taken = 0;
    std::string why;
    const bool learn = name != "stream without learning";
    const std::optional<Error> failed = stream_all(odd, dir.path(name), learn, why, taken);
    EXPECT_FALSE(failed) << odd.name << ", " << name << ": " << (failed ? failed->what() : "");
    EXPECT_TRUE(failed || !learn || taken == (why.empty() ? kRows : kRows - 1)) << odd.name << ", " << name;
    out.push_back({name, why.empty() ? std::nullopt : std::optional(Error(ErrorKind::data, why))});
  }
  return out;
}

void check(const Odd& odd) {
  const std::string view = test::awkward_rows(1, 1).schema.views[odd.view].name;
  const auto all = all_verbs(odd);
  const bool refuses = odd.refused == "?" ? all.front().error.has_value() : !odd.refused.empty();
  for (const Outcome& found : all) {
    const std::string text = found.error ? found.error->what() : "it is taken";
    EXPECT_EQ(found.error.has_value(), refuses) << odd.name << ", " << found.verb << ": " << text;
    if (!refuses || !found.error) continue;
    EXPECT_EQ(found.error->kind(), ErrorKind::data) << odd.name << ", " << found.verb << ": " << text;
    for (const std::string& part : {view, "row " + std::to_string(found.row), odd.refused}) {
      if (part == "?") continue;
      EXPECT_NE(text.find(part), std::string::npos)
          << odd.name << ", " << found.verb << ": no " << part << ": " << text;
    }
  }
}

std::string number(double x) { return fmt::format("{:g}", x); }

#ifdef OMVC_SANITIZED  // where everything takes ten times as long
constexpr std::array kScalings = {Scaling::automatic, Scaling::none, Scaling::total};
constexpr std::array kTaken = {Scaling::automatic};
constexpr std::array kTooLarge = {-1e141};
constexpr std::array kLarge = {1e60};
#else
constexpr std::array kScalings = {Scaling::automatic, Scaling::none,     Scaling::total, Scaling::minmax,
                                  Scaling::standard,  Scaling::variance, Scaling::l2,    Scaling::tfidf};
constexpr std::array kTaken = {Scaling::automatic, Scaling::total, Scaling::l2, Scaling::tfidf};
constexpr std::array kTooLarge = {1e141, -1e141, 1e300, HUGE_VAL};
constexpr std::array kLarge = {1e15, 1e20, 1e60, 1e139};
#endif

TEST(SameRefusal, ValuesThatCannotBeSquaredAreRefusedByAll) {
  for (const Scaling scaling : {Scaling::automatic, Scaling::none, Scaling::variance}) {
    for (const double value : kTooLarge) {
      const std::string name = std::string(name_of(scaling)) + ", " + number(value);
      const std::string word = std::isinf(value) ? "infinite" : "too large to be squared";
      check({name + " dense", scaling, Form::dense_double, 0, value, word});
      check({name + " sparse", scaling, Form::csr_double, 1, value, word});
    }
  }
}

TEST(SameRefusal, NegativeValuesThatAScalingRefusesAreRefusedByAll) {
  check({"none, dense", Scaling::none, Form::dense_double, 0, -1, "negative"});
  check({"none, dense floats", Scaling::none, Form::dense_float, 1, -1, "negative"});
  check({"none, sparse", Scaling::none, Form::csr_double, 1, -1, "negative"});
}

TEST(SameRefusal, NegativeValuesThatAScalingTakesAreTakenByAll) {
  for (const Scaling scaling : kScalings) {
    if (scaling == Scaling::none) continue;
    check({std::string(name_of(scaling)), scaling, Form::dense_double, 0, -2, ""});
  }
  for (const Scaling scaling : kTaken) {
    check({std::string(name_of(scaling)) + " sparse", scaling, Form::csr_double, 1, -2, ""});
  }
}

// Shifting would fill the zeros of a sparse view: a fit refuses a negative value there.
TEST(SameRefusal, OfNegativeValuesInSparseViewsThatAreShiftedAllAreOfOneMind) {
  for (const Scaling scaling : {Scaling::minmax, Scaling::standard, Scaling::variance}) {
    check({std::string(name_of(scaling)), scaling, Form::csr_double, 1, -2, "?"});
  }
}

// Where they stay far out after scaling, they are brought back.
TEST(SameRefusal, LargeValuesThatAreScaledAreTakenByAll) {
  for (const Scaling scaling : kScalings) {
    if (scaling == Scaling::none) continue;
#ifdef OMVC_SANITIZED  // where everything takes ten times as long
    const std::vector<double> values{1e60};
#else
    const std::vector<double> values{1e20, 1e60, 1e139};
#endif
    for (const double value : values) {
      const std::string name = std::string(name_of(scaling)) + ", " + number(value);
      const bool sparse = (value == 1e60) == (scaling == Scaling::total || scaling == Scaling::automatic);
      check({name, scaling, sparse ? Form::csr_double : Form::dense_double, sparse ? 1u : 0u, value});
    }
  }
}

TEST(SameRefusal, OfLargeValuesThatAreNotScaledAllAreOfOneMind) {
  check({"1e14", Scaling::none, Form::dense_double, 0, 1e14});
  for (const double value : kLarge) {
    check({number(value) + " dense", Scaling::none, Form::dense_double, 0, value, "?"});
    check({number(value) + " sparse", Scaling::none, Form::csr_double, 1, value, "?"});
  }
}

// Also before there are clusters: a row that cannot be learned must not end the stream.
TEST(SameRefusal, AStreamGoesOnAlsoWhereTheRowComesFirst) {
  constexpr Index kEarly = 57;
  for (const Odd& odd : {Odd{"too large", Scaling::automatic, Form::dense_double, 0, 1e141, "", kEarly},
                         Odd{"far out, variance", Scaling::variance, Form::dense_double, 0, 1e60, "", kEarly},
                         Odd{"far out, none", Scaling::none, Form::dense_double, 0, 1e60, "", kEarly},
                         Odd{"negative, none", Scaling::none, Form::dense_double, 0, -1, "", kEarly},
                         Odd{"negative, shifted", Scaling::minmax, Form::csr_double, 1, -1, "", kEarly}}) {
    const test::TempDir dir;
    std::string why;
    Index taken = 0;
    const std::optional<Error> failed = stream_all(odd, dir.path("model"), true, why, taken);
    EXPECT_FALSE(failed) << odd.name << ": " << (failed ? failed->what() : "");
  }
}

TEST(SameRefusal, ComparisonMethodsTakeAndRefuseTheSameRows) {
  for (const Algorithm method : {Algorithm::masked_kmeans, Algorithm::concat_kmeans, Algorithm::omvc_paper}) {
    for (const double value : {-1.0, 1e20, 1e60, 1e139, 1e141, HUGE_VAL}) {
      const bool refuses = !(value < 1e140);
      for (const Form form : {Form::dense_double, Form::csr_double}) {
        const Odd odd{number(value), Scaling::automatic, form, 0, value};
        const AwkwardRows rows = odd.rows();
        const Chunk chunk = rows.chunk(odd.forms());
        Options options = method_options(method);
        options.clusters = 3;
        options.threads = 1;
        const auto verb = [&](const std::string& name, const std::function<void()>& action) {
          const std::optional<Error> error = thrown(action);
          const std::string text = error ? error->what() : "nothing was thrown";
          EXPECT_EQ(error.has_value(), refuses) << name_of(method) << ", " << odd.name << ", " << name << ": " << text;
          if (!refuses || !error) return;
          EXPECT_EQ(error->kind(), ErrorKind::data);
          for (const char* part : {"spectrum", "row 257"}) EXPECT_NE(text.find(part), std::string::npos) << text;
        };
        Said sink;
        Clusterer whole(options);
        verb("fit", [&] { whole.fit(*make_table_source(rows.schema, chunk), sink); });
        verb("once", [&] { whole.fit(*make_once_source(make_table_source(rows.schema, chunk)), sink); });
        Clusterer model(options);
        model.fit(*make_table_source(rows.schema, part_of(rows, odd.forms(), 0, kLearned)), sink);
        verb("assign", [&] { model.assign(part_of(rows, odd.forms(), kLearned, kRows - kLearned)); });
      }
    }
  }
}

}  // namespace
}  // namespace omvc
