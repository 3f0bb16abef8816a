// A model as entries of an archive, and back.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "omvc/error.hpp"

#include "fine/seeds.hpp"
#include "model/model.hpp"
#include "scale/survey_blocks.hpp"

namespace omvc {
namespace {

// Rows of the sample lie within what the survey has seen, which its scaling is made for.
void check_sample(const Block& block, const ViewSurvey& survey, const std::string& name) {
  std::visit(
      [&](const auto& X) {
        for (std::size_t e = 0; e < X.values.size(); ++e) {
          std::size_t j = e % static_cast<std::size_t>(X.cols);
          if constexpr (requires { X.offsets; }) j = static_cast<std::size_t>(X.columns[e]);
          const auto x = static_cast<double>(X.values[e]);
          if (!(x < survey.minimum[j] || x > survey.maximum[j])) continue;
          throw Error(ErrorKind::data,
                      fmt::format("the model's sample of view {} holds a value that it never saw", name));
        }
      },
      block);
}

// The schema is a claim of the file, and memory is taken for the widths that it states: the file holds numbers for
// every feature, or it is refused before.
void check_widths(const Archive& archive, const Schema& schema, bool whole) {
  const char* part = whole ? "survey" : archive.has("coarse/mass") ? "coarse" : "fine";
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string key = fmt::format("{}/view{}/{}", part, v, whole ? "minimum" : "prototypes");
    const auto held = static_cast<Index>(archive.numbers(key).size());
    if (held >= schema.views[v].features) continue;
    throw Error(ErrorKind::data, fmt::format("view {} has {} features, and the model knows of {} at most",
                                             schema.views[v].name, schema.views[v].features, held));
  }
}

void put_choice(Archive& archive, const ClusterChoice& choice) {
  std::vector<double> signs;
  for (const KSigns& k : choice.signs) signs.insert(signs.end(), {static_cast<double>(k.clusters), k.gap, k.agreement});
  archive.put("choice/clusters", std::vector<Index>{choice.clusters, choice.clear});
  archive.put("choice/verdict", choice.verdict);
  archive.put("choice/eigenvalues", choice.eigenvalues);
  archive.put("choice/signs", signs);
}

ClusterChoice get_choice(const Archive& archive) {
  const std::vector<Index>& clusters = archive.integers("choice/clusters");
  const std::vector<double>& signs = archive.numbers("choice/signs");
  constexpr Index kMostClusters = 1 << 20;
  bool sound = clusters.size() == 2 && signs.size() % 3 == 0 && clusters[0] >= 0 && clusters[0] <= kMostClusters;
  for (std::size_t i = 0; sound && i < signs.size(); i += 3) sound = signs[i] >= 0 && signs[i] <= double{kMostClusters};
  if (!sound) {
    throw Error(ErrorKind::data, "what the model says of its number of clusters makes no sense");
  }
  ClusterChoice choice{.clusters = static_cast<int>(clusters[0]),
                       .clear = clusters[1] != 0,
                       .verdict = archive.text("choice/verdict"),
                       .eigenvalues = archive.numbers("choice/eigenvalues"),
                       .signs = {}};
  for (std::size_t i = 0; i < signs.size(); i += 3) {
    choice.signs.push_back({static_cast<int>(signs[i]), signs[i + 1], signs[i + 2]});
  }
  return choice;
}

std::vector<Index> wide(const std::vector<int>& values) { return {values.begin(), values.end()}; }

Clusters get_clusters(const Archive& archive) {
  Clusters out;
  const std::vector<Index>& group = archive.integers("clusters/group");
  const std::vector<Index>& numbers = archive.integers("clusters/numbers");
  const std::vector<Index>& state = archive.integers("clusters/state");
  const auto in = [](Index value, Index limit) { return value >= 0 && value < limit; };
  bool sound = state.size() == 2 && in(state[0], std::numeric_limits<int>::max());
  for (const Index g : group) sound = sound && in(g, static_cast<Index>(numbers.size()));
  for (const Index n : numbers) sound = sound && in(n, state.empty() ? 0 : state[0]);
  sound = sound && std::set<Index>(numbers.begin(), numbers.end()).size() == numbers.size();
  if (!sound) throw Error(ErrorKind::data, "the model's clusters make no sense");
  out.group.assign(group.begin(), group.end());
  out.numbers.assign(numbers.begin(), numbers.end());
  out.next = static_cast<int>(state[0]);
  out.refined = state[1] != 0;
  out.found_by = archive.text("clusters/found_by");
  return out;
}

}  // namespace

