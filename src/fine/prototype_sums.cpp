#include "fine/prototype_sums.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "kernels/tall.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr double kDistanceStep = 0x1.0p-24;  // distances are rounded to it in sums
constexpr double kSquareSteps = 0x1.0p38;    // squares are rounded to so many squared steps of the values
constexpr double kMembers = 5;               // that the mean distance of all counts for in that of a prototype

double rounded(double x, double step = kDistanceStep) { return std::nearbyint(x / step) * step; }

template <class V>
std::vector<double> values(const V& vector) {
  return {vector.begin(), vector.end()};
}

}  // namespace

PrototypeSums::PrototypeSums(const Schema& schema, Index prototypes)
    : mass(Vector::Zero(prototypes)),
      spread(Vector::Zero(prototypes)),
      squares(Vector::Zero(static_cast<Index>(schema.views.size()))) {
  for (const ViewSchema& view : schema.views) {
    sums.emplace_back(Matrix::Zero(view.features, prototypes));
    counts.emplace_back(RowVector::Zero(prototypes));
  }
  for (Matrix& W : affinity) W = Matrix::Zero(prototypes, prototypes);
}

void PrototypeSums::add(std::span<const PreparedChunk> chunks, std::span<const Near> near,
                        const std::vector<double>& quantum, std::uint64_t seed, Compute& compute,
                        const std::function<void()>& each) {
  std::vector<std::vector<std::int32_t>> nearest(chunks.size());
  std::vector<Members> members;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    nearest[c].assign(static_cast<std::size_t>(chunks[c].size()), -1);
    for (std::size_t i = 0; i < nearest[c].size(); ++i) {
      // One that is infinitely far from all prototypes is near to none.
      if (std::isfinite(near[c].distances[i])) nearest[c][i] = near[c].id(static_cast<Index>(i), 0);
    }
    members.push_back({&chunks[c], &nearest[c]});
  }
  add_rounded_rows(members, 1, quantum, sums, compute);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    add_counts(members[c], 1);
    add_affinity(chunks[c], near[c], nearest[c], quantum, seed);
    if (each) each();
  }
}

void PrototypeSums::add(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                        Compute& compute) {
  add_rounded_rows(members, sign, quantum, sums, compute);
  for (const Members& of : members) add_counts(of, sign);
}

void PrototypeSums::add_affinity(const PreparedChunk& chunk, const Near& near, const std::vector<std::int32_t>& nearest,
                                 const std::vector<double>& quantum, std::uint64_t seed) {
  for (std::size_t v = 0; v < near.squares.size(); ++v) {
    const double step = kSquareSteps * quantum[v] * quantum[v];
    for (std::size_t i = 0; i < near.squares[v].size(); ++i) {
      if (nearest[static_cast<std::size_t>(chunk.present(v)[i])] < 0) continue;
      squares(static_cast<Index>(v)) += rounded(near.squares[v][i], step);
    }
  }
  const Random random(seed, Purpose::split);
  for (Index i = 0; i < chunk.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (nearest[at] < 0) continue;
    spread(nearest[at]) += rounded(near.distances[at]);
    Matrix& W = affinity[random.bits(static_cast<std::uint64_t>(chunk.chunk->rows[at])) & 1];
    for (Index a = 0; a < near.count; ++a) {
      for (Index b = 0; b < near.count; ++b) W(near.id(i, a), near.id(i, b)) += near.weight(i, a) * near.weight(i, b);
    }
  }
}

void PrototypeSums::add_counts(const Members& of, double sign) {
  for (std::size_t v = 0; v < counts.size(); ++v) {
    for (const Index at : of.chunk->present(v)) {
      const std::int32_t id = (*of.ids)[static_cast<std::size_t>(at)];
      if (id >= 0) counts[v](id) += sign;
    }
  }
  for (const std::int32_t id : *of.ids) {
    if (id >= 0) mass(id) += sign;
  }
}

void PrototypeSums::decay(double factor) {
  for (std::size_t v = 0; v < sums.size(); ++v) {
    sums[v] *= factor;
    counts[v] *= factor;
  }
  for (Matrix& W : affinity) W *= factor;
  mass *= factor;
  spread *= factor;
  squares *= factor;
}

void PrototypeSums::clear(Compute& compute) {
  const auto to_zero = [&](Matrix& numbers) {
    for_tall_blocks(compute, numbers.rows(), numbers.cols(),
                    [&](Index first, Index count) { numbers.middleRows(first, count).setZero(); });
  };
  for (std::size_t v = 0; v < sums.size(); ++v) {
    to_zero(sums[v]);
    counts[v].setZero();
  }
  for (Matrix& W : affinity) {
    W.resize(size(), size());
    to_zero(W);
  }
  mass.setZero();
  spread.setZero();
  squares.setZero();
}

