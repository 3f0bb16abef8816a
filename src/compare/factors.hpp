// What the methods that factorise have in common: what each asks of the solver, and the rows they leave on disk.
#pragma once

#include <span>

#include "omvc/report.hpp"

#include "factorise/factorisation.hpp"
#include "file/row_store.hpp"

namespace omvc {

// What a method asks of the solver: one latent row per instance and whole filled rows for onmf, one per view for the
// others, dynamic weights for the paper's and mic.
FactorOptions factor_options(const Options& options);

// The same for embedding new instances, where rows have no penalty of their own: that of mic is left out.
FactorOptions embedding_options(const Options& options);

// The number of components that the options ask for or leave to us: K, as the papers set it.
inline int factor_rank(const Options& options) { return options.rank > 0 ? options.rank : options.clusters; }

// Writes the learned rows of a chunk whose instances have these row numbers.
void write_rows(RowStore& store, std::span<const Index> numbers, const LearnedRows& learned);

// The rows that a method has left in a store, brought to the scale that the factors have now.
class StoredEmbedding : public Embedding {
 public:
  StoredEmbedding(const RowStore& store, const RowVector& scale, Index rows)
      : store_(&store), scale_(scale), rows_(rows) {}
  Index rows() const override { return rows_; }
  Index rank() const override { return store_->width(); }
  void read(Index first, Index count, double* out) const override;

 private:
  const RowStore* store_;
  RowVector scale_;
  Index rows_;
};

}  // namespace omvc
