#include "run/steps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "chunk/presence.hpp"
#include "model/facts.hpp"
#include "pass/first_look.hpp"
#include "pass/fit_base.hpp"
#include "run/counting.hpp"
#include "scale/columns.hpp"

namespace omvc {
namespace {

// Instances counted at a time, to which it makes no difference but in time: so few that several threads have work.
Index choose_chunk(const Survey& survey) {
  constexpr Index kFew = 50;
  constexpr Index kUsual = 256;  // unless they are very long
  constexpr Index kMost = 4000;
  constexpr double kBytes = 4 << 20;
  constexpr double kMostBytes = 16 << 20;
  const double row = std::max(bytes_of_row(survey), 1.0);
  const Index least = std::clamp(static_cast<Index>(kMostBytes / row), kFew, kUsual);
  return std::clamp(static_cast<Index>(kBytes / row), least, kMost);
}

// Where all data are in the sample, it is counted, and its only pass is over.
void count_sample(Fitting& fit, Compute& compute) {
  Model& model = *fit.model;
  StreamCounts& counts = fit.state.counts;
  for (const PreparedChunk& piece : model.sample(compute).pieces()) {
    for (std::size_t v = 0; v < piece.views.size(); ++v) counts.present[v] += piece.views[v].rows();
    counts.observed += std::count(piece.observed.begin(), piece.observed.end(), true);
  }
  fit.setting.clipped = model.tally().negatives;
  Report& report = fit.state.report;
  counts.instances = report.instances;
  PassReport pass{.pass = 1, .instances = report.instances, .chunks = 1};
  pass.error = pass.loss = report.loss = model.placing().sums().mean_distance();
  report.passes.push_back(pass);
}

// Rows as they are in the sample, whose precision shows in the last bits.
void match_precision(Chunk& chunk, const std::vector<Index>& single) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    Block& block = chunk.views[v].block;
    block = single[v] != 0 ? narrowed(std::move(block)) : widened(std::move(block));
  }
}

}  // namespace

void Fitting::put(Archive& archive, bool whole) const {
  put_fit_state(archive, setting, state);
  archive.put("living/passes", std::vector<Index>{passes});
  model->save(archive, whole ? Model::Kept::whole : Model::Kept::labelling);
}

void Fitting::get(const Archive& archive) {
  get_fit_state(archive, setting, state);
  const std::vector<Index>& stored = archive.integers("living/passes");
  if (stored.size() != 1 || (stored[0] != 0 && stored[0] != setting.options.passes)) {
    throw Error(ErrorKind::data, "the number of passes makes no sense");
  }
  passes = static_cast<int>(stored[0]);
  model.emplace(Model::load(archive, setting.options, setting.schema, setting.scaling, setting.clipped));
}

void Tally::merge(const Tally& other) {
  counts.merge(other.counts);
  progress += other.progress;
}

void Tally::put(Archive& archive) const {
  counts.put(archive);
  archive.put("labelled",
              std::vector<Index>{progress.instances, progress.chunks, std::bit_cast<Index>(progress.fingerprint),
                                 std::bit_cast<Index>(progress.order)});
}

Tally Tally::get(const Archive& archive, std::size_t views) {
  const std::vector<Index>& numbers = archive.integers("labelled");
  if (numbers.size() != 4) throw Error(ErrorKind::data, "the tally of a part of the data is incomplete");
  return {.counts = LabelCounts::get(archive, views),
          .progress = {.chunks = numbers[1],
                       .instances = numbers[0],
                       .fingerprint = std::bit_cast<std::uint64_t>(numbers[2]),
                       .order = std::bit_cast<std::uint64_t>(numbers[3])}};
}

Look look(Source& source, DataPart part, const Setting& setting, Observer& observer, Compute& compute) {
  Look out(setting.options, setting.schema, part.first);
  look_at(source, part, observer, compute,
          [&](std::span<const Chunk* const> chunks, std::uint64_t fingerprint, Compute& some) {
            out.add(chunks, fingerprint, some);
          });
  return out;
}

void take_look(Fitting& fit, Look look, Compute& compute) {
  Setting& setting = fit.setting;
  FitState& state = fit.state;
  state.fingerprint = look.fingerprint;
  state.order = look.order;
  state.report.instances = look.instances;
  fit.model.emplace(setting.options, setting.schema);
  fit.model->take(std::move(look), compute);
  const Survey& survey = fit.model->seen().survey();
  check_survey(survey, setting.schema, setting.options);
  state.counts.missing.clear();
  for (const ViewSurvey& view : survey.views) state.counts.missing.push_back(static_cast<Index>(view.cells));
  state.counts.squares.assign(survey.views.size(), 0.0);
  state.counts.present.assign(survey.views.size(), 0);
  state.report.clusters = setting.options.clusters;
  state.report.unobserved = static_cast<Index>(survey.unobserved);
  state.report.chunk = setting.options.chunk > 0 ? setting.options.chunk : choose_chunk(survey);
  fit.passes = setting.options.passes;
}

