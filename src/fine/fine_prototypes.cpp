#include "fine/fine_prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "omvc/error.hpp"

#include "kernels/tall.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr double kDistanceStep = 0x1.0p-24;  // distances are rounded to it in sums
constexpr double kMembers = 5;               // that the mean distance of all counts for in that of a prototype
constexpr Index kMostPrototypes = 1000000;   // in an archive: more is nonsense

constexpr double kSquareSteps = 0x1.0p38;  // squares are rounded to so many squared steps of the values

double rounded(double x, double step = kDistanceStep) { return std::nearbyint(x / step) * step; }

template <class V>
std::vector<double> values(const V& vector) {
  return {vector.begin(), vector.end()};
}

template <class M>
void keep_columns(const std::vector<Index>& kept, M& matrix) {
  matrix = M(matrix(Eigen::all, kept));
}

}  // namespace

FinePrototypes::FinePrototypes(const Schema& schema, Index count, FineRule rule)
    : rule_(std::move(rule)),
      mass_(Vector::Zero(count)),
      spread_(Vector::Zero(count)),
      squares_(Vector::Zero(static_cast<Index>(schema.views.size()))) {
  for (const ViewSchema& view : schema.views) {
    table_.columns.emplace_back(NarrowMatrix::Zero(view.features, count));
    table_.norms.emplace_back(RowVector::Zero(count));
    sums_.emplace_back(Matrix::Zero(view.features, count));
    counts_.emplace_back(RowVector::Zero(count));
  }
  for (Matrix& W : affinity_) W = Matrix::Zero(count, count);
}

void FinePrototypes::count(std::span<const PreparedChunk> chunks, std::span<const Near> near, std::uint64_t seed,
                           Workers& workers, const std::function<void()>& each) {
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
  add_rounded_rows(members, 1, rule_.quantum, sums_, workers);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    add_counts(members[c], 1);
    add_affinity(chunks[c], near[c], nearest[c], seed);
    if (each) each();
  }
}

void FinePrototypes::add_affinity(const PreparedChunk& chunk, const Near& near,
                                  const std::vector<std::int32_t>& nearest, std::uint64_t seed) {
  for (std::size_t v = 0; v < near.squares.size(); ++v) {
    const double step = kSquareSteps * rule_.quantum[v] * rule_.quantum[v];
    for (std::size_t i = 0; i < near.squares[v].size(); ++i) {
      if (nearest[static_cast<std::size_t>(chunk.present(v)[i])] < 0) continue;
      squares_(static_cast<Index>(v)) += rounded(near.squares[v][i], step);
    }
  }
  const Random random(seed, Purpose::split);
  for (Index i = 0; i < chunk.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (nearest[at] < 0) continue;
    spread_(nearest[at]) += rounded(near.distances[at]);
    Matrix& W = affinity_[random.bits(static_cast<std::uint64_t>(chunk.chunk->rows[at])) & 1];
    for (Index a = 0; a < near.count; ++a) {
      for (Index b = 0; b < near.count; ++b) W(near.id(i, a), near.id(i, b)) += near.weight(i, a) * near.weight(i, b);
    }
  }
}

void FinePrototypes::add(std::span<const Members> members, double sign, Workers& workers) {
  add_rounded_rows(members, sign, rule_.quantum, sums_, workers);
  for (const Members& of : members) add_counts(of, sign);
}

void FinePrototypes::add_counts(const Members& of, double sign) {
  for (std::size_t v = 0; v < counts_.size(); ++v) {
    for (const Index at : of.chunk->present(v)) {
      const std::int32_t id = (*of.ids)[static_cast<std::size_t>(at)];
      if (id >= 0) counts_[v](id) += sign;
    }
  }
  for (const std::int32_t id : *of.ids) {
    if (id >= 0) mass_(id) += sign;
  }
}

void FinePrototypes::decay(double factor) {
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    sums_[v] *= factor;
    counts_[v] *= factor;
  }
  for (Matrix& W : affinity_) W *= factor;
  mass_ *= factor;
  spread_ *= factor;
  squares_ *= factor;
}

void FinePrototypes::forget(Workers& workers) {
  const auto clear = [&](Matrix& numbers) {
    for_tall_blocks(workers, numbers.rows(), numbers.cols(),
                    [&](Index first, Index count) { numbers.middleRows(first, count).setZero(); });
  };
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    clear(sums_[v]);
    counts_[v].setZero();
  }
  for (Matrix& W : affinity_) {
    W.resize(size(), size());
    clear(W);
  }
  mass_.setZero();
  spread_.setZero();
  squares_.setZero();
}

