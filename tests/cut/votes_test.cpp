#include "cut/votes.hpp"

#include <gtest/gtest.h>

#include "chunk/rows.hpp"
#include "support/archive_edits.hpp"
#include "support/chunks.hpp"
#include "support/made_cut.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

using test::MadeGraphs;
constexpr int kClusters = test::kPlantedClusters;

struct Voted : MadeGraphs {
  Voted(const PlantedOptions& options, const std::vector<std::string>& changes)
      : MadeGraphs(options, false, parse_recipe(changes), 2),
        cut(cut_rows(graphs, sample, kClusters, 7, recipe, {}, compute)),
        votes(graphs, cut, kClusters, recipe) {}

  const PrototypeTable& table() const { return *prototypes.fine.table(); }
  Near near(const PreparedChunk& chunk) {
    return find_near(chunk, table(), prototypes.fine.rule().near, prototypes.fine.beyond(), compute);
  }
  Matrix ask(const Votes& asked, const PreparedChunk& chunk) { return asked.of(chunk, near(chunk), compute); }
  // Instances that are not in the sample; one has no view.
  Chunk strangers() const {
    PlantedOptions more = data;
    more.instances += 200;
    const auto source = make_planted_source(more);
    const Chunk all = *source->next(more.instances);
    Chunk chunk = take_instances(all, test::iota(200, data.instances));
    for (ChunkView& view : chunk.views) {
      const std::vector<Index> present = view.present;
      std::vector<Index> kept;
      for (std::size_t i = 0; i < present.size(); ++i) {
        if (present[i] != 3) kept.push_back(static_cast<Index>(i));
      }
      view.block = take_rows(view.block, kept);
      std::erase(view.present, 3);
    }
    return chunk;
  }
  Votes loaded(const Archive& archive) {
    return Votes::load(archive, "votes", schema, table(), kClusters, recipe, compute);
  }

  RowCut cut;
  Votes votes;
};

std::vector<int> labels_of(const Matrix& votes) {
  std::vector<int> out;
  for (Index i = 0; i < votes.rows(); ++i) {
    Index best = 0;
    votes.row(i).maxCoeff(&best);
    out.push_back(static_cast<int>(best));
  }
  return out;
}

// Exact search, search in lists, and a sparse view beside a dense one.
std::vector<std::pair<PlantedOptions, std::vector<std::string>>> setups() {
  return {{test::planted_dense(), {}},
          {test::planted_dense(), {"exact_rows=300"}},
          {test::planted_mixed(), {"exact_rows=300"}},
          {test::planted_mixed(), {"third_cut=0"}}};
}

