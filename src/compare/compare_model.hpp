// What a comparison method has left behind: the means to embed and label new instances. It does not go on learning.
#pragma once

#include <memory>

#include "compare/method.hpp"
#include "compare/prototypes.hpp"
#include "factorise/factorisation.hpp"
#include "pass/labeller.hpp"
#include "pass/setting.hpp"
#include "scale/intake.hpp"

namespace omvc {

class CompareModel final : public Labeller {
 public:
  CompareModel(Setting setting, Intake intake, LearnedModel learned, std::vector<Index> observed, double instances);

  // Centres from embedding rows, row-major, by k-means.
  void find_centres(std::vector<double> rows, Compute& compute);
  // Labels of embedding rows by the nearest centre; -1 for rows of NaN.
  std::vector<int> label_rows(const double* rows, Index count) const;

  const Schema& schema() const override { return setting_.schema; }
  int rank() const override;
  Assignment label(Chunk chunk, Extras extras, Compute& compute) const override;

  double instances() const { return instances_; }
  const Setting& setting() const { return setting_; }
  const Factorisation* factors() const { return learned_.factors.get(); }
  Matrix profiles(std::size_t view) const;  // of each cluster, d x clusters
  std::vector<ViewReport> views() const { return setting_.views(observed_); }

  // Instances of each cluster, by number.
  const std::vector<double>& sizes() const { return sizes_; }
  void set_sizes(std::vector<double> sizes) { sizes_ = std::move(sizes); }

  void save(Archive& archive) const;
  static CompareModel load(const Archive& archive, Setting setting);

 private:
  Setting setting_;
  Intake intake_;
  LearnedModel learned_;
  std::vector<Index> observed_;  // instances of each view
  double instances_ = 0;
  std::vector<double> sizes_;
  std::vector<double> centres_;  // where prototypes do not give the labels
};

}  // namespace omvc