void PrototypeSums::merge(const PrototypeSums& other) {
  bool same = other.size() == size() && other.sums.size() == sums.size();
  for (std::size_t v = 0; same && v < sums.size(); ++v) same = other.sums[v].rows() == sums[v].rows();
  if (!same) throw Error(ErrorKind::data, "what was counted of two parts of the data is of other prototypes");
  for (std::size_t v = 0; v < sums.size(); ++v) {
    sums[v] += other.sums[v];
    counts[v] += other.counts[v];
  }
  for (std::size_t half = 0; half < affinity.size(); ++half) affinity[half] += other.affinity[half];
  mass += other.mass;
  spread += other.spread;
  squares += other.squares;
}

void PrototypeSums::keep(const std::vector<Index>& prototypes) {
  for (std::size_t v = 0; v < sums.size(); ++v) {
    sums[v] = Matrix(sums[v](Eigen::all, prototypes));
    counts[v] = RowVector(counts[v](prototypes));
  }
  for (Matrix& W : affinity) W = Matrix(W(prototypes, prototypes));
  mass = Vector(mass(prototypes));
  spread = Vector(spread(prototypes));
}

bool PrototypeSums::complete() const {
  return std::all_of(counts.begin(), counts.end(), [&](const RowVector& rows) { return rows.transpose() == mass; });
}

Vector PrototypeSums::usual_distances() const {
  return (spread.array() + kMembers * mean_distance()) / (mass.array() + kMembers);
}

Matrix PrototypeSums::means(std::size_t view, const std::vector<int>& group, int groups) const {
  Matrix total = Matrix::Zero(sums[view].rows(), groups);
  RowVector members = RowVector::Zero(groups);
  for (Index k = 0; k < size(); ++k) {
    const int g = group[static_cast<std::size_t>(k)];
    if (g < 0) continue;
    total.col(g) += sums[view].col(k);
    members(g) += counts[view](k);
  }
  return total * members.cwiseMax(1e-300).cwiseInverse().asDiagonal();
}

std::vector<double> PrototypeSums::between(const std::vector<int>& group, int groups) const {
  std::vector<double> out;
  for (std::size_t v = 0; v < sums.size(); ++v) {
    const Matrix centre = means(v, group, groups);
    RowVector members = RowVector::Zero(groups);
    for (Index k = 0; k < size(); ++k) {
      if (group[static_cast<std::size_t>(k)] >= 0) members(group[static_cast<std::size_t>(k)]) += counts[v](k);
    }
    out.push_back((centre.colwise().squaredNorm().array() * members.array()).sum());
  }
  return out;
}

void PrototypeSums::put(Archive& archive, const std::string& key, bool whole) const {
  archive.put(key + "/mass", values(mass));
  archive.put(key + "/spread", values(spread));
  archive.put(key + "/squares", values(squares));
  for (std::size_t v = 0; v < sums.size(); ++v) {
    archive.put(fmt::format("{}/view{}/counts", key, v), values(counts[v]));
    if (whole) archive.put(fmt::format("{}/view{}/sums", key, v), sums[v]);
  }
  for (std::size_t half = 0; whole && half < affinity.size(); ++half) {
    archive.put(fmt::format("{}/affinity{}", key, half), affinity[half]);
  }
}

PrototypeSums PrototypeSums::get(const Archive& archive, const std::string& key, const Schema& schema, Index prototypes,
                                 bool whole) {
  PrototypeSums out;
  out.mass = archive.vector(key + "/mass", prototypes, kCount);
  out.spread = archive.vector(key + "/spread", prototypes, kNonnegative);
  out.squares = archive.vector(key + "/squares", static_cast<Index>(schema.views.size()), kNonnegative);
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    out.counts.emplace_back(archive.vector(name + "/counts", prototypes, kCount));
    if (out.rows(v) > kCount.high) throw Error(ErrorKind::data, "the prototypes count more rows than can be");
    if (whole) out.sums.push_back(archive.matrix(name + "/sums", schema.views[v].features, prototypes, kSquarable));
  }
  for (std::size_t half = 0; whole && half < out.affinity.size(); ++half) {
    out.affinity[half] = archive.matrix(fmt::format("{}/affinity{}", key, half), prototypes, prototypes, kNonnegative);
  }
  return out;
}

}  // namespace omvc
