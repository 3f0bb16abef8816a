// The same rows say the same to every verb that labels, however they are delivered.
#include <gtest/gtest.h>

#include "support/awkward_rows.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::AwkwardRows;
using test::Form;
using test::said;
using test::Said;

constexpr Index kLearned = 240;
constexpr double kBeyond = 0.01;  // MB: less than the rows take

// How views are learned, and by which scaling.
struct Learned {
  std::string name;
  Scaling scaling;
  std::vector<Form> forms;
  double low = -3;  // of the spectrum
  bool counts = false;
};

AwkwardRows rows_of(const Learned& how, Index n, std::uint64_t seed) {
  AwkwardRows rows = test::awkward_rows(n, seed, how.low);
  if (!how.counts) return rows;
  for (Matrix& X : rows.views) X = X.unaryExpr([](double x) { return std::floor(std::expm1(x)); });
  return rows;
}

const std::vector<Learned>& all_learned() {
  static const std::vector<Learned> kAll{
      {"auto, as they are", Scaling::automatic, {Form::dense_double, Form::csr_double}},
      {"auto, floats", Scaling::automatic, {Form::dense_float, Form::csr_float}},
      {"auto, all dense", Scaling::automatic, {Form::dense_double}},
      {"auto, all sparse", Scaling::automatic, {Form::csr_float}},
      {"variance, dense", Scaling::variance, {Form::dense_float}},
      {"variance, sparse", Scaling::variance, {Form::csr_double}, 0},
      {"minmax", Scaling::minmax, {Form::dense_double, Form::csr_double}},
      {"total", Scaling::total, {Form::dense_double, Form::csr_double}},
      {"none", Scaling::none, {Form::dense_double, Form::csr_double}, 0},
      {"none, floats the other way", Scaling::none, {Form::csr_float, Form::dense_float}, 0},
      {"l2", Scaling::l2, {Form::csr_double, Form::dense_double}},
      {"tfidf", Scaling::tfidf, {Form::dense_double, Form::csr_double}},
      {"clr", Scaling::clr, {Form::dense_double, Form::csr_double}, 0, true},
      {"clr, floats the other way", Scaling::clr, {Form::csr_float, Form::dense_float}, 0, true},
  };
  return kAll;
}

// What every verb that labels says of the rows, by name.
std::vector<std::pair<std::string, Said>> said_by_all(const Clusterer& model, const AwkwardRows& rows,
                                                      const std::vector<Form>& forms) {
  std::vector<std::pair<std::string, Said>> out;
  Observer silent;
  const Chunk chunk = rows.chunk(forms);
  out.emplace_back("assign", said(model.assign(chunk)));
  for (const Index size : {1, 7, 1000}) {
    Said sink;
    model.assign(*make_table_source(rows.schema, chunk), sink, silent, size);
    out.emplace_back("assign of a source", std::move(sink));
  }
  const test::TempDir dir;
  for (const ModelKind kind : {ModelKind::whole, ModelKind::prediction}) {
    const std::string name = kind == ModelKind::whole ? "whole" : "for prediction";
    model.save(dir.path("model"), kind);
    out.emplace_back("loaded " + name, said(Clusterer::load(dir.path("model")).assign(chunk)));
    out.emplace_back("bytes " + name, said(Clusterer::from_bytes(model.to_bytes(kind)).assign(chunk)));
    StreamOptions options{.file = dir.path("model"), .model = {}};
    options.learn = false;
    Stream stream(options);
    Said pushed;
    for (Index first = 0; first < chunk.size(); first += 11) {
      const Chunk part = test::part_of(chunk, first, std::min<Index>(11, chunk.size() - first));
      const StreamLabels found = stream.push(part, std::vector<std::string>(part.rows.size(), "0"));
      EXPECT_TRUE(found.refused.empty());
      pushed.labels.insert(pushed.labels.end(), found.labels.begin(), found.labels.end());
      Said::add(found.confidence, pushed.confidence);
      Said::add(found.distance, pushed.distance);
    }
    if (out.front().second.confidence.empty()) pushed.confidence = pushed.distance = {};  // of a method without them
    out.emplace_back("stream " + name, std::move(pushed));
  }
  return out;
}

// What assign says of the rows. A model for prediction has no rows whose neighbours vote: its verbs agree with each
// other.
struct Expected {
  Expected(const Clusterer& model, const Chunk& rows)
      : whole(said(model.assign(rows))),
        predicted(said(Clusterer::from_bytes(model.to_bytes(ModelKind::prediction)).assign(rows))) {}
  const Said& by(const std::string& verb) const { return verb.ends_with("for prediction") ? predicted : whole; }
  Said whole;
  Said predicted;
};

