// What a fit keeps of every row, on disk, so that rows are labelled without reading the data again: the prototypes near
// to the row, from which its label follows once the clusters are known, the views that it has, and, where the sink
// wants them, its embedding and the shares of all clusters in the vote. Labels go from here straight to the sink, in
// row order.
#pragma once

#include <memory>
#include <vector>

#include "file/row_store.hpp"
#include "model/model.hpp"
#include "run/together.hpp"
#include "tally/label_counts.hpp"

namespace omvc {

// Numbers that are kept of each row where somebody wants them, so many as is known once the first rows come.
class WideRows {
 public:
  WideRows(std::string name, bool wanted) : name_(std::move(name)), wanted_(wanted) {}

  bool wanted() const { return wanted_; }
  bool lacking() const { return wanted_ && !store_; }
  const RowStore* store() const { return store_.get(); }
  RowStore& open(RowFolder& folder, Index width);
  // The rows of a chunk that have any view.
  void write(RowFolder& folder, const PreparedChunk& chunk, const Matrix& rows);

  void save(Archive& archive) const;
  void load(RowFolder& folder, const Archive& archive);

 private:
  std::string name_;
  bool wanted_;
  std::unique_ptr<RowStore> store_;
};

class KeptRows {
 public:
  // Of data of so many views; `near` prototypes are kept of each row.
  KeptRows(RowFolder folder, std::size_t views, Index near, Extras wanted);

  bool wants_embedding() const { return embedding_.wanted(); }
  // Votes of prototypes can be taken again, those of rows cannot.
  bool wants_shares(const Placer& placer) const { return shares_.wanted() && placer.by_rows(); }
  // Something is wanted that the last pass has not written.
  bool lacks(const Placer& placer) const { return embedding_.lacking() || (shares_.lacking() && wants_shares(placer)); }
  void begin_pass() { near_->begin_generation(); }

  // Keeps the rows of a chunk: where they lie among the prototypes of this generation (Names::generation), what was
  // voted for each (nothing: the vote is taken later, by the prototypes), and their patterns of presence.
  void write(const Chunk& chunk, const std::vector<double>& patterns, const Near& near, const std::vector<Vote>& votes,
             Index generation);
  void write_embedding(const PreparedChunk& chunk, const Matrix& rows) { embedding_.write(folder_, chunk, rows); }
  void write_shares(const PreparedChunk& chunk, const Matrix& rows) { shares_.write(folder_, chunk, rows); }

  // Called in every process, with the range of its own rows: the first process gets what the others have kept of
  // theirs.
  void gather(Together& together, Rows rows, const Placer& placer);

  // Labels rows, and hands them to the sink and to `counts`. With `from_sample` the rows of the sample are labelled as
  // the model places them now: for data that were read once, or that are all in the sample. `once` says that the data
  // were read once: then the embedding of a row outside the sample is made from those of the prototypes near to it.
  void label(Rows rows, Model& model, bool from_sample, bool once, Sink& sink, LabelCounts& counts, Compute& compute);

  void save(Archive& archive) const;
  void load(const Archive& archive);
  void sync() const;

 private:
  struct Block;
  struct SampleLabels;
  SampleLabels label_sample(Model& model, Compute& compute) const;
  void read_block(const Model& model, const Placer& placer, const Matrix& latent, Block& block) const;
  void check_record(const Model& model, const double* record) const;

  RowFolder folder_;
  std::size_t views_;
  Index width_;  // of a record: generation, distance, pattern, vote, and one number for each prototype that is near
  std::unique_ptr<RowStore> near_;
  WideRows embedding_;
  WideRows shares_;  // of the clusters in the vote, by their places in the cut
};

}  // namespace omvc
