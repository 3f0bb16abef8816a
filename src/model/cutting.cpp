// Cutting the prototypes of a model into clusters.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "cut/candidates.hpp"
#include "cut/names.hpp"
#include "cut/refine.hpp"
#include "cut/spectrum.hpp"
#include "model/choose_k.hpp"
#include "model/model.hpp"

namespace omvc {
namespace {

constexpr int kMostChosen = 25;    // the largest K that is considered where none is given
constexpr int kRefineRounds = 50;  // assignments until K prototypes are at rest
// The labels of a cut follow the same weights by which it is judged, so its normalised cut is too good by some tenths:
// of round, overlapping clusters the better labelling has up to 1.4 times that of the cut, of others more than twice.
constexpr double kRoundShare = 1.5;

}  // namespace

Model::Before Model::remember(Workers& workers) {
  Before before;
  if (!has_clusters()) return before;
  rest();
  sample(workers);
  before.clusters = clusters_;
  before.places = placing().size();
  for (const PreparedChunk& piece : sample_->pieces()) {
    const Placed placed = place(piece, workers);
    for (Index i = 0; i < piece.size(); ++i) {
      const std::int32_t id = placed.near.id(i, 0);
      const bool member = id >= 0 && placed.distance[static_cast<std::size_t>(i)] <= kOutlier;
      before.ids.push_back(id);
      before.groups.push_back(member ? clusters_.group[static_cast<std::size_t>(id)] : -1);
    }
  }
  return before;
}

void Model::cut(int clusters, bool anew, Workers& workers) {
  if (predictor_) {
    throw Error(ErrorKind::usage,
                "this model was saved for prediction only: it keeps nothing that could be cut again; "
                "save it whole");
  }
  const Before before = anew ? Before{} : remember(workers);
  cut_into(clusters, before, workers);
}

void Model::cut_into(int clusters, const Before& before, Workers& workers) {
  sizes_.clear();
  need_sample(workers);
  find_clusters(clusters, workers);
  give_numbers(before, workers);
}

void Model::find_clusters(int asked, Workers& workers) {
  choice_.reset();
  int clusters = asked;
  if (clusters == 0) {
    const int most = std::min<int>(kMostChosen, static_cast<int>(fine_.size()) / 3);
    choice_ = choose_clusters(fine_, most, options_.seed, workers);
    clusters = choice_->clusters;
  }
  if (asked == 0 && fine_.size() < 2) {
    throw Error(ErrorKind::data, "the data show no clusters: all rows are alike, or there are too few of them");
  }
  if (clusters > sample_->size()) {
    throw Error(ErrorKind::data, fmt::format("{} clusters were asked for, but only {} instances with at least one view "
                                             "are kept; ask for fewer clusters",
                                             clusters, sample_->size()));
  }
  candidates_.clear();
  if (by_direction()) {
    cut_candidates(clusters, workers);
  } else {
    cut_prototypes(clusters, workers);
  }
}

std::vector<std::int32_t> Model::cut_fine(int clusters, Workers& workers) {
  if (clusters > fine_.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{} clusters were asked for, but the data have only {} distinct prototypes; ask for fewer "
                            "clusters",
                            clusters, fine_.size()));
  }
  clusters_.group =
      cut_spectrum(spectrum_of(fine_.affinity(), clusters, workers), clusters, options_.seed, workers.threads());
  clusters_.numbers.resize(static_cast<std::size_t>(clusters));
  for (int k = 0; k < clusters; ++k) clusters_.numbers[static_cast<std::size_t>(k)] = k;
  clusters_.refined = false;
  std::vector<std::int32_t> labels;
  for (const Near& near : near_) {
    for (Index i = 0; i < static_cast<Index>(near.distances.size()); ++i) {
      int label = -1;
      double confidence = 0;
      if (near.id(i, 0) >= 0) vote(near, i, label, confidence);
      labels.push_back(label);
    }
  }
  return labels;
}

