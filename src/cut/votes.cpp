#include "cut/votes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace omvc {
namespace {

constexpr Index kLookedThrough = 4;  // times the rows wanted, where only some have a view

// The nearest rows of rows of the table, each of which may be its own nearest.
NearRows nearest_of(const Neighbourhood& others, Index count, bool itself) {
  NearRows out{.count = count, .ids = {}, .distances = {}};
  for (std::size_t i = 0; i < others.rows.size(); ++i) {
    if (itself) {
      out.ids.push_back(others.rows[i]);
      out.distances.push_back(0);
    }
    for (Index j = 0; j + (itself ? 1 : 0) < count; ++j) {
      const bool listed = j < others.near.count;
      out.ids.push_back(listed ? others.near.id(static_cast<Index>(i), j) : -1);
      out.distances.push_back(listed ? others.near.distance(static_cast<Index>(i), j)
                                     : std::numeric_limits<double>::infinity());
    }
  }
  return out;
}

// For each instance the lists of the prototypes that it lies among.
std::vector<std::vector<Index>> lists_near(const Near& near, const std::vector<std::int32_t>& list_of) {
  std::vector<std::vector<Index>> out(near.distances.size());
  for (std::size_t i = 0; !list_of.empty() && i < out.size(); ++i) {
    for (Index j = 0; j < near.count; ++j) {
      const std::int32_t id = near.id(static_cast<Index>(i), j);
      if (id >= 0) out[i].push_back(list_of[static_cast<std::size_t>(id)]);
    }
    std::sort(out[i].begin(), out[i].end());
    out[i].erase(std::unique(out[i].begin(), out[i].end()), out[i].end());
  }
  return out;
}

// An instance that is a row of the table is its own nearest neighbour, at no distance.
void put_first(const std::vector<std::int32_t>& known, const std::vector<Index>& instances, NearRows& near) {
  for (std::size_t row = 0; row < instances.size(); ++row) {
    const std::int32_t is = known[static_cast<std::size_t>(instances[row])];
    if (is < 0) continue;
    const auto ids = near.ids.begin() + static_cast<Index>(row) * near.count;
    const auto distances = near.distances.begin() + static_cast<Index>(row) * near.count;
    const auto at = std::min(std::find(ids, ids + near.count, is) - ids, near.count - 1);
    std::rotate(ids, ids + at, ids + at + 1);
    std::rotate(distances, distances + at, distances + at + 1);
    *ids = is;
    *distances = 0;
  }
}

}  // namespace

Votes::Votes(const RowGraphs& graphs, const RowCut& cut, int clusters, const Recipe& recipe)
    : prototypes_(graphs.through->votes(cut.labels, clusters)),
      prior_(RowVector::Zero(clusters)),
      neighbours_(neighbours_for(graphs, clusters, recipe)),
      rows_(graphs.table),
      labels_(cut.labels) {
  take(recipe);
  learn_names(cut.before.empty() ? cut.labels : cut.before.back());
  worth_ = cut.readings.empty() ? std::vector<double>(graphs.views.size(), 1.0) : cut.worth;
  for (const Reading& reading : cut.readings) readers_.push_back(reading.reader);
  said_ = cut.said;
  if (said_) keep_said(rows_of(*said_));
  own_ = vote_of_rows(graphs, cut, false).cast<float>();
  const Matrix together = vote_of_rows(graphs, cut, true);
  for (Index i = 0; i < together.rows(); ++i) {
    Index best = 0;
    together.row(i).maxCoeff(&best);
    own_clusters_.push_back(static_cast<int>(best));
  }
  measure(graphs);
}

// What the readers name by a number of the cut before, clusters have by one of their own.
void Votes::learn_names(const std::vector<int>& before) {
  became_ = Matrix::Zero(clusters(), clusters());
  for (std::size_t i = 0; i < before.size(); ++i) {
    became_(before[i], labels_[i]) += 1;
    prior_(before[i]) += 1.0 / static_cast<double>(before.size());
  }
  for (Index k = 0; k < became_.rows(); ++k) {
    if (const double rows = became_.row(k).sum(); rows > 0) became_.row(k) /= rows;
  }
}

void Votes::take(const Recipe& recipe) {
  row_vote_ = recipe.row_vote;
  reader_vote_ = recipe.reader_vote;
  prototype_vote_ = recipe.prototype_vote;
  far_neighbours_ = recipe.far_neighbours;
}

void Votes::keep_said(const Chunk& said) {
  for (const ChunkView& view : said.views) {
    const auto& block = std::get<DenseBlock<float>>(view.block);
    said_rows_.emplace_back(Eigen::Map<const NarrowMatrix>(block.values.data(), block.rows, block.cols));
    std::vector<std::int32_t>& place = place_.emplace_back(said.rows.size(), -1);
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      place[static_cast<std::size_t>(view.present[i])] = static_cast<std::int32_t>(i);
    }
  }
}

std::vector<int> Votes::group() const {
  std::vector<int> out;
  for (Index p = 0; p < prototypes_.rows(); ++p) {
    Index best = 0;
    prototypes_.row(p).maxCoeff(&best);
    out.push_back(static_cast<int>(best));
  }
  return out;
}