void FinePrototypes::settle(Workers& workers) {
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    const double rows = counts_[v].sum();
    NarrowMatrix& P = table_.columns[v];
    RowVector scale = RowVector::Zero(size());
    RowVector mean = RowVector::Zero(size());  // weight of the mean of the view
    RowVector stay = RowVector::Zero(size());
    const bool prior = !prior_.empty();
    for (Index k = 0; k < size(); ++k) {
      if (prior && mass_(k) > 0) {
        scale(k) = 1 / (counts_[v](k) + prior_rows_);
      } else if (counts_[v](k) > 0) {
        scale(k) = 1 / counts_[v](k);
      } else if (mass_(k) > 0 && rows > 0) {
        mean(k) = 1 / rows;
      } else {
        stay(k) = 1;
      }
    }
    for_tall_blocks(workers, P.rows(), P.cols(), [&](Index first, Index count) {
      RowVector row(size());
      for (Index j = first; j < first + count; ++j) {
        row = P.row(j).cast<double>().cwiseProduct(stay) + sums_[v].row(j).cwiseProduct(scale) +
              sums_[v].row(j).sum() * mean;
        if (prior) row += prior_rows_ * prior_[v].row(j).cwiseProduct(scale);
        P.row(j) = row.cast<float>();
      }
    });
  }
  table_.measure(workers);
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    if (!rule_.direction[v]) continue;
    const RowVector shrink = table_.norms[v].unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; });
    table_.columns[v].array().rowwise() *= shrink.cast<float>().array();
    table_.norms[v] = table_.norms[v].unaryExpr([](double x) { return x > 0 ? 1.0 : 0.0; });
  }
}

void FinePrototypes::drop_empty(Workers& workers) {
  std::vector<Index> kept;
  for (Index k = 0; k < size(); ++k) {
    if (mass_(k) > 0) kept.push_back(k);
  }
  if (static_cast<Index>(kept.size()) == size()) return;
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    keep_columns(kept, table_.columns[v]);
    keep_columns(kept, sums_[v]);
    if (!prior_.empty()) keep_columns(kept, prior_[v]);
    counts_[v] = RowVector(counts_[v](kept));
  }
  for (Matrix& W : affinity_) W = Matrix(W(kept, kept));
  mass_ = Vector(mass_(kept));
  spread_ = Vector(spread_(kept));
  table_.measure(workers);
}

bool FinePrototypes::complete() const {
  return std::all_of(counts_.begin(), counts_.end(),
                     [&](const RowVector& counts) { return counts.transpose() == mass_; });
}

Vector FinePrototypes::usual_distances() const {
  return (spread_.array() + kMembers * mean_distance()) / (mass_.array() + kMembers);
}

Matrix FinePrototypes::means(std::size_t view, const std::vector<int>& group, int groups) const {
  Matrix means = Matrix::Zero(sums_[view].rows(), groups);
  RowVector counts = RowVector::Zero(groups);
  for (Index k = 0; k < size(); ++k) {
    const int g = group[static_cast<std::size_t>(k)];
    if (g < 0) continue;
    means.col(g) += sums_[view].col(k);
    counts(g) += counts_[view](k);
  }
  return means * counts.cwiseMax(1e-300).cwiseInverse().asDiagonal();
}

std::vector<double> FinePrototypes::between(const std::vector<int>& group, int groups) const {
  std::vector<double> out;
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    const Matrix centre = means(v, group, groups);
    RowVector counts = RowVector::Zero(groups);
    for (Index k = 0; k < size(); ++k) {
      if (group[static_cast<std::size_t>(k)] >= 0) counts(group[static_cast<std::size_t>(k)]) += counts_[v](k);
    }
    out.push_back((centre.colwise().squaredNorm().array() * counts.array()).sum());
  }
  return out;
}

FinePrototypes FinePrototypes::for_placing() const {
  FinePrototypes out;
  out.rule_ = rule_;
  out.table_ = table_;
  out.counts_ = counts_;
  out.mass_ = mass_;
  out.spread_ = spread_;
  out.squares_ = squares_;
  out.beyond_ = beyond_;
  out.prior_rows_ = prior_rows_;
  out.sums_.resize(sums_.size());
  return out;
}

void FinePrototypes::save_sums(Archive& archive, const std::string& key) const {
  archive.put(key + "/mass", values(mass_));
  archive.put(key + "/spread", values(spread_));
  archive.put(key + "/squares", values(squares_));
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    archive.put(fmt::format("{}/view{}/counts", key, v), values(counts_[v]));
    archive.put(fmt::format("{}/view{}/sums", key, v), sums_[v]);
  }
  for (std::size_t half = 0; half < affinity_.size(); ++half) {
    archive.put(fmt::format("{}/affinity{}", key, half), affinity_[half]);
  }
}