// Every verb and each of the forms says what assign says of the rows in the form that is named first.
void expect_same(const Clusterer& model, const AwkwardRows& rows, const std::vector<Form>& forms,
                 const std::string& name) {
  const Expected expected(model, rows.chunk({forms.front()}));
  ASSERT_EQ(expected.whole.labels.size(), static_cast<std::size_t>(rows.rows()));
  for (const Form form : forms) {
    for (const auto& [verb, found] : said_by_all(model, rows, {form})) {
      const std::string other = test::difference(found, expected.by(verb));
      EXPECT_EQ(other, "") << name << ", form " << static_cast<int>(form) << ": " << verb;
      if (!other.empty()) break;  // the other verbs of this form say no more
    }
  }
}

Clusterer fitted(const Learned& how, double memory = 64) {
  Options options = test::awkward_options(how.scaling);
  options.memory = memory;
  Clusterer model(options);
  Said sink;
  model.fit(*rows_of(how, kLearned, 5).source(how.forms), sink);
  return model;
}

TEST(SameRow, DenseOrSparseAllVerbsSayTheSame) {
  for (const Learned& how : all_learned()) {
    const AwkwardRows rows = rows_of(how, 70, 9);
    for (const double memory : {64.0, kBeyond}) {
      const Clusterer model = fitted(how, memory);
      expect_same(model, rows, {Form::dense_double, Form::csr_double}, how.name);
      expect_same(model, rows, {Form::dense_float, Form::csr_float}, how.name);
    }
  }
}

// Rows are scaled in the precision that they come in, which shows in the last bits of a distance and in nothing else.
TEST(SameRow, SingleOrDoublePrecisionAllVerbsSayTheSame) {
  for (const Learned& how : all_learned()) {
    const Clusterer model = fitted(how);
    const AwkwardRows rows = rows_of(how, 70, 9);
    for (const auto& [wide, narrow] :
         {std::pair{Form::dense_double, Form::dense_float}, std::pair{Form::csr_double, Form::csr_float}}) {
      const Assignment one = model.assign(rows.chunk({wide}));
      const Assignment other = model.assign(rows.chunk({narrow}));
      EXPECT_EQ(one.labels, other.labels) << how.name;
      for (std::size_t i = 0; i < one.distance.size(); ++i) {
        if (std::isnan(one.distance[i])) continue;
        EXPECT_NEAR(one.distance[i], other.distance[i], 1e-5 * (1 + one.distance[i])) << how.name << ", row " << i;
        EXPECT_NEAR(one.confidence[i], other.confidence[i], 2.0 / 4096) << how.name << ", row " << i;
      }
      expect_same(model, rows, {narrow}, how.name);
    }
  }
}

// In the sample or beyond it, rows of a fit are labelled as the model then labels them.
TEST(SameRow, AFitSaysOfItsRowsWhatItsModelSays) {
  for (const Learned& how : all_learned()) {
    for (const double memory : {64.0, kBeyond}) {
      const AwkwardRows rows = rows_of(how, kLearned, 5);
      Options options = test::awkward_options(how.scaling);
      options.memory = memory;
      Clusterer model(options);
      Said sink;
      const Report report = model.fit(*rows.source(how.forms), sink);
      EXPECT_EQ(report.sampled, memory < 1);
      EXPECT_EQ(test::difference(said(model.assign(rows.chunk(how.forms))), sink), "") << how.name << ", " << memory;
      // Parts of a plan, whole or divided, and what its task says of other rows.
      const Plan plan(options, rows.schema);
      for (const Index parts : {1, 3}) {
        Said labelled;
        std::string task;
        const std::string bytes = test::planned(plan, rows.chunk(how.forms), parts, labelled, &task);
        EXPECT_EQ(test::difference(labelled, sink), "") << how.name << ", " << parts << " parts";
        EXPECT_TRUE(bytes == model.to_bytes()) << how.name << ", " << parts << " parts";
        for (const std::vector<Form>& forms : {how.forms, {Form::dense_double}, {Form::csr_double}}) {
          const AwkwardRows others = rows_of(how, 70, 9);
          Said other;
          Observer silent;
          plan.label(task, *others.source(forms), 0, other, silent);
          EXPECT_EQ(test::difference(other, said(model.assign(others.chunk(forms)))), "")
              << how.name << ", " << memory << " MB, " << parts << " parts, form " << static_cast<int>(forms[0]);
        }
      }
    }
  }
}

TEST(SameRow, OneFormOrAnotherTheModelIsTheSame) {
  for (const Learned& how : all_learned()) {
    const AwkwardRows rows = rows_of(how, kLearned, 5);
    // The kind of the first chunk counts: later ones may come otherwise.
    std::vector<std::string> models;
    for (const bool mixed : {false, true}) {
      Clusterer model(test::awkward_options(how.scaling));
      for (Index first = 0; first < kLearned; first += 60) {
        std::vector<Form> forms = how.forms;
        for (Form& form : forms) {
          const bool sparse = form == Form::csr_double || form == Form::csr_float;
          if (mixed && first > 0) form = sparse ? Form::dense_double : Form::csr_double;
          if (mixed && first == 0) form = sparse ? Form::csr_double : Form::dense_double;
          if (!mixed) form = sparse ? Form::csr_double : Form::dense_double;
        }
        Chunk chunk = test::part_of(rows.chunk(forms), first, 60);
        chunk.rows = test::iota(60, first);
        model.partial_fit(std::move(chunk), rows.schema);
      }
      models.push_back(model.to_bytes());
    }
    EXPECT_TRUE(models[0] == models[1]) << how.name;
  }
}

