// Votes as entries of an archive, and back.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "cut/votes.hpp"
#include "file/stored_chunk.hpp"

namespace omvc {
namespace {

constexpr Range kShare{0, 1 + 1e-9};
constexpr Index kMostNeighbours = 1000;
constexpr double kPresent = -1;

[[noreturn]] void refuse() { throw Error(ErrorKind::data, "the model's votes make no sense"); }

void check_narrow(const Chunk& chunk) {
  for (const ChunkView& view : chunk.views) {
    std::visit(
        [](const auto& X) {
          for (const auto x : X.values) {
            if (!(std::abs(static_cast<double>(x)) <= kNarrow.high)) refuse();
          }
        },
        view.block);
  }
}

// The list of each prototype, or nothing where there is one list.
std::vector<std::int32_t> get_lists(const std::vector<Index>& stored, Index prototypes) {
  if (!stored.empty() && static_cast<Index>(stored.size()) != prototypes) refuse();
  std::vector<std::int32_t> out;
  for (const Index list : stored) {
    if (list < 0 || list >= prototypes) refuse();
    out.push_back(static_cast<std::int32_t>(list));
  }
  return out;
}

// Numbers below a limit.
std::vector<int> get_places(const std::vector<Index>& stored, Index limit) {
  std::vector<int> out;
  for (const Index place : stored) {
    if (place < 0 || place >= limit) refuse();
    out.push_back(static_cast<int>(place));
  }
  return out;
}

Near get_near(const Archive& archive, const std::string& key, Index rows, Index prototypes) {
  const Matrix weights = archive.matrix(key + "/weights");
  Near out{.count = weights.cols(), .ids = {}, .weights = {}, .distances = {}, .squares = {}};
  out.ids = get_places(archive.integers(key + "/near"), prototypes);
  if (weights.rows() != rows || out.count < 1 || out.count > kMostNear ||
      static_cast<Index>(out.ids.size()) != weights.size()) {
    refuse();
  }
  for (const double weight : weights.reshaped<Eigen::RowMajor>()) {
    if (!(weight >= 0 && weight <= 1)) refuse();
    out.weights.push_back(weight);
  }
  return out;
}

// Squares of the rows that lack a view, by position; of others none is kept.
void get_completed(const Archive& archive, const std::string& key, std::vector<double>& to) {
  const std::vector<double>& stored = archive.numbers(key, {kPresent, 1e300});
  if (stored.size() != to.size()) refuse();
  for (std::size_t at = 0; at < to.size(); ++at) {
    if (std::isnan(to[at]) != (stored[at] < 0)) refuse();
    if (!std::isnan(to[at])) to[at] = stored[at];
  }
}

// Of what readers say: as many features as there are clusters.
Schema read_schema(Schema schema, int clusters) {
  for (ViewSchema& view : schema.views) {
    view.features = clusters;
    view.feature_names.clear();
  }
  return schema;
}

}  // namespace

void Votes::save(Archive& archive, const std::string& key, bool rows) const {
  archive.put(key + "/prototypes", prototypes_);
  archive.put(key + "/worth", worth_);
  archive.put(key + "/prior", std::vector<double>(prior_.begin(), prior_.end()));
  archive.put(key + "/became", became_);
  archive.put(key + "/neighbours", std::vector<Index>{neighbours_});
  for (std::size_t v = 0; v < readers_.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    archive.put(name + "/reader", Matrix(readers_[v].weights.cast<double>()));
    archive.put(name + "/offset", std::vector<double>(readers_[v].offset.begin(), readers_[v].offset.end()));
  }
  if (!rows || !has_rows()) return;
  archive.put(key + "/labels", std::vector<Index>(labels_.begin(), labels_.end()));
  archive.put(key + "/own", Matrix(own_.cast<double>()));
  archive.put(key + "/clusters", std::vector<Index>(own_clusters_.begin(), own_clusters_.end()));
  archive.put(key + "/distance", own_distance_);
  archive.put(key + "/width", width_);
  archive.put(key + "/list_of", std::vector<Index>(rows_->list_of.begin(), rows_->list_of.end()));
  save_near(archive, key);
  put_chunk(archive, key + "/rows", rows_of(*rows_));
  if (said_) put_chunk(archive, key + "/said", rows_of(*said_));
}

// Where each row lies among the prototypes.
void Votes::save_near(Archive& archive, const std::string& key) const {
  const auto near = static_cast<std::size_t>(rows_->near);
  std::vector<Index> ids(rows_->near_ids.size());
  Matrix weights(rows_->size(), rows_->near);
  for (std::size_t at = 0; at < rows_->row.size(); ++at) {
    const auto row = static_cast<std::size_t>(rows_->row[at]);
    for (std::size_t j = 0; j < near; ++j) {
      ids[row * near + j] = rows_->near_ids[at * near + j];
      weights(static_cast<Index>(row), static_cast<Index>(j)) = rows_->near_weights[at * near + j];
    }
  }
  archive.put(key + "/near", std::move(ids));
  archive.put(key + "/weights", weights);
  // Prototypes may have moved since rows were completed through them.
  for (std::size_t v = 0; v < rows_->views.size(); ++v) {
    std::vector<double> completed = rows_->views[v].completed;
    for (double& square : completed) square = std::isnan(square) ? kPresent : square;
    archive.put(fmt::format("{}/view{}/completed", key, v), std::move(completed));
  }
}

Votes Votes::load(const Archive& archive, const std::string& key, const Schema& schema,
                  const PrototypeTable& prototypes, int clusters, const Recipe& recipe, Compute& compute) {
  Votes out;
  const auto views = static_cast<Index>(schema.views.size());
  out.prototypes_ = archive.matrix(key + "/prototypes", prototypes.size(), clusters, kShare);
  const Vector worth = archive.vector(key + "/worth", views, kShare);
  out.worth_.assign(worth.begin(), worth.end());
  out.prior_ = archive.vector(key + "/prior", clusters, kShare);
  out.became_ = archive.matrix(key + "/became", clusters, clusters, kShare);
  const std::vector<Index>& neighbours = archive.integers(key + "/neighbours");
  if (neighbours.size() != 1 || neighbours[0] < 1 || neighbours[0] > kMostNeighbours) refuse();
  out.neighbours_ = neighbours[0];
  out.take(recipe);
  for (std::size_t v = 0; archive.has(key + "/view0/reader") && v < schema.views.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    out.readers_.push_back({archive.matrix(name + "/reader", schema.views[v].features, clusters, kNarrow).cast<float>(),
                            RowVector(archive.vector(name + "/offset", clusters, kNarrow))});
  }
  if (archive.has(key + "/labels")) out.load_rows(archive, key, schema, prototypes, compute);
  return out;
}

void Votes::load_rows(const Archive& archive, const std::string& key, const Schema& schema,
                      const PrototypeTable& prototypes, Compute& compute) {
  const Chunk rows = get_chunk(archive, key + "/rows", schema);
  const std::vector<Index>& labels = archive.integers(key + "/labels");
  if (labels.size() != rows.rows.size() || labels.empty()) refuse();
  labels_ = get_places(labels, clusters());
  own_clusters_ = get_places(archive.integers(key + "/clusters"), clusters());
  const auto count = static_cast<Index>(labels.size());
  if (own_clusters_.size() != labels_.size()) refuse();
  const Vector distance = archive.vector(key + "/distance", count, kNonnegative);
  own_distance_.assign(distance.begin(), distance.end());
  const Vector width = archive.vector(key + "/width", count, {1e-300, 1e300});
  width_.assign(width.begin(), width.end());
  const std::vector<std::int32_t> list_of = get_lists(archive.integers(key + "/list_of"), prototypes.size());
  const Near near = get_near(archive, key, count, prototypes.size());
  own_ = archive.matrix(key + "/own", static_cast<Index>(labels.size()), clusters(), kShare).cast<float>();
  check_narrow(rows);
  const std::vector<Near> places{near};
  const std::vector<PreparedChunk> pieces(1, PreparedChunk(rows));
  RowTable table = make_row_table(
      {.pieces = pieces, .near = places, .prototypes = prototypes, .list_of = list_of, .complete = true}, compute);
  for (std::size_t v = 0; v < table.views.size(); ++v) {
    get_completed(archive, fmt::format("{}/view{}/completed", key, v), table.views[v].completed);
  }
  rows_ = std::make_shared<const RowTable>(std::move(table));
  if (readers_.empty()) return;
  const Chunk said = get_chunk(archive, key + "/said", read_schema(schema, clusters()));
  check_narrow(said);
  if (said.rows.size() != rows.rows.size()) refuse();
  for (std::size_t v = 0; v < said.views.size(); ++v) {
    if (said.views[v].present != rows.views[v].present || is_sparse(said.views[v].block)) refuse();
  }
  const std::vector<PreparedChunk> said_pieces(1, PreparedChunk(said));
  said_ = std::make_shared<const RowTable>(
      make_row_table({.pieces = said_pieces, .near = places, .prototypes = prototypes, .list_of = list_of}, compute));
  keep_said(said);
}

}  // namespace omvc
