#include "run/living_steps.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

// Counts, and hashes whose sums wrap around.
Index sum_of(Index one, Index other) {
  return std::bit_cast<Index>(std::bit_cast<std::uint64_t>(one) + std::bit_cast<std::uint64_t>(other));
}

constexpr std::size_t kPlain = 6;  // numbers that are not of a view

}  // namespace

void PassSums::put(Archive& archive) const {
  std::vector<Index> numbers{
      instances, std::bit_cast<Index>(fingerprint), std::bit_cast<Index>(order), observed, chunks, rounds};
  numbers.insert(numbers.end(), present.begin(), present.end());
  numbers.insert(numbers.end(), clipped.begin(), clipped.end());
  archive.put("pass/numbers", std::move(numbers));
  archive.put("pass/last", std::vector<Index>{last});
}

PassSums PassSums::get(const Archive& archive, std::size_t views) {
  const std::vector<Index>& numbers = archive.integers("pass/numbers");
  const std::vector<Index>& last = archive.integers("pass/last");
  if (numbers.size() != kPlain + 2 * views || last.size() != 1) {
    throw Error(ErrorKind::data, "what was counted of a part of the data is incomplete");
  }
  PassSums out{.instances = numbers[0],
               .chunks = numbers[4],
               .rounds = numbers[5],
               .fingerprint = std::bit_cast<std::uint64_t>(numbers[1]),
               .order = std::bit_cast<std::uint64_t>(numbers[2]),
               .observed = numbers[3],
               .last = last[0],
               .present = {},
               .clipped = {}};
  const auto views_from = numbers.begin() + kPlain;
  out.present.assign(views_from, views_from + static_cast<std::ptrdiff_t>(views));
  out.clipped.assign(views_from + static_cast<std::ptrdiff_t>(views), numbers.end());
  return out;
}

void merge_passes(Archive& sum, const Archive& part, std::size_t views) {
  const PassSums more = PassSums::get(part, views);
  std::vector<Index> numbers = sum.integers("pass/numbers");
  const Index last = PassSums::get(sum, views).last;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = sum_of(numbers[i], part.integers("pass/numbers")[i]);
  Model::merge_counted(sum, part, views);
  sum.put("pass/numbers", std::move(numbers));
  sum.put("pass/last", std::vector<Index>{std::max(last, more.last)});
}

Archive merge_looks(const Archive& one, const Archive& other, const Options& options, const Schema& schema) {
  Look look = Look::load(one, options, schema);
  Workers alone;
  look.merge(Look::load(other, options, schema), alone);
  Archive sum;
  look.save(sum);
  return sum;
}

void check_pass(const FitState& state, int pass, Index found, std::uint64_t fingerprint, std::uint64_t order) {
  const Index expected = state.report.instances;
  if (fingerprint == state.fingerprint && order == state.order && found == expected) return;
  throw Error(ErrorKind::data,
              fmt::format("the data changed while they were read: pass {} found {} instances, the first look {}, and "
                          "not the same ones; work on a copy that nobody writes to",
                          pass, found, expected));
}

std::string common_ground(const Options& options, const Schema& schema) {
  std::string text;
  for (const ViewSchema& view : schema.views) text += fmt::format("{} {}\n", view.name, view.features);
  for_each_param([&](const auto& param) {
    if (std::string_view(param.name) != "threads") {
      text += fmt::format("{} = {}\n", param.name, format_option(options, param.name));
    }
  });
  return text;
}

void put_living(Archive& archive, const Setting& setting, const FitState& state, int passes, const Model& model,
                bool whole) {
  put_fit_state(archive, setting, state);
  archive.put("living/passes", std::vector<Index>{passes});
  model.save(archive, whole);
}

