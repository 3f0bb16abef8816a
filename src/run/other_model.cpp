#include "run/other_model.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "methods/factors.hpp"

namespace omvc {
namespace {

// What a factorisation that version 0.1 stored was learned with, which it kept among the options.
FactorOptions stored_factor_options(const Archive& archive, const Options& options) {
  const auto is = [&](const char* key, const char* value) { return archive.has(key) && archive.text(key) == value; };
  FactorOptions out = embedding_options(options);
  if (options.method != Algorithm::omvc_paper) return out;
  if (is("option/consensus", "tight")) out.consensus = Consensus::tight;
  if (is("option/missing", "ignore")) out.missing = Missing::ignore;
  if (is("option/solver", "hals")) out.solver = RowSolver::hals;
  if (archive.has("option/ridge")) out.ridge = std::stod(archive.text("option/ridge"));
  return out;
}

std::vector<bool> unit_views(const Setting& setting) {
  std::vector<bool> unit;
  for (const ViewScaling& view : setting.scaling) unit.push_back(view.unit_rows);
  return unit;
}

}  // namespace

OtherModel::OtherModel(Setting setting, LearnedModel learned, std::vector<Index> observed, double instances)
    : setting_(std::move(setting)),
      learned_(std::move(learned)),
      observed_(std::move(observed)),
      instances_(instances) {}

int OtherModel::rank() const { return learned_.factors ? learned_.factors->rank() : setting_.options.clusters; }

void OtherModel::find_centres(std::vector<double> rows, Workers& workers) {
  const Timed timed(workers.profile(), Step::kmeans);
  const Index count = static_cast<Index>(rows.size()) / rank();
  const int clusters = setting_.options.clusters;
  if (count < clusters) {
    throw Error(
        ErrorKind::data,
        fmt::format("{} clusters were asked for, but only {} instances with at least one view were learned; ask "
                    "for fewer clusters",
                    clusters, count));
  }
  centres_ =
      kmeans(
          {rows.data(), count, rank()},
          {.clusters = clusters, .starts = kKMeansStarts, .seed = setting_.options.seed, .threads = workers.threads()})
          .centres;
}

std::vector<int> OtherModel::label(const double* rows, Index count) const {
  const Index r = rank();
  std::vector<int> labels;
  std::vector<double> row;
  for (Index i = 0; i < count; ++i) {
    row.assign(rows + i * r, rows + (i + 1) * r);
    if (unit_rows_) to_unit_length(row.data(), 1, r);
    labels.push_back(std::isnan(row[0]) ? -1 : nearest_centre(row, centres_));
  }
  return labels;
}

Assignment OtherModel::assign(Chunk chunk, Workers& workers) const {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (setting_.scaling[v].known) continue;
    chunk.views[v] = keep_instances(std::move(chunk.views[v]), std::vector<bool>(chunk.rows.size(), false));
  }
  apply_scaling(setting_.scaling, setting_.schema, chunk);
  const PreparedChunk data(chunk);
  Assignment out;
  if (learned_.prototypes.candidates() > 0) {
    RowVector error;
    const CandidateLabels labels = learned_.prototypes.assign(data, error, workers);
    out.labels.assign(labels.data(), labels.data() + labels.size());
  }
  Matrix rows = Matrix::Zero(data.size(), rank());
  if (learned_.factors) {
    rows = learned_.factors->embed(data, workers);
  } else {
    for (Index i = 0; i < rows.rows(); ++i) {
      if (out.labels[static_cast<std::size_t>(i)] >= 0) rows(i, out.labels[static_cast<std::size_t>(i)]) = 1;
    }
  }
  for (std::size_t i = 0; i < data.observed.size(); ++i) {
    if (!data.observed[i]) rows.row(static_cast<Index>(i)).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  out.embedding.assign(rows.data(), rows.data() + rows.size());
  if (out.labels.empty()) out.labels = label(rows.data(), rows.rows());
  return out;
}

Matrix OtherModel::profiles(std::size_t view) const {
  if (learned_.prototypes.candidates() > 0) return learned_.prototypes.prototypes(view);
  const Eigen::Map<const Matrix> centres(centres_.data(), setting_.options.clusters, rank());
  return learned_.factors->state().views.at(view).U * centres.transpose();
}

void OtherModel::save(Archive& archive) const {
  archive.put("model/instances", instances_);
  archive.put("model/observed", observed_);
  archive.put("model/unit_rows", unit_rows_ ? 1.0 : 0.0);
  archive.put("model/factors", learned_.factors ? 1.0 : 0.0);
  if (learned_.factors) learned_.factors->state().save(archive, "", false);
  if (learned_.prototypes.candidates() > 0) learned_.prototypes.save(archive, false);
  archive.put("centres", centres_);
  if (!sizes_.empty()) archive.put("model/sizes", sizes_);
}

OtherModel OtherModel::load(const Archive& archive, Setting setting) {
  LearnedModel learned;
  std::vector<Index> observed;
  double instances = 0;
  // The first models always had factors and said nothing about them.
  if (!archive.has("model/factors") || archive.number("model/factors") != 0) {
    State state = State::load(archive, setting.schema);
    for (const ViewState& view : state.views) observed.push_back(static_cast<Index>(view.observed));
    instances = state.instances;
    learned.factors =
        std::make_unique<Factorisation>(stored_factor_options(archive, setting.options), std::move(state));
  }
  if (archive.has("prototypes/candidates")) {
    learned.prototypes = Prototypes::load(archive, setting.schema, setting.options.clusters, unit_views(setting));
  }
  if (learned.prototypes.candidates() > 1) throw Error(ErrorKind::data, "the model has several clusterings");
  if (!learned.factors && learned.prototypes.candidates() == 0) {
    throw Error(ErrorKind::data, "the model has neither factors nor prototypes");
  }
  if (archive.has("model/instances")) instances = archive.number("model/instances", kCount);
  if (archive.has("model/observed")) observed = archive.integers("model/observed");
  OtherModel out(std::move(setting), std::move(learned), std::move(observed), instances);
  out.unit_rows_ = archive.has("model/unit_rows")
                       ? archive.number("model/unit_rows") != 0
                       : archive.has("option/unit-rows") && archive.text("option/unit-rows") == "true";
  out.centres_ = archive.numbers("centres", kSquarable);
  if (archive.has("model/sizes")) {
    const Vector sizes = archive.vector("model/sizes", out.setting_.options.clusters, kCount);
    out.sizes_.assign(sizes.begin(), sizes.end());
  }
  const bool by_centres = out.learned_.prototypes.candidates() == 0;
  const auto expected = static_cast<std::size_t>(out.rank()) * static_cast<std::size_t>(out.setting_.options.clusters);
  if (by_centres && out.centres_.size() != expected) {
    throw Error(ErrorKind::data,
                "the centres of the model do not fit its options; version 0.1 left them to be found "
                "when it assigned: save the model there after an assignment, or fit again");
  }
  return out;
}

}  // namespace omvc
