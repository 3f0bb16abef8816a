#include "model/model.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"

namespace omvc {

Model::Model(const Options& options, const Schema& schema)
    : options_(options),
      recipe_(parse_recipe(options.recipe)),
      schema_(schema),
      survey_(schema, wants_totals(options)),
      reservoir_(schema, reservoir_options(options)) {
  const std::size_t views = schema.views.size();
  if (views == 0) throw Error(ErrorKind::data, "the data have no views");
  intake_ = std::make_shared<const Intake>(schema, std::vector<ViewScaling>(views),
                                           std::vector<Intake::Kind>(views, Intake::Kind::unseen), options.scaling);
  prototypes_.squares.assign(views, 0);
  tally_.negatives.assign(views, 0);
}

void Model::take(Look look, Compute& compute) {
  look.settle(compute);
  survey_ = look.survey.sum();
  reservoir_ = std::move(look.sample);
  tally_.instances = static_cast<double>(look.instances);
  follow_survey();
}

void Model::follow_survey() {
  std::vector<Intake::Kind> kinds = kinds_of(survey_);
  if (kinds == intake_->kinds()) return;
  intake_ = std::make_shared<const Intake>(intake_->schema(), intake_->scaling(), std::move(kinds), options_.scaling);
}

void Model::choose_scaling(const std::vector<Chunk>& rows) {
  const Schema& schema = schema_;
  intake_ = std::make_shared<const Intake>(schema,
                                           choose_scalings(options_.scaling, schema, survey_, rows, intake_->scaling()),
                                           kinds_of(survey_), options_.scaling);
}

void Model::widen(const Schema& wider) {
  if (prototypes_.factors) {
    throw Error(ErrorKind::usage, "a model that has prototypes gets no more views or features");
  }
  const std::size_t views = wider.views.size();
  schema_ = wider;
  survey_.widen(wider);
  reservoir_.widen(wider);
  set_aside_.widen(wider);
  intake_ = std::make_shared<const Intake>(wider, std::vector<ViewScaling>(views), kinds_of(survey_), options_.scaling);
  prototypes_.squares.resize(views, 0);
  tally_.negatives.resize(views, 0);
}

void Model::add_features(const std::vector<std::vector<std::string>>& names) {
  for (std::size_t v = 0; v < names.size(); ++v) {
    ViewSchema& view = schema_.views[v];
    view.feature_names.insert(view.feature_names.end(), names[v].begin(), names[v].end());
    view.features += static_cast<Index>(names[v].size());
  }
  survey_.widen(schema_);
  reservoir_.widen(schema_);
  set_aside_.widen(schema_);
}

void Model::forget_new_features() {
  schema_ = intake_->schema();
  survey_.narrow(schema_);
  reservoir_.narrow_to(schema_);
  set_aside_.narrow(schema_);
}

Placer::Parts Model::placer_parts(const Cut& cut, std::vector<int> numbers) const {
  const FinePrototypes& by = cut.placing(prototypes_);
  return {.intake = intake_,
          .table = by.table(),
          .factors = prototypes_.factors,
          .near = by.rule().near,
          .beyond = by.beyond(),
          .usual = by.sums().usual_distances(),
          .group = cut.group,
          .votes = cut.votes,
          .calibration = cut.calibration,
          .numbers = std::move(numbers)};
}

std::shared_ptr<const Placer> Model::placer() const {
  if (cut_.count == 0) return nullptr;
  return std::make_shared<const Placer>(placer_parts(cut_, names_.numbers()));
}

const RowGraphs& Model::graphs(Compute& compute) {
  if (!graphs_) graphs_ = row_graphs(prototypes_, *sample_, rows_, build_input(), recipe_, compute);
  return *graphs_;
}

std::vector<Chunk> Model::rows_as_they_came(Compute& compute) const {
  const bool since = tally_.instances != built_at_;
  if (predictor_ || since || !cut_.votes || !cut_.votes->has_rows()) return {};
  return reservoir_.pieces(recipe_.piece_rows, compute, cut_.votes->table().size());
}

const Sample& Model::sample(Compute& compute) {
  if (!sample_) take_sample(raw_pieces(compute), compute);
  return *sample_;
}

std::vector<Chunk> Model::raw_pieces(Compute& compute) const { return reservoir_.pieces(recipe_.piece_rows, compute); }

void Model::take_sample(std::vector<Chunk> pieces, Compute& compute) {
  std::vector<std::vector<Index>> negatives(pieces.size());
  for_pieces(pieces.size(), compute, [&](std::size_t p, Compute&) { negatives[p] = intake_->prepare(pieces[p]); });
  if (reservoir_.whole()) {
    tally_.negatives.assign(intake_->schema().views.size(), 0);
    for (const std::vector<Index>& of_piece : negatives) {
      for (std::size_t v = 0; v < of_piece.size(); ++v) tally_.negatives[v] += of_piece[v];
    }
  }
  sample_.emplace(std::move(pieces));
  rows_ = {};
}

double Model::stands_for() const {
  return (survey_.instances - survey_.unobserved) / static_cast<double>(sample_->size());
}

BuildInput Model::build_input() const {
  BuildInput input{.schema = intake_->schema(),
                   .unit_rows = {},
                   .clusters = options_.clusters,
                   .rank = options_.rank,
                   .seed = options_.seed};
  for (const ViewScaling& view : intake_->scaling()) input.unit_rows.push_back(view.unit_rows);
  if (sample_) input.weight = stands_for();
  return input;
}

void Model::build(Compute& compute) {
  if (reservoir_.size() == 0) throw Error(ErrorKind::data, "no instance with at least one view was learned");
  rest();
  std::vector<Chunk> pieces = raw_pieces(compute);
  choose_scaling(pieces);
  take_sample(std::move(pieces), compute);
  prototypes_ = omvc::build(*sample_, build_input(), recipe_, rows_, compute);
  built_at_ = tally_.instances;
  strangers_ = 0;
}

void Model::need_rows(Compute& compute) {
  sample(compute);
  if (rows_.near.size() == sample_->pieces().size()) return;
  rows_ = look_again(*sample_, prototypes_, compute);
}

void Model::take(Counts counts, bool last, Compute& compute) {
  FinePrototypes& counted = mutable_placing();
  counted.take(std::move(counts.sums));
  counts.sizes.resize(static_cast<std::size_t>(cut_.count), 0.0);
  if (!last) return counted.settle(compute);
  // What is explained is that of all rows counted, and not of the sample alone.
  for (std::size_t v = 0; v < prototypes_.squares.size(); ++v) {
    prototypes_.squares[v] = counted.sums().mean_square(v);
  }
  names_.take(name_by_size(counts.sizes));
}

}  // namespace omvc