Model get_living(const Archive& archive, Setting& setting, FitState& state, int& passes) {
  get_fit_state(archive, setting, state);
  const std::vector<Index>& stored = archive.integers("living/passes");
  if (stored.size() != 1 || (stored[0] != 0 && stored[0] != setting.options.passes)) {
    throw Error(ErrorKind::data, "the number of passes makes no sense");
  }
  passes = static_cast<int>(stored[0]);
  return Model::load(archive, setting.options, setting.schema, setting.scaling, setting.clipped);
}

void note_look(const FirstLook& look, const Setting& setting, FitState& state) {
  const std::size_t views = setting.schema.views.size();
  StreamCounts& counts = state.counts;
  counts.missing.clear();
  for (const ViewSurvey& view : look.survey.views) counts.missing.push_back(static_cast<Index>(view.cells));
  counts.squares.assign(views, 0.0);
  counts.present.assign(views, 0);
  Report& report = state.report;
  report.clusters = setting.options.clusters;
  report.instances = look.instances;
  report.unobserved = static_cast<Index>(look.survey.unobserved);
  const bool living = setting.options.method == Algorithm::omvc;
  report.chunk = setting.options.chunk > 0 ? setting.options.chunk
                 : living                  ? choose_living_chunk(look.survey)
                                           : choose_chunk(&look.survey);
  state.fingerprint = look.fingerprint;
  state.order = look.order;
}

void make_living(Model& model, Setting& setting, Workers& workers) {
  model.build(workers);
  model.cut(model.options().clusters, true, workers);
  if (!model.whole()) model.rest();
  setting.scaling = model.scaling();
}

void count_sample(Model& model, Setting& setting, FitState& state) {
  setting.clipped = model.negatives();
  StreamCounts& counts = state.counts;
  for (const PreparedChunk& piece : model.sample().pieces()) {
    for (std::size_t v = 0; v < piece.views.size(); ++v) counts.present[v] += piece.views[v].rows();
    counts.observed += std::count(piece.observed.begin(), piece.observed.end(), true);
  }
  Report& report = state.report;
  counts.instances = report.instances;
  PassReport pass{.pass = 1, .instances = report.instances, .chunks = 1};
  pass.error = pass.loss = report.loss = model.placing().mean_distance();
  report.passes.push_back(pass);
}

void take_pass(const Archive& sums, Model& model, Setting& setting, FitState& state) {
  const PassSums all = PassSums::get(sums, setting.schema.views.size());
  model.set_counted(sums);
  FitPosition& position = state.position;
  position.report.instances = all.instances;
  position.report.rounds = all.rounds;
  position.fingerprint = all.fingerprint;
  position.order = all.order;
  position.chunks = all.chunks;
  if (position.pass > 1) return;
  state.counts.observed = all.observed;
  state.counts.instances = all.last;
  state.counts.present = all.present;
  setting.clipped = all.clipped;
}

void finish_living(Model& model, Workers& workers) {
  model.measure_counted();
  model.cut_counted(workers);
}

void report_living(Model& model, Setting& setting, FitState& state) {
  setting.scaling = model.scaling();
  Report& report = state.report;
  for (std::size_t v = 0; v < state.counts.missing.size(); ++v) {
    state.counts.missing[v] = static_cast<Index>(model.survey().views[v].cells);
  }
  report.clusters = model.clusters().count();
  report.cluster_numbers = model.clusters().numbers;
  report.rank = model.rank();
  report.prototypes = model.fine().size();
  report.sampled = !model.whole();
  report.found_by = model.clusters().found_by;
  report.choice = model.choice();
  if (!model.candidates().empty()) report.candidates = model.candidates();
  report.events = model.take_events();
  if (model.timeline().size() > 1) report.timeline = model.timeline();
  if (report.choice && !report.choice->clear) report.warnings.push_back(report.choice->verdict);
  report.views = setting.views(state.counts.present);
  const std::vector<double> explained = model.explained();
  for (std::size_t v = 0; v < explained.size(); ++v) report.views[v].explained = explained[v];
  for (std::size_t v = 0; v < report.views.size(); ++v) report.views[v].missing = state.counts.missing[v];
}

}  // namespace omvc