// Fine prototypes cut into groups, or K prototypes at rest where these make the better labelling.
void Model::cut_prototypes(int clusters, Workers& workers) {
  const std::vector<std::int32_t> labels = cut_fine(clusters, workers);
  Refined refined =
      refine(*sample_, sample_->pieces().size(), schema_, clusters, labels, rule(), kRefineRounds, workers);
  const double cut = normalised_cut(near_, labels, clusters, fine_.size());
  const double round = normalised_cut(near_, refined.labels, clusters, fine_.size());
  candidates_ = {{"cut of the prototypes", cut}, {"round clusters", round}};
  clusters_.found_by = fmt::format("a cut of {} fine prototypes", fine_.size());
  if (!(round < kRoundShare * cut)) return;
  use_refined(std::move(refined.prototypes), clusters, workers);
  clusters_.found_by = fmt::format("a cut of {} fine prototypes, refined to one per cluster", fine_.size());
}

void Model::cut_candidates(int clusters, Workers& workers) {
  std::vector<std::vector<std::int32_t>> more;
  if (fine_.size() >= Index{4} * clusters) more.push_back(cut_fine(clusters, workers));
  Candidate best = best_candidate({.sample = *sample_,
                                   .schema = schema_,
                                   .latent = latent_,
                                   .more = more,
                                   .clusters = clusters,
                                   .rule = rule(),
                                   .seed = options_.seed},
                                  candidates_, workers);
  clusters_.found_by = fmt::format("one prototype per cluster, from the {}", best.name);
  use_refined(std::move(best.refined.prototypes), clusters, workers);
}

void Model::use_refined(FinePrototypes prototypes, int clusters, Workers& workers) {
  coarse_ = std::move(prototypes);
  clusters_.refined = true;
  clusters_.group.resize(static_cast<std::size_t>(clusters));
  clusters_.numbers.resize(static_cast<std::size_t>(clusters));
  for (int k = 0; k < clusters; ++k) {
    clusters_.group[static_cast<std::size_t>(k)] = k;
    clusters_.numbers[static_cast<std::size_t>(k)] = k;
  }
  // Counted once more with their distances, for what is usual; half the mean gap is what the last of few prototypes is
  // compared with.
  const Timed timed(workers.profile(), Step::prototypes);
  const std::vector<PreparedChunk>& pieces = sample_->pieces();
  std::vector<Near> near(pieces.size());
  for_pieces(pieces.size(), workers, [&](std::size_t p, Workers& own) { near[p] = coarse_.near(pieces[p], own); });
  double gap = 0;
  for (const Near& piece : near) gap += piece.gap;
  coarse_.forget(workers);
  coarse_.count(pieces, near, options_.seed, workers);
  coarse_.set_beyond(gap / (2 * static_cast<double>(sample_->size())));
  if (stands_for() != 1) coarse_.decay(stands_for());
}

void Model::number_anew(Workers& workers) {
  sample(workers);
  const std::vector<int> before = clusters_.numbers;
  give_numbers({}, workers);
  history_.rename(before, clusters_.numbers);
  events_.clear();
}

void Model::cut_counted(Workers& workers) {
  if (!clusters_.refined) {
    if (options_.clusters == 0) {
      choice_ = choose_clusters(fine_, std::min<int>(kMostChosen, static_cast<int>(fine_.size()) / 3), options_.seed,
                                workers);
    }
    const int clusters = choice_ ? choice_->clusters : options_.clusters;
    clusters_.group =
        cut_spectrum(spectrum_of(fine_.affinity(), clusters, workers), clusters, options_.seed, workers.threads());
    clusters_.numbers.resize(static_cast<std::size_t>(clusters));
  }
  std::vector<double> sizes(static_cast<std::size_t>(clusters_.count()), 0.0);
  for (Index p = 0; p < placing().size(); ++p) {
    sizes[static_cast<std::size_t>(clusters_.group[static_cast<std::size_t>(p)])] += placing().mass()(p);
  }
  const Naming naming = name_by_size(sizes);
  clusters_.numbers = naming.numbers;
  clusters_.next = naming.next;
}