void FinePrototypes::merge_sums(Archive& sum, const Archive& part, const std::string& key, std::size_t views) {
  const auto add = [&](const std::string& name, Range range) {
    std::vector<double> both = sum.numbers(name, range);
    const Vector more = part.vector(name, static_cast<Index>(both.size()), range);
    std::transform(both.begin(), both.end(), more.begin(), both.begin(), std::plus<>{});
    sum.put(name, std::move(both));
  };
  const auto add_matrix = [&](const std::string& name, Range range) {
    Matrix both = sum.matrix(name);
    both += part.matrix(name, both.rows(), both.cols(), range);
    sum.put(name, both);
  };
  add(key + "/mass", kCount);
  add(key + "/spread", kNonnegative);
  add(key + "/squares", kNonnegative);
  for (std::size_t v = 0; v < views; ++v) {
    add(fmt::format("{}/view{}/counts", key, v), kCount);
    add_matrix(fmt::format("{}/view{}/sums", key, v), kSquarable);
  }
  for (std::size_t half = 0; sum.has(fmt::format("{}/affinity{}", key, half)); ++half) {
    add_matrix(fmt::format("{}/affinity{}", key, half), kNonnegative);
  }
}

FinePrototypes FinePrototypes::with_sums(const Archive& archive, const std::string& key) const {
  FinePrototypes out = *this;
  out.mass_ = archive.vector(key + "/mass", size(), kCount);
  out.spread_ = archive.vector(key + "/spread", size(), kNonnegative);
  out.squares_ = archive.vector(key + "/squares", static_cast<Index>(sums_.size()), kNonnegative);
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    out.counts_[v] = archive.vector(name + "/counts", size(), kCount).transpose();
    out.sums_[v] = archive.matrix(name + "/sums", sums_[v].rows(), size(), kSquarable);
  }
  for (std::size_t half = 0; half < affinity_.size(); ++half) {
    out.affinity_[half] = archive.matrix(fmt::format("{}/affinity{}", key, half), size(), size(), kNonnegative);
  }
  return out;
}

void FinePrototypes::save(Archive& archive, const std::string& key, bool sums) const {
  archive.put(key + "/mass", values(mass_));
  archive.put(key + "/spread", values(spread_));
  archive.put(key + "/squares", values(squares_));
  archive.put(key + "/beyond", std::vector<double>{beyond_, prior_rows_});
  for (std::size_t v = 0; v < sums_.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    archive.put(name + "/prototypes", Matrix(table_.columns[v].cast<double>()));
    archive.put(name + "/norms", values(table_.norms[v]));
    archive.put(name + "/counts", values(counts_[v]));
    if (sums) archive.put(name + "/sums", sums_[v]);
    if (sums && !prior_.empty()) archive.put(name + "/prior", prior_[v]);
  }
  if (!sums) return;
  for (std::size_t half = 0; half < affinity_.size(); ++half) {
    archive.put(fmt::format("{}/affinity{}", key, half), affinity_[half]);
  }
}

FinePrototypes FinePrototypes::load(const Archive& archive, const std::string& key, const Schema& schema, FineRule rule,
                                    bool sums) {
  const auto count = static_cast<Index>(archive.numbers(key + "/mass").size());
  if (count > kMostPrototypes) throw Error(ErrorKind::data, "the model's prototypes make no sense");
  FinePrototypes out;
  out.rule_ = std::move(rule);
  out.mass_ = archive.vector(key + "/mass", count, kCount);
  out.spread_ = archive.vector(key + "/spread", count, kNonnegative);
  out.squares_ = Vector::Zero(static_cast<Index>(schema.views.size()));
  if (archive.has(key + "/squares")) out.squares_ = archive.vector(key + "/squares", out.squares_.size(), kNonnegative);
  const Vector beyond = archive.vector(key + "/beyond", 2, kNonnegative);
  out.beyond_ = beyond(0);
  out.prior_rows_ = beyond(1);
  const bool prior = sums && archive.has(fmt::format("{}/view0/prior", key));
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    const Index features = schema.views[v].features;
    out.table_.columns.emplace_back(archive.matrix(name + "/prototypes", features, count, kNarrow).cast<float>());
    out.table_.norms.emplace_back(archive.vector(name + "/norms", count, kNonnegative));
    out.counts_.emplace_back(archive.vector(name + "/counts", count, kCount));
    if (out.rows(v) > kCount.high) throw Error(ErrorKind::data, "the model's prototypes count more rows than can be");
    if (prior) out.prior_.push_back(archive.matrix(name + "/prior", features, count, kSquarable));
    out.sums_.push_back(sums ? archive.matrix(name + "/sums", features, count, kSquarable)
                             : Matrix(out.table_.columns[v].cast<double>() * out.counts_[v].asDiagonal()));
  }
  for (std::size_t half = 0; sums && half < out.affinity_.size(); ++half) {
    out.affinity_[half] = archive.matrix(fmt::format("{}/affinity{}", key, half), count, count, kNonnegative);
  }
  return out;
}

}  // namespace omvc