RowVector Votes::of(const Near& near, Index instance) const {
  RowVector out = RowVector::Zero(clusters());
  for (Index j = 0; j < near.count; ++j) {
    if (near.id(instance, j) >= 0) out += near.weight(instance, j) * prototypes_.row(near.id(instance, j));
  }
  const double sum = out.sum();
  if (sum > 0) out /= sum;
  return out;
}

Votes::Around Votes::around(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>* products,
                            Compute& compute) const {
  RowNeighbours found;
  if (has_rows()) {
    const std::vector<std::vector<Index>> lists = lists_near(near, rows_->list_of);
    const Index count = products != nullptr ? std::max(neighbours_, far_neighbours_) : neighbours_;
    found = find_rows(chunk, products != nullptr ? *products : std::vector<NarrowMatrix>(), {}, *rows_,
                      {.count = count, .whole = products != nullptr, .lists = &lists}, compute);
  }
  for (NearRows& view : found.views) view = first_of(view, neighbours_);
  std::vector<std::int32_t> known = known_rows(chunk, found);
  return {.found = std::move(found), .known = std::move(known)};
}

double Votes::distance(const Around& around, std::size_t instance) const {
  const std::int32_t known = around.known[instance];
  if (known >= 0) return own_distance_[static_cast<std::size_t>(known)];
  const NearRows& all = around.found.whole;
  if (all.ids.empty()) return kNan;
  const Index first = static_cast<Index>(instance) * all.count;
  return far(all.ids.data() + first, all.distances.data() + first, std::min(far_neighbours_, all.count));
}

std::vector<double> Votes::distances(const PreparedChunk& chunk, const Near& near,
                                     const std::vector<NarrowMatrix>& products, Compute& compute) const {
  const Around near_rows = around(chunk, near, &products, compute);
  std::vector<double> out(near_rows.known.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = distance(near_rows, i);
  return out;
}

Voted Votes::ask(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>* products,
                 Compute& compute) const {
  Around near_rows = around(chunk, near, products, compute);
  RowNeighbours& found = near_rows.found;
  const std::vector<std::int32_t>& known = near_rows.known;
  Matrix neighbours = Matrix::Zero(chunk.size(), clusters());
  Vector seen = Vector::Zero(chunk.size());
  for (std::size_t v = 0; v < found.views.size(); ++v) put_first(known, chunk.present(v), found.views[v]);
  std::vector<NarrowMatrix> said;
  if (!readers_.empty()) said = said_of(chunk, known, compute);
  for (std::size_t v = 0; v < found.views.size(); ++v) {
    add_neighbours(v, found.views[v], chunk.present(v), row_vote_, neighbours, seen);
  }
  if (has_rows() && !said.empty()) {
    RowNeighbours read = find_said(chunk, said, found.lists, compute);
    for (std::size_t v = 0; v < read.views.size(); ++v) {
      put_first(known, chunk.present(v), read.views[v]);
      add_neighbours(v, read.views[v], chunk.present(v), reader_vote_, neighbours, seen);
    }
  }
  for (std::size_t v = 0; !has_rows() && v < said.size(); ++v) {
    add_reader(v, chunk.present(v), said[v], neighbours, seen);
  }
  Voted out{.clusters = {},
            .shares = of([&](Index i) { return of(near, i); }, neighbours, seen),
            .distance = std::vector<double>(known.size())};
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto at = static_cast<Index>(i);
    Index best = 0;
    if (known[i] >= 0) {
      best = own_clusters_[static_cast<std::size_t>(known[i])];
      out.shares.row(at) = own_.row(known[i]).cast<double>();
    } else {
      out.shares.row(at).maxCoeff(&best);
    }
    out.distance[i] = distance(near_rows, i);
    out.clusters.push_back(near.id(at, 0) < 0 ? -1 : static_cast<int>(best));
  }
  return out;
}

std::vector<Votes::Donors> Votes::donors(const PreparedChunk& chunk, const Near& near,
                                         const std::vector<NarrowMatrix>& products, std::optional<std::size_t> view,
                                         Index count, Compute& compute, const std::vector<std::int32_t>* own) const {
  std::vector<Donors> out(static_cast<std::size_t>(chunk.size()));
  if (!has_rows()) return out;
  const std::vector<std::vector<Index>> lists = lists_near(near, rows_->list_of);
  const RowNeighbours found = find_rows(chunk, products, {}, *rows_,
                                        {.count = kLookedThrough * count, .whole = true, .lists = &lists}, compute);
  const std::vector<std::int32_t> known = own != nullptr ? *own : known_rows(chunk, found);
  for (Index i = 0; i < chunk.size(); ++i) {
    Donors& of = out[static_cast<std::size_t>(i)];
    std::vector<double> distances;
    for (Index j = 0; j < found.whole.count && static_cast<Index>(of.rows.size()) < count; ++j) {
      const std::int32_t id = found.whole.id(i, j);
      if (id < 0) break;
      if (id == known[static_cast<std::size_t>(i)]) continue;
      if (view && rows_->views[*view].member[static_cast<std::size_t>(id)] < 0) continue;
      of.rows.push_back(id);
      distances.push_back(found.whole.distance(i, j));
    }
    of.weights.resize(of.rows.size());
    outside_weights(distances.data(), static_cast<Index>(distances.size()), of.weights.data());
  }
  return out;
}