void make(Fitting& fit, Compute& compute) {
  Model& model = *fit.model;
  model.build(compute);
  model.cut(model.options().clusters, compute);
  fit.setting.scaling = model.intake().scaling();
  fit.state.report.rank = model.prototypes().factors->rank();
  fit.state.report.views = fit.setting.views({});
  if (!model.seen().reservoir().whole()) return model.rest();
  fit.passes = 0;
  fit.state.position.labelling = true;
  count_sample(fit, compute);
}

bool count(const Fitting& fit, Source& source, Index first, Counts& counts, KeptRows* kept, LossCurve* curve,
           const Told& told, Compute& compute) {
  Counting counting(fit, counts, kept, curve, compute);
  PassOptions options{.rows = fit.state.report.chunk,
                      .intake = &fit.model->intake(),
                      .ahead = {.readers = readers_beside(compute)},
                      .first = first,
                      .profile = &compute.profile()};
  counting.place_ahead(options);
  Pass pass(source, fit.setting.schema, options);
  pass.skip(counts.progress);
  const bool complete = pass.each([&](std::vector<StreamedChunk>& items) {
    counting.add(items);
    counts.progress = pass.progress();
    return told(pass, items);
  });
  counts.progress = pass.progress();
  return complete;
}

void end_pass(Fitting& fit, Counts counts, bool last, Compute& compute) {
  FitPosition& position = fit.state.position;
  Report& report = fit.state.report;
  if (position.pass == 1) {
    fit.state.counts.observed = counts.observed;
    fit.state.counts.instances = counts.last;
    fit.state.counts.present = counts.present;
    fit.setting.clipped = counts.negatives;
    report.unobserved = counts.progress.instances - counts.observed;
  }
  position.report.loss = position.report.error = counts.sums.mean_distance();
  position.report.rounds = counts.rounds;
  position.progress = counts.progress;
  fit.model->take(std::move(counts), last, compute);
}

Tally label(const Fitting& fit, Source& source, Index first, const std::vector<Index>& single, Sink& sink,
            const Told& told, Compute& compute) {
  const std::shared_ptr<const Placer> placer = fit.model->placer();
  const bool counted = fit.passes > 0;
  Tally out{.counts = LabelCounts(placer->numbers(), fit.setting.schema.views.size()), .progress = {}};
  Pass pass(source, fit.setting.schema,
            {.rows = std::max(fit.state.report.chunk, kLabelRows),
             .intake = counted ? &placer->intake() : nullptr,
             .ahead = {.readers = readers_beside(compute)},
             .first = first});
  pass.each([&](std::vector<StreamedChunk>& items) {
    Chunk& chunk = items.front().chunk;
    if (!counted) {
      placer->intake().match(chunk);
      match_precision(chunk, single);
      placer->intake().prepare(chunk);
    }
    const PreparedChunk data(chunk);
    Placed placed = placer->place(data, compute, sink.wants_membership());
    Matrix rows;
    if (sink.wants_embedding()) rows = placer->embed(data, compute);
    const Matrix membership = placer->membership(placed);
    out.counts.add({pass.progress().instances - chunk.size(),
                    placed.labels,
                    {rows.data(), chunk.size(), rows.cols()},
                    placed.confidence,
                    placed.distance,
                    {membership.data(), membership.rows(), membership.cols()},
                    placer->ascending()},
                   presence_bits(chunk), sink, first);
    return told(pass, items);
  });
  out.progress = pass.progress();
  sink.finish();
  return out;
}

void describe_model(Fitting& fit) {
  Model& model = *fit.model;
  FitState& state = fit.state;
  fit.setting.scaling = model.intake().scaling();
  for (std::size_t v = 0; v < state.counts.missing.size(); ++v) {
    state.counts.missing[v] = table_columns(model.seen().survey().views[v], fit.setting.schema.views[v]).missing;
  }
  Report& report = state.report;
  describe(model, report);
  report.events = model.names().take_events();
  if (report.choice && !report.choice->clear) report.warnings.push_back(report.choice->verdict);
  if (model.clusters().calibration.models == 0) {
    report.warnings.push_back("there are too few rows to tell how sure the labels are, so they have no confidence");
  }
  std::vector<ViewReport> views = fit.setting.views(state.counts.present);
  for (std::size_t v = 0; v < views.size(); ++v) {
    views[v].explained = report.views[v].explained;
    views[v].worth = report.views[v].worth;
    views[v].table_columns = report.views[v].table_columns;
    views[v].missing = state.counts.missing[v];
  }
  report.views = std::move(views);
  report.fingerprint = state.fingerprint;
  warn_of_views(report);
}

void describe_labels(Fitting& fit, const LabelCounts& counts) {
  Report& report = fit.state.report;
  counts.report(report);
  fit.model->tally().sizes.assign(report.cluster_sizes.begin(), report.cluster_sizes.end());
}

std::string common_ground(const Options& options, const Schema& schema) {
  std::string text;
  for (const ViewSchema& view : schema.views) text += fmt::format("{} {}\n", view.name, view.features);
  for_each_param([&](const auto& param) {
    if (decides_result(param.name)) {
      text += fmt::format("{} = {}\n", param.name, format_option(options, param.name));
    }
  });
  return text;
}

}  // namespace omvc
