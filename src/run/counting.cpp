#include "run/counting.hpp"

#include <algorithm>
#include <any>

#include "chunk/presence.hpp"

namespace omvc {

Counting::Counting(const Fitting& fit, Counts& counts, KeptRows* kept, LossCurve* curve, Compute& compute)
    : model_(*fit.model), placer_(model_.placer()), counts_(counts), kept_(kept), curve_(curve), compute_(compute) {
  last_ = fit.state.position.pass == fit.passes;
  embeds_ = kept != nullptr && kept->wants_embedding() && last_;
  shares_ = kept != nullptr && kept->wants_shares(*placer_) && last_;
}

PlacedAhead Counting::place(const PreparedChunk& data, Compute& compute) const {
  std::vector<NarrowMatrix> products;
  PlacedAhead out;
  out.near = placer_->near(data, compute, last_ ? &products : nullptr);
  if (last_) out.votes = placer_->vote(data, out.near, products, compute, shares_ ? &out.shares : nullptr);
  if (embeds_) out.embedded = placer_->embed(data, compute);
  return out;
}

void Counting::place_ahead(PassOptions& options) {
  if (compute_.threads() == 1 || compute_.executor()) return;
  options.together = true;
  options.ahead = {.readers = std::min((3 * compute_.threads() + 3) / 4, kMostReaders),
                   .work = [this](const Chunk& chunk) {
                     Compute alone;
                     alone.set_backend(compute_.backend());
                     PlacedAhead out = place(PreparedChunk(chunk), alone);
                     out.products = alone.profile().take_products();
                     return std::any(std::move(out));
                   }};
  left_.emplace(std::max(1, compute_.threads() - options.ahead.readers)).set_backend(compute_.backend());
}

void Counting::add(std::vector<StreamedChunk>& items) {
  const Timed timed(compute_.profile(), Step::learning);
  std::vector<PreparedChunk> data;
  {
    const Timed preparing(compute_.profile(), Step::prepare);
    for (const StreamedChunk& item : items) counts_.add(data.emplace_back(item.chunk), item.negatives);
  }
  std::vector<Near> near;
  std::vector<std::vector<Vote>> votes;
  std::vector<Matrix> embedded;
  std::vector<Matrix> shares;
  for (std::size_t c = 0; c < items.size(); ++c) {
    PlacedAhead placed = left_ ? std::any_cast<PlacedAhead>(std::move(items[c].done)) : place(data[c], compute_);
    compute_.profile().count_products(placed.products);
    near.push_back(std::move(placed.near));
    std::vector<int> clusters;
    for (const Vote& vote : placed.votes) clusters.push_back(vote.cluster);
    counts_.add(clusters);
    votes.push_back(std::move(placed.votes));
    embedded.push_back(std::move(placed.embedded));
    shares.push_back(std::move(placed.shares));
  }
  const Timed counting(compute_.profile(), Step::prototypes);
  counts_.sums.add(data, near, model_.placing().rule().quantum, model_.options().seed, left_ ? *left_ : compute_, [&] {
    if (curve_ != nullptr) curve_->add(counts_.sums.mean_distance());
  });
  if (left_) compute_.profile().count_products(left_->profile().take_products());
  for (std::size_t c = 0; kept_ != nullptr && c < data.size(); ++c) {
    kept_->write(*data[c].chunk, presence_bits(*data[c].chunk), near[c], votes[c], model_.names().generation());
    if (embeds_) kept_->write_embedding(data[c], embedded[c]);
    if (shares_) kept_->write_shares(data[c], shares[c]);
  }
}

}  // namespace omvc
