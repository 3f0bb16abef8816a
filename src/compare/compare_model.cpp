#include "compare/compare_model.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "compare/factors.hpp"

namespace omvc {
namespace {

std::vector<bool> unit_views(const Setting& setting) {
  std::vector<bool> unit;
  for (const ViewScaling& view : setting.scaling) unit.push_back(view.unit_rows);
  return unit;
}

}  // namespace

CompareModel::CompareModel(Setting setting, Intake intake, LearnedModel learned, std::vector<Index> observed,
                           double instances)
    : setting_(std::move(setting)),
      intake_(std::move(intake)),
      learned_(std::move(learned)),
      observed_(std::move(observed)),
      instances_(instances) {}

int CompareModel::rank() const { return learned_.factors ? learned_.factors->rank() : setting_.options.clusters; }

void CompareModel::find_centres(std::vector<double> rows, Compute& compute) {
  const Timed timed(compute.profile(), Step::kmeans);
  const Index count = static_cast<Index>(rows.size()) / rank();
  const int clusters = setting_.options.clusters;
  if (count < clusters) {
    throw Error(
        ErrorKind::data,
        fmt::format("{} clusters were asked for, but only {} instances with at least one view were learned; ask "
                    "for fewer clusters",
                    clusters, count));
  }
  centres_ = kmeans({rows.data(), count, rank()}, {.clusters = clusters,
                                                   .starts = kKMeansStarts,
                                                   .seed = setting_.options.seed,
                                                   .threads = compute.threads(),
                                                   .executor = compute.executor()})
                 .centres;
}

std::vector<int> CompareModel::label_rows(const double* rows, Index count) const {
  const Index r = rank();
  std::vector<int> labels;
  std::vector<double> row;
  for (Index i = 0; i < count; ++i) {
    row.assign(rows + i * r, rows + (i + 1) * r);
    labels.push_back(std::isnan(row[0]) ? -1 : nearest_centre(row, centres_));
  }
  return labels;
}

Assignment CompareModel::label(Chunk chunk, Extras extras, Compute& compute) const {
  intake_.take(chunk);
  const PreparedChunk data(chunk);
  Assignment out;
  if (learned_.prototypes.candidates() > 0) {
    RowVector error;
    const CandidateLabels labels = learned_.prototypes.assign(data, error, compute);
    out.labels.assign(labels.data(), labels.data() + labels.size());
    if (!extras.embedding) return out;
  }
  Matrix rows = Matrix::Zero(data.size(), rank());
  if (learned_.factors) {
    rows = learned_.factors->embed(data, compute);
  } else {
    for (Index i = 0; i < rows.rows(); ++i) {
      if (out.labels[static_cast<std::size_t>(i)] >= 0) rows(i, out.labels[static_cast<std::size_t>(i)]) = 1;
    }
  }
  for (std::size_t i = 0; i < data.observed.size(); ++i) {
    if (!data.observed[i]) rows.row(static_cast<Index>(i)).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  if (out.labels.empty()) out.labels = label_rows(rows.data(), rows.rows());
  if (extras.embedding) out.embedding.assign(rows.data(), rows.data() + rows.size());
  return out;
}

Matrix CompareModel::profiles(std::size_t view) const {
  if (learned_.prototypes.candidates() > 0) return learned_.prototypes.prototypes(view);
  const Eigen::Map<const Matrix> centres(centres_.data(), setting_.options.clusters, rank());
  return learned_.factors->state().views.at(view).U * centres.transpose();
}

void CompareModel::save(Archive& archive) const {
  put_kinds(archive, "model/kinds", intake_.kinds());
  archive.put("model/instances", instances_);
  archive.put("model/observed", observed_);
  archive.put("model/factors", learned_.factors ? 1.0 : 0.0);
  if (learned_.factors) learned_.factors->state().save(archive, "", false);
  if (learned_.prototypes.candidates() > 0) learned_.prototypes.save(archive, false);
  archive.put("centres", centres_);
  if (!sizes_.empty()) archive.put("model/sizes", sizes_);
}

CompareModel CompareModel::load(const Archive& archive, Setting setting) {
  LearnedModel learned;
  if (archive.number("model/factors") != 0) {
    learned.factors =
        std::make_unique<Factorisation>(embedding_options(setting.options), State::load(archive, setting.schema));
  }
  if (archive.has("prototypes/candidates")) {
    learned.prototypes =
        CandidatePrototypes::load(archive, setting.schema, setting.options.clusters, unit_views(setting));
  }
  if (learned.prototypes.candidates() > 1) throw Error(ErrorKind::data, "the model has several clusterings");
  if (!learned.factors && learned.prototypes.candidates() == 0) {
    throw Error(ErrorKind::data, "the model has neither factors nor prototypes");
  }
  Intake intake(setting.schema, setting.scaling, get_kinds(archive, "model/kinds", setting.schema.views.size()));
  CompareModel out(std::move(setting), std::move(intake), std::move(learned), archive.integers("model/observed"),
                   archive.number("model/instances", kCount));
  out.centres_ = archive.numbers("centres", kSquarable);
  if (archive.has("model/sizes")) {
    const Vector sizes = archive.vector("model/sizes", out.setting_.options.clusters, kCount);
    out.sizes_.assign(sizes.begin(), sizes.end());
  }
  const bool by_centres = out.learned_.prototypes.candidates() == 0;
  const auto expected = static_cast<std::size_t>(out.rank()) * static_cast<std::size_t>(out.setting_.options.clusters);
  if (by_centres && out.centres_.size() != expected) {
    throw Error(ErrorKind::data, "the centres of the model do not fit its options");
  }
  return out;
}

}  // namespace omvc
