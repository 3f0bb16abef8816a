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

struct StoredClusters {
  Cut cut;
  Names names;
  bool round = false;
};

StoredClusters get_clusters(const Archive& archive) {
  const std::vector<Index>& group = archive.integers("clusters/group");
  const std::vector<Index>& numbers = archive.integers("clusters/numbers");
  const std::vector<Index>& state = archive.integers("clusters/state");
  const auto in = [](Index value, Index limit) { return value >= 0 && value < limit; };
  bool sound = state.size() == 2 && in(state[0], std::numeric_limits<int>::max());
  for (const Index g : group) sound = sound && in(g, static_cast<Index>(numbers.size()));
  for (const Index n : numbers) sound = sound && in(n, state.empty() ? 0 : state[0]);
  sound = sound && std::set<Index>(numbers.begin(), numbers.end()).size() == numbers.size();
  if (!sound) throw Error(ErrorKind::data, "the model's clusters make no sense");
  StoredClusters out{.names = Names({numbers.begin(), numbers.end()}, static_cast<int>(state[0])),
                     .round = state[1] != 0};
  out.cut.group.assign(group.begin(), group.end());
  out.cut.count = static_cast<int>(numbers.size());
  out.cut.found_by = archive.text("clusters/found_by");
  out.cut.worth = archive.numbers("clusters/worth", {0, 1});
  if (archive.has("calibration/models")) out.cut.calibration = Calibration::load(archive, "calibration");
  if (archive.has("choice/clusters")) out.cut.choice = get_choice(archive);
  return out;
}

}  // namespace

void Model::save(Archive& archive, Kept kept) const {
  const bool whole = kept == Kept::whole;
  archive.put("living/clock",
              std::vector<double>{tally_.instances, tally_.built_at, tally_.strangers, whole ? 0.0 : 1.0});
  archive.put("living/squares", prototypes_.squares);
  const std::vector<double>& quantum = placing().rule().quantum;
  archive.put("living/quantum", quantum.empty() ? std::vector<double>(intake_->schema().views.size(), 1) : quantum);
  archive.put("clusters/group", wide(cut_.group));
  archive.put("clusters/numbers", wide(names_.numbers()));
  archive.put("clusters/state", std::vector<Index>{names_.next(), cut_.round.has_value()});
  archive.put("clusters/found_by", cut_.found_by);
  archive.put("clusters/worth", cut_.worth);
  cut_.calibration.save(archive, "calibration");
  if (!tally_.sizes.empty()) archive.put("clusters/sizes", tally_.sizes);
  if (cut_.choice) put_choice(archive, *cut_.choice);
  if (prototypes_.factors) prototypes_.factors->state().save(archive, "factors/", false);
  if (cut_.votes) cut_.votes->save(archive, "votes", kept != Kept::predictor);
  if (cut_.round) cut_.round->save(archive, "coarse", whole);
  if (prototypes_.size() > 0 && (whole || !cut_.round)) prototypes_.fine.save(archive, "fine", whole);
  if (!whole) {
    put_kinds(archive, "living/kinds", intake_->kinds());
    if (const std::shared_ptr<const Ranges> known = ranges()) known->save(archive, "ranges");
    return;
  }
  seen_.save(archive, intake_->schema());
  if (refresh_due_) archive.put("living/due", 1.0);
  names_.history().save(archive, "history");
}

Model Model::load(const Archive& archive, const Options& options, const Schema& schema,
                  std::vector<ViewScaling> scaling, std::vector<Index> negatives) {
  const Vector clock = archive.vector("living/clock", 4, kCount);
  const bool whole = clock(3) == 0;
  check_widths(archive, schema, whole);
  Model model(options, schema);
  model.tally_ = {.instances = clock(0),
                  .built_at = clock(1),
                  .strangers = clock(2),
                  .negatives = std::move(negatives),
                  .sizes = {}};
  model.predictor_ = !whole;
  StoredClusters stored = get_clusters(archive);
  model.cut_ = std::move(stored.cut);
  model.names_ = std::move(stored.names);
  if (archive.has("clusters/sizes")) {
    const Vector sizes = archive.vector("clusters/sizes", model.cut_.count, kCount);
    model.tally_.sizes.assign(sizes.begin(), sizes.end());
  }
  if (whole) model.seen_ = Seen::load(archive, options, schema);
  model.intake_ = std::make_shared<const Intake>(
      schema, std::move(scaling),
      whole ? kinds_of(model.seen_.survey()) : get_kinds(archive, "living/kinds", schema.views.size()),
      options.scaling);
  model.load_prototypes(archive, stored.round);
  if (!whole) {
    model.kept_ranges_ = std::make_shared<const Ranges>(Ranges::load(archive, "ranges", schema));
    return model;
  }
  model.names_.set_history(History::load(archive, "history"));
  model.refresh_due_ = archive.has("living/due");
  return model;
}

void Model::load_prototypes(const Archive& archive, bool round) {
  const Schema& schema = intake_->schema();
  const auto views = static_cast<Index>(schema.views.size());
  const Vector squares = archive.vector("living/squares", views, kNonnegative);
  const Vector quantum = archive.vector("living/quantum", views, {1e-150, 1e150});
  prototypes_.squares.assign(squares.begin(), squares.end());
  const BuildInput input = build_input();
  FineRule rule{.direction = input.unit_rows, .quantum = {quantum.begin(), quantum.end()}, .near = recipe_.near};
  if (archive.has("factors/state/scale")) {
    prototypes_.factors = std::make_shared<const Factorisation>(
        seed_options(by_direction(input.unit_rows, recipe_), options_.seed, recipe_),
        State::load(archive, schema, "factors/"));
  }
  const bool has_round = archive.has("coarse/mass");
  if (round && has_round) cut_.round = FinePrototypes::load(archive, "coarse", schema, rule, !predictor_);
  rule.direction.assign(rule.direction.size(), false);
  if (archive.has("fine/mass")) prototypes_.fine = FinePrototypes::load(archive, "fine", schema, rule, !predictor_);
  if (archive.has("votes/prototypes")) {
    Compute compute;
    cut_.votes = std::make_shared<const Votes>(
        Votes::load(archive, "votes", schema, *prototypes_.fine.table(), cut_.count, recipe_, compute));
  }
  // A stream may be saved before there were rows enough for prototypes.
  const bool built = prototypes_.factors && placing().size() > 0 && (predictor_ || prototypes_.size() > 0);
  const bool complete = built ? cut_.count > 0 : placing().size() == 0 && !predictor_ && cut_.count == 0;
  if (!complete || round != has_round || static_cast<Index>(cut_.group.size()) != placing().size()) {
    throw Error(ErrorKind::data, "the model's prototypes do not fit its clusters");
  }
}

}  // namespace omvc
