// What a comparison method, or version 0.1, has left behind: the means to embed and label new instances. It does not go
// on learning.
#pragma once

#include <memory>

#include "omvc/clusterer.hpp"

#include "cut/prototypes.hpp"
#include "factorise/factorisation.hpp"
#include "methods/method.hpp"
#include "run/setting.hpp"

namespace omvc {

class OtherModel {
 public:
  OtherModel(Setting setting, LearnedModel learned, std::vector<Index> observed, double instances);

  // Centres from embedding rows, row-major, by k-means.
  void find_centres(std::vector<double> rows, Workers& workers);
  // Labels of embedding rows by the nearest centre; -1 for rows of NaN.
  std::vector<int> label(const double* rows, Index count) const;

  Assignment assign(Chunk chunk, Workers& workers) const;
  int rank() const;
  double instances() const { return instances_; }
  const Setting& setting() const { return setting_; }
  const Factorisation* factors() const { return learned_.factors.get(); }
  Matrix profiles(std::size_t view) const;  // of each cluster, d x clusters
  std::vector<ViewReport> views() const { return setting_.views(observed_); }

  // Instances of each cluster, by number; empty where the file does not say.
  const std::vector<double>& sizes() const { return sizes_; }
  void set_sizes(std::vector<double> sizes) { sizes_ = std::move(sizes); }

  void save(Archive& archive) const;
  static OtherModel load(const Archive& archive, Setting setting);

 private:
  Setting setting_;
  LearnedModel learned_;
  std::vector<Index> observed_;  // instances of each view
  double instances_ = 0;
  bool unit_rows_ = false;  // embedding rows are brought to length 1 before they are compared with centres
  std::vector<double> sizes_;
  std::vector<double> centres_;  // where prototypes do not give the labels
};

}  // namespace omvc