void Model::give_numbers(const Before& before, Workers& workers) {
  const std::vector<std::int32_t> ids =
      assign_sample(*sample_, sample_->pieces().size(), placing().table(), workers).labels;
  const auto group_of = [&](std::size_t i) {
    return ids[i] < 0 ? -1 : clusters_.group[static_cast<std::size_t>(ids[i])];
  };
  std::vector<double> sizes(static_cast<std::size_t>(clusters_.count()), 0.0);
  std::vector<Index> firsts(sizes.size(), std::numeric_limits<Index>::max());
  const std::vector<Index> rows = sample_->rows();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (group_of(i) < 0) continue;
    const auto group = static_cast<std::size_t>(group_of(i));
    sizes[group] += 1;
    firsts[group] = std::min(firsts[group], rows[i]);
  }
  if (before.clusters.count() == 0) {
    const Naming naming = name_by_size(sizes, firsts);
    clusters_.numbers = naming.numbers;
    clusters_.next = naming.next;
    for (double& size : sizes) size *= stands_for();
    if (timeline().empty())
      history_.add({.instances = clock_, .numbers = naming.numbers, .sizes = sizes, .events = {}});
    return;
  }
  Matrix shared = Matrix::Zero(before.clusters.count(), clusters_.count());
  Vector fresh = Vector::Zero(clusters_.count());
  Matrix moves = Matrix::Zero(before.places, placing().size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || before.ids[i] < 0) continue;
    (before.groups[i] < 0 ? fresh(group_of(i)) : shared(before.groups[i], group_of(i))) += 1;
    moves(before.ids[i], ids[i]) += 1;
  }
  const Naming naming =
      match_names(shared * stands_for(), fresh * stands_for(), before.clusters.numbers, before.clusters.next);
  clusters_.numbers = naming.numbers;
  clusters_.next = naming.next;
  events_.insert(events_.end(), naming.events.begin(), naming.events.end());
  for (double& size : sizes) size *= stands_for();
  history_.add({.instances = clock_, .numbers = naming.numbers, .sizes = sizes, .events = naming.events});
  std::vector<std::int32_t> to;
  for (Index p = 0; p < before.places; ++p) {
    Index at = 0;
    const double most = moves.cols() > 0 ? moves.row(p).maxCoeff(&at) : 0;
    if (!(most > 0)) {
      // No instance of the sample tells: any prototype of the cluster that its own cluster became.
      const int own = before.clusters.group[static_cast<std::size_t>(p)];
      Index cluster = 0;
      shared.row(own).maxCoeff(&cluster);
      at = std::find(clusters_.group.begin(), clusters_.group.end(), static_cast<int>(cluster)) -
           clusters_.group.begin();
    }
    to.push_back(static_cast<std::int32_t>(at));
  }
  moved_.push_back(std::move(to));
}

std::vector<CutLevel> Model::tree(int most, Workers& workers) {
  const Index nodes = fine_.size();
  if (nodes < 2) {
    throw Error(ErrorKind::usage, "this model has no fine prototypes, so it shows no tree of clusters");
  }
  if (most < 2)
    throw Error(ErrorKind::usage, fmt::format("a tree begins with 2 clusters, so it cannot end at {}", most));
  most = static_cast<int>(std::min<Index>(most, nodes));
  const Spectrum spectrum = spectrum_of(fine_.affinity(), most, workers);
  std::vector<CutLevel> levels;
  std::vector<int> before;
  for (int k = 2; k <= most; ++k) {
    std::vector<int> groups = cut_spectrum(spectrum, k, options_.seed, workers.threads());
    std::vector<double> sizes(static_cast<std::size_t>(k), 0.0);
    for (Index p = 0; p < nodes; ++p)
      sizes[static_cast<std::size_t>(groups[static_cast<std::size_t>(p)])] += fine_.mass()(p);
    const std::vector<int> numbers = name_by_size(sizes).numbers;
    for (int& group : groups) group = numbers[static_cast<std::size_t>(group)];
    CutLevel level{.sizes = std::vector<double>(sizes.size()), .parents = std::vector<int>(sizes.size(), -1)};
    for (std::size_t g = 0; g < sizes.size(); ++g) level.sizes[static_cast<std::size_t>(numbers[g])] = sizes[g];
    if (!before.empty()) {
      Matrix shared = Matrix::Zero(k, k - 1);
      for (std::size_t p = 0; p < groups.size(); ++p)
        shared(groups[p], before[p]) += fine_.mass()(static_cast<Index>(p));
      for (int g = 0; g < k; ++g) shared.row(g).maxCoeff(&level.parents[static_cast<std::size_t>(g)]);
    }
    levels.push_back(std::move(level));
    before = std::move(groups);
  }
  return levels;
}

}  // namespace omvc
