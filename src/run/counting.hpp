// One part of a pass: chunks are placed among the prototypes and counted, and what labels follow from is kept.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "run/steps.hpp"

namespace omvc {

// A chunk that was placed by the thread that has read it.
struct PlacedAhead {
  Near near;
  std::vector<Vote> votes;  // in the last pass
  Matrix embedded;          // where it is wanted
  Matrix shares;            // likewise
  std::vector<ProductCount> products;
};

class Counting {
 public:
  // `kept` and `curve` may be null. All that is given must outlive this.
  Counting(const Fitting& fit, Counts& counts, KeptRows* kept, LossCurve* curve, Compute& compute);

  // Where instances are needs nothing that counting changes: with several threads, those that read find it, and the
  // chunks that are ready are counted together by the threads that are left, a quarter of all.
  void place_ahead(PassOptions& options);
  void add(std::vector<StreamedChunk>& items);

 private:
  PlacedAhead place(const PreparedChunk& data, Compute& compute) const;

  const Model& model_;
  std::shared_ptr<const Placer> placer_;
  Counts& counts_;
  KeptRows* kept_;
  LossCurve* curve_;
  Compute& compute_;
  bool last_ = false;  // of all passes: labels follow from it
  bool embeds_ = false;
  bool shares_ = false;
  std::optional<Compute> left_;  // threads beside those that read
};

}  // namespace omvc