TEST(Votes, AddUpToOneAndFindPlantedClusters) {
  for (const auto& [options, changes] : setups()) {
    Voted made(options, changes);
    const Matrix rows = made.votes.of_rows().cast<double>();
    EXPECT_GE(rows.minCoeff(), 0);
    EXPECT_LT((rows.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_GT(made.nmi(labels_of(rows)), 0.9);
    const Chunk strangers = made.strangers();
    const Matrix others = made.ask(made.votes, PreparedChunk(strangers));
    EXPECT_TRUE((others.row(3).array() == 0).all()) << "an instance without any view";
    Contingency counts;
    for (Index i = 0; i < others.rows(); ++i) {
      if (i == 3) continue;
      EXPECT_NEAR(others.row(i).sum(), 1, 1e-12);
      Index best = 0;
      others.row(i).maxCoeff(&best);
      PlantedOptions more = made.data;
      more.instances += 200;
      counts.add(static_cast<int>(best), planted_label(more, strangers.rows[static_cast<std::size_t>(i)]));
    }
    EXPECT_GT(score(counts).nmi_geometric, 0.85);
  }
}

// By definition: one share of the prototypes and two of the neighbours, in every view and as its reader sees them.
RowVector plain_vote(Voted& made, const RowVector& prototypes, const std::vector<RowNeighbours>& found,
                     const std::vector<std::pair<std::size_t, Index>>& own) {
  RowVector neighbours = RowVector::Zero(kClusters);
  double sum = 0;
  for (std::size_t kind = 0; kind < found.size(); ++kind) {
    for (const auto& [v, row] : own) {
      const NearRows& near = found[kind].views[v];
      const double vote = (kind == 0 ? 1 : 2) * made.cut.readings[v].worth;
      const double width = near.distance(row, near.count - 1);
      RowVector one = RowVector::Zero(kClusters);
      for (Index j = 0; j < near.count; ++j) {
        one(made.cut.labels[static_cast<std::size_t>(near.id(row, j))]) += std::exp(-near.distance(row, j) / width);
      }
      neighbours += vote * one / one.sum();
      sum += vote;
    }
  }
  return (prototypes + 2 * neighbours / sum) / 3;
}

TEST(Votes, AreThoseOfTheDefinition) {
  Voted made(test::planted_dense(), {});
  const Index count = neighbours_for(made.graphs, kClusters, made.recipe);
  const Chunk strangers = made.strangers();
  const PreparedChunk chunk(strangers);
  const Near near = made.near(chunk);
  std::vector<RowNeighbours> found;
  found.push_back(find_rows(chunk, {}, {}, *made.graphs.table, {.count = count}, made.compute));
  // What the readers say is a chunk of its own.
  Chunk read{.rows = strangers.rows, .views = {}};
  for (std::size_t v = 0; v < 2; ++v) {
    const NarrowMatrix says = made.cut.readings[v].reader.says(chunk.views[v], made.compute);
    read.views.push_back({test::dense_block<float>(says.cast<double>()), strangers.views[v].present});
  }
  found.push_back(find_rows(PreparedChunk(read), {}, {}, *made.cut.said, {.count = count}, made.compute));
  const Matrix votes = made.votes.of(chunk, near, made.compute);
  const Matrix members = made.graphs.through->votes(made.cut.labels, kClusters);
  for (Index i = 0; i < chunk.size(); ++i) {
    if (i == 3) continue;
    std::vector<std::pair<std::size_t, Index>> own;
    for (std::size_t v = 0; v < 2; ++v) {
      const std::vector<Index>& present = chunk.present(v);
      const auto at = std::lower_bound(present.begin(), present.end(), i);
      if (at != present.end() && *at == i) own.emplace_back(v, at - present.begin());
    }
    RowVector prototypes = RowVector::Zero(kClusters);
    for (Index j = 0; j < near.count; ++j) prototypes += near.weight(i, j) * members.row(near.id(i, j));
    prototypes /= prototypes.sum();
    EXPECT_LT((made.votes.of(near, i) - prototypes).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((votes.row(i) - plain_vote(made, prototypes, found, own)).cwiseAbs().maxCoeff(), 1e-6) << "row " << i;
  }
}

// In lists neighbours are looked for in fewer of them than for the graphs: some are others.
TEST(Votes, ARowOfTheSampleThatIsAskedAgainGetsItsLabel) {
  for (const auto& [options, changes] : setups()) {
    Voted made(options, changes);
    const Matrix rows = made.votes.of_rows().cast<double>();
    const std::vector<int> labels = labels_of(rows);
    std::size_t at = 0;
    double same = 0;
    double far = 0;
    for (const PreparedChunk& piece : made.sample.pieces()) {
      const Matrix asked = made.ask(made.votes, piece);
      const std::vector<int> again = labels_of(asked);
      for (std::size_t i = 0; i < again.size(); ++i, ++at) {
        same += again[i] == labels[at] ? 1 : 0;
        far =
            std::max(far, (asked.row(static_cast<Index>(i)) - rows.row(static_cast<Index>(at))).cwiseAbs().maxCoeff());
      }
    }
    EXPECT_GE(same, (made.graphs.listed() ? 0.97 : 1) * static_cast<double>(at));
    if (!made.graphs.listed()) {
      EXPECT_LT(far, 1e-4);
    }
  }
}

TEST(Votes, PrototypesVoteAsTheirMembersAreLabelled) {
  const Voted made(test::planted_dense(), {});
  EXPECT_TRUE(made.votes.prototypes() == made.graphs.through->votes(made.cut.labels, kClusters));
  EXPECT_EQ(made.votes.group(), labels_of(made.votes.prototypes()));
  EXPECT_EQ(made.votes.clusters(), kClusters);
  for (std::size_t v = 0; v < 2; ++v) EXPECT_EQ(made.votes.worth()[v], made.cut.readings[v].worth);
}

TEST(Votes, SavedWithTheirRowsGiveTheSameBits) {
  for (const auto& [options, changes] : setups()) {
    Voted made(options, changes);
    Archive archive;
    made.votes.save(archive, "votes", true);
    const Votes loaded = made.loaded(Archive::from_bytes(archive.to_bytes(), "bytes"));
    EXPECT_TRUE(loaded.has_rows());
    EXPECT_EQ(loaded.worth(), made.votes.worth());
    const Chunk strangers = made.strangers();
    EXPECT_TRUE(made.ask(loaded, PreparedChunk(strangers)) == made.ask(made.votes, PreparedChunk(strangers)));
    const PreparedChunk& known = made.sample.pieces()[1];
    EXPECT_TRUE(made.ask(loaded, known) == made.ask(made.votes, known));
    Archive again;
    loaded.save(again, "votes", true);
    EXPECT_TRUE(again.to_bytes() == archive.to_bytes());
  }
}

TEST(Votes, SavedWithoutRowsReadersVoteThemselves) {
  for (const auto& [options, changes] : setups()) {
    Voted made(options, changes);
    Archive small;
    made.votes.save(small, "votes", false);
    const Votes loaded = made.loaded(small);
    EXPECT_FALSE(loaded.has_rows());
    std::vector<int> labels;
    for (const PreparedChunk& piece : made.sample.pieces()) {
      const Matrix votes = made.ask(loaded, piece);
      EXPECT_LT((votes.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
      const std::vector<int> own = labels_of(votes);
      labels.insert(labels.end(), own.begin(), own.end());
    }
    EXPECT_GT(made.nmi(labels), 0.9);
    Archive whole;
    made.votes.save(whole, "votes", true);
    EXPECT_LT(small.to_bytes().size(), whole.to_bytes().size());
  }
}

TEST(Votes, ADamagedArchiveIsRefused) {
  Voted made(test::planted_dense(), {"exact_rows=300"});
  Archive sound;
  made.votes.save(sound, "votes", true);
  const Index n = made.graphs.rows;
  const auto ones = [](Index count) { return std::vector<Index>(static_cast<std::size_t>(count), 1); };
  const auto refused = [&](const std::string& key, const auto& value) {
    SCOPED_TRACE(key);
    Archive archive = sound;
    archive.put("votes/" + key, value);
    test::expect_error(ErrorKind::data, {}, [&] { made.loaded(archive); });
  };
  const Index m = made.table().size();
  refused("prototypes", Matrix(Matrix::Zero(m, kClusters + 1)));
  refused("prototypes", Matrix(Matrix::Constant(m, kClusters, -0.5)));
  refused("prototypes", Matrix(Matrix::Constant(m, kClusters, test::kNan)));
  refused("worth", std::vector<double>{0.5});
  refused("worth", std::vector<double>{0.5, 2});
  refused("prior", std::vector<double>{1});
  for (const std::vector<Index>& neighbours : {std::vector<Index>{}, {0}, {1'000'000}, {5, 5}}) {
    refused("neighbours", neighbours);
  }
  refused("view1/reader", Matrix(Matrix::Zero(3, kClusters)));
  refused("view1/reader", Matrix(Matrix::Constant(8, kClusters, 1e30)));
  refused("view0/offset", std::vector<double>(kClusters + 1, 0.0));
  refused("labels", ones(n - 1));
  refused("labels", std::vector<Index>(static_cast<std::size_t>(n), kClusters));
  refused("labels", std::vector<Index>(static_cast<std::size_t>(n), -1));
  refused("clusters", ones(n + 1));
  refused("clusters", std::vector<Index>(static_cast<std::size_t>(n), kClusters));
  refused("distance", std::vector<double>(static_cast<std::size_t>(n), -1.0));
  refused("distance", std::vector<double>(static_cast<std::size_t>(n), test::kNan));
  refused("width", std::vector<double>(static_cast<std::size_t>(n), 0.0));
  refused("width", std::vector<double>{1});
  refused("near", ones(n));
  refused("near", std::vector<Index>(static_cast<std::size_t>(n * 5), m));
  refused("near", std::vector<Index>(static_cast<std::size_t>(n * 5), -1));
  refused("weights", Matrix(Matrix::Constant(n, 5, 2.0)));
  refused("weights", Matrix(Matrix::Constant(n, 5, test::kNan)));
  refused("weights", Matrix(Matrix::Zero(n, 40)));
  refused("rows/view0/kind", std::vector<Index>{7});
  refused("rows/view0/values", std::string("too short"));
  refused("rows/view0/present", ones(3));
  refused("rows/rows", test::iota(3));
  refused("said/view0/kind", std::vector<Index>{2});
  refused("said/view1/present", std::vector<Index>{});
  refused("said/rows", test::iota(n + 5));
}

TEST(Votes, AnyDamageIsRefusedOrHarmless) {
  Voted made(test::planted_mixed(), {"exact_rows=300"});
  Archive sound;
  made.votes.save(sound, "votes", true);
  const std::string bytes = sound.to_bytes();
  const Chunk strangers = made.strangers();
  int refused = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    test::ArchiveEditor editor(bytes, seed);
    ASSERT_TRUE(editor.edit());
    try {
      const Votes loaded = made.loaded(Archive::from_bytes(editor.bytes(), "edited"));
      const Matrix votes = made.ask(loaded, PreparedChunk(strangers));
      EXPECT_TRUE(votes.allFinite());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace omvc
