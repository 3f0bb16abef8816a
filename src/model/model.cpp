#include "model/model.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"

namespace omvc {

Model::Model(const Options& options, const Schema& schema)
    : options_(options), recipe_(parse_recipe(options.recipe)), seen_(schema, options) {
  const std::size_t views = schema.views.size();
  if (views == 0) throw Error(ErrorKind::data, "the data have no views");
  intake_ = std::make_shared<const Intake>(schema, std::vector<ViewScaling>(views),
                                           std::vector<Intake::Kind>(views, Intake::Kind::unseen), options.scaling);
  prototypes_.squares.assign(views, 0);
  tally_.negatives.assign(views, 0);
}

void Model::take(Look look, Compute& compute) {
  tally_.instances = static_cast<double>(look.instances);
  seen_.take(std::move(look), compute);
  follow_survey();
}

void Model::follow_survey() {
  std::vector<Intake::Kind> kinds = kinds_of(seen_.survey());
  if (kinds == intake_->kinds()) return;
  intake_ = std::make_shared<const Intake>(intake_->schema(), intake_->scaling(), std::move(kinds), options_.scaling);
}

void Model::choose_scaling(const std::vector<Chunk>& rows) {
  const Schema& schema = seen_.schema();
  intake_ = std::make_shared<const Intake>(
      schema, choose_scalings(options_.scaling, schema, seen_.survey(), rows, intake_->scaling()),
      kinds_of(seen_.survey()), options_.scaling);
}

std::vector<bool> Model::compressed() const {
  const Survey& survey = seen_.survey();
  std::vector<bool> out;
  for (std::size_t v = 0; v < survey.views.size(); ++v) {
    ViewScaling scaling = intake_->scaling()[v];
    if (!scaling.known && survey.views[v].observed > 0) {
      try {
        scaling = omvc::choose_scaling(of_view(options_.scaling, v), survey.views[v], intake_->schema().views[v]);
        scaling.log_ratios = false;  // which strange rows may make it look like
      } catch (const Error&) {
        scaling = {};
      }
    }
    out.push_back(scaling.unit_rows || scaling.log_ratios);
  }
  return out;
}

std::shared_ptr<const Ranges> Model::ranges() const {
  return predictor_ ? kept_ranges_ : std::make_shared<const Ranges>(seen_.survey(), compressed());
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
  Placer::Parts parts = placer_parts(cut_, names_.numbers());
  parts.ranges = ranges();
  return std::make_shared<const Placer>(std::move(parts));
}

const RowGraphs& Model::graphs(Compute& compute) {
  if (!graphs_) graphs_ = row_graphs(prototypes_, *sample_, rows_, build_input(), recipe_, compute);
  return *graphs_;
}

std::vector<Chunk> Model::rows_as_they_came(Compute& compute) const {
  const bool since = tally_.instances != tally_.built_at;
  if (predictor_ || since || !cut_.votes || !cut_.votes->has_rows()) return {};
  return seen_.reservoir().pieces(recipe_.piece_rows, compute, cut_.votes->table().size());
}

const Sample& Model::sample(Compute& compute) {
  if (!sample_) take_sample(raw_pieces(compute), compute);
  return *sample_;
}

std::vector<Chunk> Model::raw_pieces(Compute& compute) const {
  return seen_.reservoir().pieces(recipe_.piece_rows, compute);
}

void Model::take_sample(std::vector<Chunk> pieces, Compute& compute) {
  std::vector<std::vector<Index>> negatives(pieces.size());
  for_pieces(pieces.size(), compute, [&](std::size_t p, Compute&) { negatives[p] = intake_->prepare(pieces[p]); });
  if (seen_.reservoir().whole()) {
    tally_.negatives.assign(intake_->schema().views.size(), 0);
    for (const std::vector<Index>& of_piece : negatives) {
      for (std::size_t v = 0; v < of_piece.size(); ++v) tally_.negatives[v] += of_piece[v];
    }
  }
  sample_.emplace(std::move(pieces));
  rows_ = {};
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
  if (seen_.reservoir().size() == 0) throw Error(ErrorKind::data, "no instance with at least one view was learned");
  rest();
  std::vector<Chunk> pieces = raw_pieces(compute);
  choose_scaling(pieces);
  take_sample(std::move(pieces), compute);
  prototypes_ = omvc::build(*sample_, build_input(), recipe_, rows_, compute);
  tally_.built_at = tally_.instances;
  tally_.strangers = 0;
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