NearRows Votes::nearest(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>& products,
                        Index count, Compute& compute) const {
  const std::vector<std::vector<Index>> lists = lists_near(near, rows_->list_of);
  return find_rows(chunk, products, {}, *rows_, {.count = count, .whole = true, .lists = &lists}, compute).whole;
}

// A third that of the prototypes, and two thirds that of the neighbours, where there are any.
Matrix Votes::of(const std::function<RowVector(Index)>& prototypes, const Matrix& neighbours,
                 const Vector& seen) const {
  Matrix out = Matrix::Zero(neighbours.rows(), clusters());
  for (Index i = 0; i < out.rows(); ++i) {
    out.row(i) = prototype_vote_ * prototypes(i);
    if (seen(i) > 0) out.row(i) += 2 * neighbours.row(i) / seen(i);
    const double sum = out.row(i).sum();
    if (sum > 0) out.row(i) /= sum;
  }
  return out;
}

Matrix Votes::vote_of_rows(const RowGraphs& graphs, const RowCut& cut, bool itself) const {
  Matrix neighbours = Matrix::Zero(graphs.rows, clusters());
  Vector seen = Vector::Zero(graphs.rows);
  for (std::size_t v = 0; v < graphs.views.size(); ++v) {
    const std::vector<Index> rows(graphs.views[v].rows.begin(), graphs.views[v].rows.end());
    add_neighbours(v, nearest_of(graphs.views[v], neighbours_, itself), rows, row_vote_, neighbours, seen);
    if (cut.read.empty()) continue;
    add_neighbours(v, nearest_of(cut.read[v], neighbours_, itself), rows, reader_vote_, neighbours, seen);
  }
  const Matrix soft = graphs.through->soft(prototypes_);
  return of([&](Index i) { return RowVector(soft.row(i)); }, neighbours, seen);
}

RowNeighbours Votes::find_said(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& said,
                               const std::vector<std::vector<Index>>& lists, Compute& compute) const {
  Chunk read{.rows = chunk.chunk->rows, .views = {}};
  for (std::size_t v = 0; v < said.size(); ++v) {
    std::vector<float> values(said[v].data(), said[v].data() + said[v].size());
    read.views.push_back(
        {.block = DenseBlock<float>{.rows = said[v].rows(), .cols = said[v].cols(), .values = std::move(values)},
         .present = chunk.present(v)});
  }
  const PreparedChunk prepared(read);
  return find_rows(prepared, {}, {}, *said_, {.count = neighbours_, .lists = &lists}, compute);
}

// What the readers say; of a row of the table, what was said by those that have not seen it.
std::vector<NarrowMatrix> Votes::said_of(const PreparedChunk& chunk, const std::vector<std::int32_t>& known,
                                         Compute& compute) const {
  std::vector<NarrowMatrix> said;
  for (std::size_t v = 0; v < readers_.size(); ++v) {
    NarrowMatrix& of_view = said.emplace_back(readers_[v].says(chunk.views[v], compute));
    for (std::size_t row = 0; has_rows() && row < chunk.present(v).size(); ++row) {
      const std::int32_t is = known[static_cast<std::size_t>(chunk.present(v)[row])];
      if (is < 0) continue;
      of_view.row(static_cast<Index>(row)) = said_rows_[v].row(place_[v][static_cast<std::size_t>(is)]);
    }
  }
  return said;
}

void Votes::add_neighbours(std::size_t view, const NearRows& near, const std::vector<Index>& instances, double vote,
                           Matrix& out, Vector& seen) const {
  std::vector<double> weights(static_cast<std::size_t>(near.count));
  for (std::size_t row = 0; row < instances.size(); ++row) {
    const auto at = static_cast<Index>(row);
    outside_weights(near.distances.data() + at * near.count, near.count, weights.data());
    double sum = 0;
    for (Index j = 0; j < near.count; ++j) {
      if (near.id(at, j) < 0) continue;
      const double weight = weights[static_cast<std::size_t>(j)];
      out(instances[row], labels_[static_cast<std::size_t>(near.id(at, j))]) += vote * counts(view) * weight;
      sum += weight;
    }
    if (sum > 0) seen(instances[row]) += vote * counts(view);
  }
}

// `instances` are those that have the view, a row of `said` each.
void Votes::add_reader(std::size_t view, const std::vector<Index>& instances, const NarrowMatrix& said, Matrix& out,
                       Vector& seen) const {
  for (std::size_t row = 0; row < instances.size(); ++row) {
    const RowVector chances = (said.row(static_cast<Index>(row)).cast<double>() + prior_).cwiseMax(0) * became_;
    const double sum = chances.sum();
    if (!(sum > 0)) continue;
    out.row(instances[row]) += reader_vote_ * counts(view) / sum * chances;
    seen(instances[row]) += reader_vote_ * counts(view);
  }
}

}  // namespace omvc