void Model::save(Archive& archive, bool whole) const {
  archive.put("living/clock", std::vector<double>{clock_, built_at_, strangers_, whole ? 0.0 : 1.0});
  archive.put("living/squares", squares_);
  archive.put("living/quantum", quantum_);
  archive.put("clusters/group", wide(clusters_.group));
  archive.put("clusters/numbers", wide(clusters_.numbers));
  archive.put("clusters/state", std::vector<Index>{clusters_.next, clusters_.refined});
  archive.put("clusters/found_by", clusters_.found_by);
  if (!sizes_.empty()) archive.put("clusters/sizes", sizes_);
  if (choice_) put_choice(archive, *choice_);
  if (factors_) factors_->state().save(archive, "factors/", false);
  if (clusters_.refined) coarse_.save(archive, "coarse", whole);
  if (fine_.size() > 0 && (whole || !clusters_.refined)) fine_.save(archive, "fine", whole);
  if (!whole) return;
  put_survey(archive, "survey", survey_);
  reservoir_.save(archive, "reservoir");
  history_.save(archive, "history");
}

Model Model::load(const Archive& archive, const Options& options, const Schema& schema,
                  std::vector<ViewScaling> scaling, std::vector<Index> clipped) {
  const Vector clock = archive.vector("living/clock", 4, kCount);
  check_widths(archive, schema, clock(3) == 0);
  Model model(options, schema);
  model.scaling_ = std::move(scaling);
  model.clipped_ = std::move(clipped);
  model.clock_ = clock(0);
  model.built_at_ = clock(1);
  model.strangers_ = clock(2);
  model.predictor_ = clock(3) != 0;
  const auto views = static_cast<Index>(schema.views.size());
  const Vector squares = archive.vector("living/squares", views, kNonnegative);
  const Vector quantum = archive.vector("living/quantum", views, {1e-150, 1e150});
  model.squares_.assign(squares.begin(), squares.end());
  model.quantum_.assign(quantum.begin(), quantum.end());
  model.clusters_ = get_clusters(archive);
  if (archive.has("clusters/sizes")) {
    const Vector sizes = archive.vector("clusters/sizes", model.clusters_.count(), kCount);
    model.sizes_.assign(sizes.begin(), sizes.end());
  }
  if (archive.has("choice/clusters")) model.choice_ = get_choice(archive);
  if (archive.has("factors/state/scale")) {
    model.factors_.emplace(seed_options(model.by_direction(), options.seed), State::load(archive, schema, "factors/"));
  }
  const bool whole = !model.predictor_;
  FineRule means = model.rule();
  means.direction.assign(means.direction.size(), false);
  if (archive.has("coarse/mass")) model.coarse_ = FinePrototypes::load(archive, "coarse", schema, model.rule(), whole);
  if (archive.has("fine/mass")) model.fine_ = FinePrototypes::load(archive, "fine", schema, means, whole);
  // A stream may be saved before there were rows enough for prototypes.
  const bool built = model.factors_ && model.placing().size() > 0 && (model.predictor_ || model.fine_.size() > 0);
  const bool complete = built ? model.has_clusters() : !model.built() && !model.predictor_ && !model.has_clusters();
  const bool missing = model.clusters_.refined && model.coarse_.size() == 0;
  if (!complete || missing || static_cast<Index>(model.clusters_.group.size()) != model.placing().size()) {
    throw Error(ErrorKind::data, "the model's prototypes do not fit its clusters");
  }
  if (model.predictor_) return model;
  model.survey_ = get_survey(archive, "survey", schema);
  model.survey_.totals = wants_totals(options);
  model.history_ = History::load(archive, "history");
  model.reservoir_ = Reservoir::load(archive, "reservoir", schema, reservoir_options(options));
  for (const Chunk& rows : model.reservoir_.chunks()) {
    for (std::size_t v = 0; v < schema.views.size(); ++v) {
      check_sample(rows.views[v].block, model.survey_.views[v], schema.views[v].name);
    }
  }
  return model;
}

}  // namespace omvc
