#include "compare/fit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "kmeans/row_sample.hpp"
#include "pass/first_look.hpp"
#include "scale/columns.hpp"

namespace omvc {
namespace {

constexpr Index kLabelRows = 256;    // instances labelled at a time, at least
constexpr Index kResultRows = 4096;  // rows read back at a time

Index missing_cells(const ChunkView& view) {
  const auto is_missing = [](auto x) { return std::isnan(x); };
  return std::visit([&](const auto& X) { return Index{std::count_if(X.values.begin(), X.values.end(), is_missing)}; },
                    view.block);
}

}  // namespace

Index choose_chunk(const Survey* survey) {
  constexpr Index kUsual = 500;
  constexpr Index kLeast = 50;
  constexpr Index kMost = 4000;
  constexpr Index kChunks = 32;  // in a pass, at least, where a chunk is to be larger than usual
  constexpr double kBytes = 64 << 20;
  if (survey == nullptr) return kUsual;
  Index features = 0;
  for (const ViewSurvey& view : survey->views) features += static_cast<Index>(view.sum.size());
  // The basis step runs over all features once a chunk: with as many instances as features it weighs as little as it
  // has to.
  const Index worth = std::clamp(features, kUsual, kMost);
  const Index wanted = std::max(kUsual, std::min(worth, static_cast<Index>(survey->instances) / kChunks));
  return std::clamp(static_cast<Index>(kBytes / std::max(bytes_of_row(*survey), 1.0)), kLeast, wanted);
}

Report CompareFit::run() {
  again_ = data_.rewind();
  if (const std::optional<Archive> left = last_checkpoint()) {
    blame_checkpoint([&] { resume(*left); });
    observer_.on_start(report_, passes_);
    const bool more = !position_.labelling && position_.pass <= passes_;
    if (!more && !method_->labels_again()) {
      data_.rewind();
      check_data(look_at(data_, {}, observer_, compute_, [](auto, auto, Compute&) {}));
    }
  } else {
    begin();
  }
  while (!position_.labelling && position_.pass <= passes_ && !report_.stopped) run_pass();
  if (report_.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
  if (!report_.stopped && method_->labels_again()) label_all();
  report_.fingerprint = state_.fingerprint;
  finish();
  report_.profile = profile_.report();
  report_.seconds = profile_.total();
  return report_;
}

// The scaling of a view. Methods that factorise need it to be nonnegative.
ViewScaling CompareFit::scaling_of(std::size_t view, const ViewSurvey& survey) const {
  const Scaling asked = of_view(setting_.options.scaling, view);
  const ViewSchema& schema = setting_.schema.views[view];
  const ColumnsLook look = look_at_columns(survey, schema, {}, view, false);
  ViewScaling out = choose_scaling(asked, survey, schema, needs_columns(asked, survey, schema) ? &look : nullptr);
  // What the method has by itself nobody asked for.
  if (asked != Scaling::automatic && asked == of_view(method_options(setting_.options.method).scaling, view)) {
    out.reason = "as the method has it";
  }
  if (takes_signed(setting_.options.method)) out.refuse_negatives = false;
  return out;
}

void CompareFit::set_intake(std::vector<ViewScaling> scaling, std::vector<Intake::Kind> kinds) {
  setting_.scaling = scaling;
  intake_ = Intake(setting_.schema, std::move(scaling), std::move(kinds));
}

void CompareFit::begin() {
  const std::size_t views = setting_.schema.views.size();
  report_.clusters = setting_.options.clusters;
  passes_ = again_ ? setting_.options.passes : 1;
  counts_.squares.assign(views, 0.0);
  counts_.present.assign(views, 0);
  counts_.missing.assign(views, 0);
  report_.chunk = choose_chunk(nullptr);
  set_intake(setting_.scaling, std::vector<Intake::Kind>(views, Intake::Kind::unseen));
  if (again_) {
    look_first();
  } else {
    report_.warnings.push_back("The data can be read only once: one pass, scaled by the first chunk.");
  }
  if (setting_.options.chunk > 0) report_.chunk = setting_.options.chunk;
  // What an older run left goes only now that this one is known to be possible.
  if (!keep_.file.empty()) start_checkpoint(keep_, folder_);
  try {
    make_method();
  } catch (const Error&) {
    folder_.remove();
    throw;
  }
  observer_.on_start(report_, passes_);
  checkpoint();
}

void CompareFit::look_first() {
  const Timed timed(profile_, Step::first_look);
  Survey survey(setting_.schema);
  const Progress found = look_at(
      data_, {}, observer_, compute_,
      [&](std::span<const Chunk* const> chunks, std::uint64_t, Compute& compute) { survey.add(chunks, compute); });
  check_survey(survey, setting_.schema, setting_.options);
  std::vector<ViewScaling> scaling;
  for (std::size_t v = 0; v < survey.views.size(); ++v) {
    scaling.push_back(scaling_of(v, survey.views[v]));
    counts_.missing[v] = static_cast<Index>(survey.views[v].cells);
  }
  set_intake(std::move(scaling), kinds_of(survey));
  bytes_ = bytes_of(survey);
  report_.instances = found.instances;
  report_.unobserved = static_cast<Index>(survey.unobserved);
  report_.chunk = choose_chunk(&survey);
  state_.fingerprint = found.fingerprint;
  state_.order = found.order;
}

void CompareFit::make_method() {
  patterns_.emplace(setting_.schema.views.size(), folder_);
  method_ = omvc::make_method({.options = setting_.options,
                               .schema = setting_.schema,
                               .passes = passes_,
                               .again = again_,
                               .embedding = sink_.wants_embedding(),
                               .bytes = bytes_,
                               .rows = folder_,
                               .counts = &counts_});
  report_.rank = method_->rank();
  report_.views = setting_.views(counts_.present);
}

void CompareFit::resume(const Archive& archive) {
  get_fit_state(archive, setting_, state_);
  profile_.add(state_.step_seconds);
  passes_ = setting_.options.passes;
  set_intake(setting_.scaling, get_kinds(archive, "compare/kinds", setting_.schema.views.size()));
  make_method();
  method_->load(archive);
  report_.rank = method_->rank();
  restore_position(archive, "patterns/rows", patterns_->store());
  const Index seen = patterns_->store().rows();
  if (position_.pass > 1 && seen > report_.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the checkpoint speaks of {} instances, and {} were seen", report_.instances, seen));
  }
}

void CompareFit::put_state(Archive& archive) const {
  put_fit_state(archive, setting_, state_);
  put_kinds(archive, "compare/kinds", intake_.kinds());
  put_position(archive, "patterns/rows", patterns_->store());
  method_->save(archive);
}

void CompareFit::sync() const {
  method_->sync();
  patterns_->store().sync();
}

// Takes in a chunk of a stream that is read once, choosing first the scaling of views that it is the first to show.
void CompareFit::take_in_once(StreamedChunk& item) {
  const Timed timed(profile_, Step::prepare);
  Chunk& chunk = item.chunk;
  std::vector<ViewScaling> scaling = intake_.scaling();
  std::vector<Intake::Kind> kinds = intake_.kinds();
  std::optional<Survey> survey;
  for (std::size_t v = 0; v < scaling.size(); ++v) {
    if (scaling[v].known || chunk.views[v].present.empty()) continue;
    if (!survey) {
      survey.emplace(setting_.schema);
      survey->add(chunk, compute_);
    }
    scaling[v] = scaling_of(v, survey->views[v]);
    kinds[v] = survey->views[v].sparse ? Intake::Kind::sparse : Intake::Kind::dense;
    // A total of nothing scales nothing: the first chunk with a positive entry decides.
    const bool nothing = of_view(setting_.options.scaling, v) == Scaling::total && !(survey->views[v].total > 0);
    if (nothing) scaling[v].known = false;
  }
  if (survey) set_intake(std::move(scaling), std::move(kinds));
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    counts_.missing[v] += missing_cells(chunk.views[v]);
  }
  intake_.match(chunk);
  item.negatives = intake_.prepare(chunk);
}

// In the first pass, counts what is in a chunk.
void CompareFit::count(const PreparedChunk& data, const StreamedChunk& item) {
  const Timed timed(profile_, Step::prepare);
  if (position_.pass > 1 || position_.labelling) return;
  patterns_->remember(item.chunk);
  for (const Index row : item.chunk.rows) counts_.instances = std::max(counts_.instances, row + 1);
  for (std::size_t v = 0; v < data.views.size(); ++v) {
    counts_.squares[v] += data.views[v].squared_norm(compute_);
    counts_.present[v] += data.views[v].rows();
    setting_.clipped[v] += item.negatives[v];
  }
  counts_.observed += std::count(data.observed.begin(), data.observed.end(), true);
}

// Calls use(chunk) for every chunk from where the position stands; it returns its rounds. Returns false if the observer
// stopped it.
bool CompareFit::each_chunk(Index rows, const std::function<int(const PreparedChunk&)>& use) {
  begin_timing();
  if (again_) data_.rewind();
  Pass pass(data_, setting_.schema,
            {.rows = rows,
             .intake = again_ ? &intake_ : nullptr,
             .ahead = {.readers = readers_beside(compute_)},
             .profile = &profile_});
  pass.skip(position_.progress);
  const bool complete = pass.each([&](std::vector<StreamedChunk>& items) {
    if (!again_) take_in_once(items.front());
    const PreparedChunk data(items.front().chunk);
    count(data, items.front());
    return after_chunks(pass, items, use(data));
  });
  note_time(pass);
  position_.progress = pass.progress();
  return complete;
}

void CompareFit::run_pass() {
  if (position_.progress.chunks == 0) {
    position_.report.pass = position_.pass;
    method_->begin_pass(position_.pass);
  }
  const bool complete = each_chunk(report_.chunk, [&](const PreparedChunk& data) {
    const Timed timed(profile_, Step::learning);
    const int rounds = method_->learn(data, compute_);
    position_.report.loss = method_->average_loss(compute_);
    position_.curve.add(position_.report.loss);
    return rounds;
  });
  report_.stopped = !complete;
  const int next = method_->pass_after(position_.pass);
  check_instances(complete);
  PassReport& result = position_.report;
  const StopWatch clock(result.seconds);
  if (!again_) state_.fingerprint = position_.progress.fingerprint;
  if (complete) {
    const Timed timed(profile_, Step::learning);
    method_->end_pass(compute_);
    result.loss = method_->average_loss(compute_);
    take_products();
  }
  result.error = method_->error();
  result.seconds = clock.seconds();
  end_report(next, next > passes_);
  observer_.on_pass(report_.passes.back(), *method_->embedding(report_.instances));
  if (complete) checkpoint();
}

void CompareFit::check_instances(bool complete) {
  const Index found = position_.progress.instances;
  if (complete && again_) check_same_data(state_, position_.progress);
  if (position_.pass > 1) return;
  report_.instances = complete ? found : std::max(report_.instances, found);
  report_.unobserved = found - counts_.observed;
  if (counts_.instances > report_.instances) {
    throw Error(ErrorKind::data,
                fmt::format("the source numbers an instance {} but has only {}: number them from 0 to {}",
                            counts_.instances - 1, report_.instances, report_.instances - 1));
  }
}

// Labels every instance with the model as it is at the end.
void CompareFit::label_all() {
  if (position_.progress.chunks == 0) method_->begin_labels();
  const bool complete = each_chunk(std::max(report_.chunk, kLabelRows), [&](const PreparedChunk& data) {
    const Timed timed(profile_, Step::learning);
    method_->label(data, compute_);
    return 0;
  });
  report_.stopped = !complete;
  if (complete) check_same_data(state_, position_.progress);
}

void CompareFit::find_model(const Embedding& embedding) {
  std::vector<double> rows = sample_rows(embedding, kmeans_sample_size(report_.clusters), setting_.options.seed);
  if (report_.stopped && static_cast<Index>(rows.size()) < Index{report_.clusters} * report_.rank) {
    throw Error(ErrorKind::interrupted,
                "interrupted before there were enough instances to form clusters; nothing was written");
  }
  const std::vector<double> explained = method_->explained(compute_);
  model_.emplace(setting_, intake_, method_->model(), counts_.present, static_cast<double>(counts_.observed));
  if (model_->factors() != nullptr) model_->find_centres(std::move(rows), compute_);
  for (int k = 0; k < report_.clusters; ++k) report_.cluster_numbers.push_back(k);
  report_.views = setting_.views(counts_.present);
  for (std::size_t v = 0; v < explained.size(); ++v) report_.views[v].explained = explained[v];
  for (std::size_t v = 0; v < counts_.missing.size(); ++v) report_.views[v].missing = counts_.missing[v];
}

// In the row order of the source. The labels are those that the method stored, or the nearest centres of the model.
void CompareFit::write_results(const Embedding& embedding, LabelCounts& counts) {
  const RowStore* stored = method_->labels();
  std::vector<double> block;
  for (Index first = 0; first < report_.instances; first += kResultRows) {
    const Index count = std::min(kResultRows, report_.instances - first);
    block.resize(static_cast<std::size_t>(count * embedding.rank()));
    embedding.read(first, count, block.data());
    std::vector<int> labels;
    if (stored == nullptr) {
      labels = model_->label_rows(block.data(), count);
    } else {
      std::vector<double> columns(static_cast<std::size_t>(count * stored->width()));
      stored->read(first, count, columns.data());
      for (Index i = 0; i < count; ++i) {
        const double label = columns[static_cast<std::size_t>(i * stored->width())];
        const bool known = label >= 0 && label < std::numeric_limits<int>::max();
        labels.push_back(known ? static_cast<int>(label) : -1);
      }
    }
    counts.add({.first_row = first, .labels = labels, .embedding = {block.data(), count, embedding.rank()}},
               patterns_->read(first, count), sink_);
  }
}

void CompareFit::finish() {
  const Timed timed(profile_, Step::results);
  method_->finish(!report_.stopped, compute_);
  const std::unique_ptr<Embedding> embedding = method_->embedding(report_.instances);
  find_model(*embedding);
  LabelCounts counts(report_.cluster_numbers, setting_.schema.views.size());
  write_results(*embedding, counts);
  warn_of_views(report_);
  sink_.finish();
  counts.report(report_);
  model_->set_sizes({report_.cluster_sizes.begin(), report_.cluster_sizes.end()});
}

}  // namespace omvc
