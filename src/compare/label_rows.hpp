// The labels of all instances, by row number, for one or several clusterings ("candidates") learned side by side; and
// labels as an embedding: one-hot rows.
#pragma once

#include <memory>
#include <string>

#include "omvc/report.hpp"

#include "compare/prototypes.hpp"
#include "file/archive.hpp"
#include "file/row_store.hpp"

namespace omvc {

class LabelRows {
 public:
  LabelRows(RowFolder folder, int candidates, int clusters);

  void begin_generation() { store_->begin_generation(); }

  // The labels that the last generation left for the instances of the chunk, for the first `candidates`; -1 where there
  // is none.
  CandidateLabels last(const Chunk& chunk, int candidates) const;
  // Writes the labels of the instances that have some view. Candidates that are yet to come have -1.
  void write(const PreparedChunk& chunk, const CandidateLabels& labels);

  // Keeps the labels of one candidate.
  void keep(int candidate);

  const RowStore& store() const { return *store_; }
  void sync() const { store_->sync(); }

  void save(Archive& archive) const;
  // Throws ErrorKind::data where the archive's labels are not those of so many candidates.
  void load(const Archive& archive, int candidates);

 private:
  RowFolder folder_;
  int clusters_;
  bool kept_ = false;
  std::unique_ptr<RowStore> store_;  // one column per candidate
};

// One-hot rows of one candidate's labels; NaN for an instance without a label.
class OneHotEmbedding : public Embedding {
 public:
  OneHotEmbedding(const RowStore& labels, int candidate, int clusters, Index rows)
      : labels_(&labels), candidate_(candidate), clusters_(clusters), rows_(rows) {}
  Index rows() const override { return rows_; }
  Index rank() const override { return clusters_; }
  void read(Index first, Index count, double* out) const override;

 private:
  const RowStore* labels_;
  int candidate_;
  int clusters_;
  Index rows_;
};

}  // namespace omvc