TEST(SameRow, SeveralRanksSayWhatOneSays) {
  const AwkwardRows rows = test::awkward_rows(8500, 5);  // more than a block: two ranks have rows
  for (const double memory : {64.0, 0.1}) {
    Options options = test::awkward_options(Scaling::automatic);
    options.memory = memory;
    Clusterer alone(options);
    Said expected;
    alone.fit(*rows.source({Form::dense_double, Form::csr_float}), expected);
    const std::vector<std::string> failures = test::run_ranks(3, [&](Exchange& exchange) {
      Clusterer model(options);
      Said sink;
      model.fit(*rows.source({Form::dense_double, Form::csr_float}), sink, {.exchange = &exchange});
      if (exchange.rank() > 0) return;
      EXPECT_EQ(test::difference(sink, expected), "") << memory;
      EXPECT_TRUE(model.to_bytes() == alone.to_bytes()) << memory;
    });
    for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  }
}

TEST(SameRow, ModelsOfComparisonMethodsTakeRowsInAnyForm) {
  for (const Algorithm method : {Algorithm::masked_kmeans, Algorithm::omvc_paper, Algorithm::opimc}) {
    Options options = method_options(method);
    options.clusters = 3;
    options.threads = 1;
    for (const std::vector<Form>& forms : {std::vector{Form::dense_double, Form::csr_double}, {Form::dense_double}}) {
      Clusterer model(options);
      Said sink;
      model.fit(*test::awkward_rows(kLearned, 5).source(forms), sink);
      const AwkwardRows rows = test::awkward_rows(70, 9);
      expect_same(model, rows, {Form::dense_double, Form::csr_double}, std::string(name_of(method)));
    }
  }
}

// A view that no row had when the model was made says nothing, whatever it holds.
TEST(SameRow, AViewThatWasNeverSeenSaysNothing) {
  Clusterer model(test::awkward_options(Scaling::automatic));
  const AwkwardRows learned = test::awkward_rows(kLearned, 5, -3, true);
  model.partial_fit(learned.chunk({Form::dense_double, Form::csr_double, Form::dense_double}), learned.schema);
  const AwkwardRows without = test::awkward_rows(70, 9, -3, true);
  const Expected expected(model, without.chunk({Form::dense_double}));
  AwkwardRows with = without;
  for (Index i = 0; i < 70; i += 2) {
    if (i % 20 != 0) with.present[2].push_back(i);  // those without any view stay without
  }
  with.views[2](2, 0) = -1e139;
  for (const Form form : {Form::dense_double, Form::csr_double}) {
    for (const auto& [verb, found] : said_by_all(model, with, {form})) {
      EXPECT_EQ(test::difference(found, expected.by(verb)), "") << verb;
    }
    EXPECT_EQ(model.impute(with.chunk({form}), 1).values.size(), 70u * 30u);
    test::expect_error(ErrorKind::data, {"late", "never seen"}, [&] { model.impute(with.chunk({form}), 2); });
  }
}

// The zeros of a sparse row are within the range of a dense view, and what they say must be used.
TEST(SameRow, ImputeGivesTheSameNumbersInAnyForm) {
  for (const Learned& how : all_learned()) {
    const Clusterer model = fitted(how);
    const AwkwardRows rows = rows_of(how, 70, 9);
    for (std::size_t view = 0; view < 2; ++view) {
      const std::vector<double> expected = model.impute(rows.chunk({Form::dense_double}), view).values;
      const auto d = static_cast<std::size_t>(rows.views[view].cols());
      for (const Form form : {Form::dense_double, Form::csr_double}) {
        const std::vector<double> found = model.impute(rows.chunk({form}), view).values;
        std::vector<std::uint64_t> bits[2];
        Said::add(expected, bits[0]);
        Said::add(found, bits[1]);
        EXPECT_EQ(bits[0], bits[1]) << how.name << ", view " << view;
        for (const Index row : rows.present[view]) {
          for (std::size_t j = 0; j < d; ++j) {
            const double cell = rows.views[view](row, static_cast<Index>(j));
            const double given = found[static_cast<std::size_t>(row) * d + j];
            EXPECT_TRUE(std::isnan(cell) ? std::isfinite(given) : given == cell) << "what is observed is given back";
          }
        }
      }
      for (std::size_t j = 0; j < d; ++j) EXPECT_TRUE(std::isnan(expected[j])) << "row 0 has no view";
    }
  }
}

}  // namespace
}  // namespace omvc
