// Cutting a model into clusters, and what they are called.
#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "omvc/error.hpp"

#include "cut/refine.hpp"
#include "model/model.hpp"

namespace omvc {

std::vector<Placed> Model::placed(const Cut& cut, Compute& compute, bool shares) const {
  const std::vector<PreparedChunk>& pieces = sample_->pieces();
  std::vector<int> places(static_cast<std::size_t>(cut.count));
  std::iota(places.begin(), places.end(), 0);
  const Placer placer(placer_parts(cut, std::move(places)));
  const auto known = static_cast<Index>(cut.rows.size());
  std::vector<Placed> out(pieces.size());
  for_pieces(pieces.size(), compute, [&](std::size_t p, Compute& own) {
    const Index first = sample_->first(p);
    if (first + pieces[p].size() <= known && p < rows_.near.size()) {
      out[p] = placer.placed(rows_.near[p], std::span(cut.rows).subspan(static_cast<std::size_t>(first)));
      if (shares) out[p].shares = cut.votes->of_rows().middleRows(first, pieces[p].size()).cast<double>();
    } else {
      out[p] = placer.place(pieces[p], own, shares);
    }
  });
  return out;
}

std::vector<Placed> Model::placed_sample(Compute& compute, bool shares) {
  sample(compute);
  std::vector<Placed> out = placed(cut_, compute, shares);
  for (Placed& piece : out) {
    for (std::size_t i = 0; i < piece.labels.size(); ++i) {
      if (piece.clusters[i] >= 0) piece.labels[i] = names_.numbers()[static_cast<std::size_t>(piece.clusters[i])];
    }
  }
  return out;
}

Membership Model::members(const Cut& cut, Compute& compute) const {
  Membership out{.ids = {}, .group = cut.group, .count = cut.count};
  for (const Placed& piece : placed(cut, compute)) {
    for (std::size_t i = 0; i < piece.clusters.size(); ++i) out.ids.push_back(piece.near.id(static_cast<Index>(i), 0));
    if (cut.votes) out.clusters.insert(out.clusters.end(), piece.clusters.begin(), piece.clusters.end());
  }
  return out;
}

Membership Model::members(Compute& compute) {
  rest();
  Membership out{.ids = {}, .group = cut_.group, .count = cut_.count};
  for (const Placed& piece : placed_sample(compute)) {
    for (std::size_t i = 0; i < piece.clusters.size(); ++i) {
      out.ids.push_back(piece.near.id(static_cast<Index>(i), 0));
      out.clusters.push_back(piece.clusters[i]);
      out.outlier.push_back(!(piece.distance[i] <= kOutlier));
    }
  }
  return out;
}

// Takes the clusters. With a past they go on from those that were there.
void Model::use(Cut cut, const std::optional<Membership>& before, Compute& compute) {
  const Membership now = members(cut, compute);
  Names::Named named =
      before ? names_.matched(*before, now, stands_for()) : Names::by_size(now, sample_->rows(), stands_for());
  const std::vector<double> sizes = named.sizes;
  tally_.sizes.clear();
  cut_ = std::move(cut);
  names_.take(std::move(named), tally_.instances);
  std::map<int, double> by_number;
  for (std::size_t k = 0; k < sizes.size(); ++k) by_number[names_.numbers()[k]] = sizes[k];
  for (const auto& [number, size] : by_number) tally_.sizes.push_back(size);
}

void Model::make_again(Compute& compute) {
  std::optional<Membership> before;
  if (cut_.count > 0) before = members(compute);
  build(compute);
  // A stream may begin with rows that are all alike: it has as many clusters as there are prototypes until there are
  // more.
  const Index fine = prototypes_.size();
  const bool text = by_direction(build_input().unit_rows, recipe_);
  const int most = text ? options_.clusters : static_cast<int>(fine);
  const int asked = options_.clusters == 0 && fine < 2 ? 1 : options_.clusters;
  use(omvc::cut(prototypes_, *sample_, graphs(compute), std::min(asked, std::max(most, 1)), build_input(), recipe_,
                compute),
      before, compute);
  rest();
}

void Model::cut(int clusters, Compute& compute) {
  if (predictor_) {
    throw Error(ErrorKind::usage,
                "this model was saved for prediction only: it keeps nothing that could be cut again; "
                "save it whole");
  }
  const int asked_before = std::exchange(options_.clusters, clusters);
  if (clusters > 0 && clusters == cut_.count) return;
  try {
    std::optional<Membership> before;
    if (cut_.count > 0) before = members(compute);
    need_rows(compute);
    use(omvc::cut(prototypes_, *sample_, graphs(compute), clusters, build_input(), recipe_, compute), before, compute);
  } catch (...) {
    options_.clusters = asked_before;
    throw;
  }
}

std::vector<NamedCut> Model::cuts(const std::vector<int>& numbers, Compute& compute) {
  const Membership before = members(compute);
  need_rows(compute);
  std::vector<NamedCut> out;
  for (const int clusters : numbers) {
    compute.poll();
    if (clusters == cut_.count) {
      out.push_back(named(cut_, before, names_.numbers()));
      continue;
    }
    Cut cut = plain_cut(prototypes_, *sample_, graphs(compute), clusters, build_input(), recipe_, compute);
    const Membership now = members(cut, compute);
    out.push_back(named(std::move(cut), now, names_.matched(before, now, stands_for()).naming.numbers));
  }
  return out;
}

NamedCut Model::named(Cut cut, const Membership& now, std::vector<int> numbers) const {
  NamedCut out{.cut = std::move(cut), .numbers = std::move(numbers), .sizes = {}, .rows = {}, .fine = {}};
  out.sizes.assign(static_cast<std::size_t>(out.cut.count), 0.0);
  for (std::size_t i = 0; i < now.ids.size(); ++i) {
    out.rows.push_back(now.cluster(i));
    if (out.rows.back() >= 0) out.sizes[static_cast<std::size_t>(out.rows.back())] += stands_for();
  }
  if (!out.cut.round) {
    out.fine = out.cut.group;
    return out;
  }
  Matrix votes = Matrix::Zero(prototypes_.size(), out.cut.count);
  std::size_t row = 0;
  for (const Near& piece : rows_.near) {
    for (Index i = 0; i < static_cast<Index>(piece.distances.size()); ++i, ++row) {
      if (piece.id(i, 0) >= 0 && out.rows[row] >= 0) votes(piece.id(i, 0), out.rows[row]) += 1;
    }
  }
  out.fine.assign(static_cast<std::size_t>(votes.rows()), 0);
  for (Index p = 0; p < votes.rows(); ++p) {
    if (votes.row(p).sum() > 0) votes.row(p).maxCoeff(&out.fine[static_cast<std::size_t>(p)]);
  }
  return out;
}

void Model::number_anew(Compute& compute) {
  sample(compute);
  names_.rename(Names::by_size(members(cut_, compute), sample_->rows(), 1).naming);
}

}  // namespace omvc
