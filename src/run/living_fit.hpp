// The living model as a fit drives it. Where every instance is, for later: the prototypes near to it, on disk, named
// when the clusters are known. So a stream that is read once needs no second read.
#pragma once

#include <functional>

#include "methods/method.hpp"
#include "model/model.hpp"
#include "run/together.hpp"

namespace omvc {

class LivingFit final : public Method {
 public:
  // The model has looked at the data where they can be read again, and has learned nothing otherwise. It must outlive
  // this.
  LivingFit(const MethodContext& context, Model& model);

  int rank() const override { return model_->rank(); }
  void begin_pass(int pass) override;
  int learn(const PreparedChunk& chunk, Workers& workers) override;
  // The same in two steps. Where the instances of a chunk are needs nothing that counting changes: it is found by any
  // thread, while others are counted.
  struct PlacedAhead {
    Near near;
    Matrix embedded;  // where it is wanted
    std::vector<ProductCount> products;
  };
  PlacedAhead place(const Chunk& chunk) const;
  // `each` is called after every chunk.
  void learn(std::span<const PreparedChunk> chunks, std::vector<PlacedAhead> placed, Workers& workers,
             const std::function<void()>& each);
  void learn_unscaled(Chunk chunk, Workers& workers) override;
  void end_pass(Workers& workers) override;
  void finish(bool complete, Workers& workers) override;  // makes the clusters; `label_rows` gives them to the rows

  // The model has prototypes now, made here or by another process.
  void follow();
  // Labels the rows whose places are known here, as far as they lie in this range.
  void label_rows(Rows rows, Workers& workers);
  std::vector<RowStore*> results() const;  // of every row: its label and, where it is wanted, its embedding

  double average_loss(Workers&) const override { return error(); }
  double error() const override { return model_->built() ? model_->placing().mean_distance() : 0; }
  std::vector<double> explained(Workers&) const override { return model_->explained(); }
  std::unique_ptr<Embedding> embedding(Index rows) const override;
  const RowStore* labels() const override { return labels_.get(); }
  LearnedModel model() override { return {}; }

  void save(Archive& archive) const override;
  void load(const Archive& archive) override;
  void sync() const override;

 private:
  struct LabelledRows {
    std::vector<Index> rows;
    std::vector<double> labels;    // label, confidence, distance of each
    std::vector<double> embedded;  // latent row of each, where it is made up
  };

  PlacedAhead place(const PreparedChunk& chunk, Workers& workers) const;
  LabelledRows label_block(Index first, Index count, const Vector& usual, const Matrix& latent) const;
  void write(std::span<const Index> rows, const Near& near, Index generation);
  void write_embedding(const PreparedChunk& chunk, const Matrix& rows);
  void place_early(Workers& workers);
  void check_record(std::span<const double> record) const;
  void label_stored(Rows rows, Workers& workers);
  void label_sample(Workers& workers);

  Model* model_;
  std::vector<Chunk> early_;  // of a stream that has no prototypes yet
  RowFolder folder_;
  int passes_;
  int pass_ = 1;
  bool again_;
  bool wants_embedding_;
  std::unique_ptr<RowStore> near_;       // generation of the prototypes, distance, and one number for each that is near
  std::unique_ptr<RowStore> labels_;     // label, confidence, distance
  std::unique_ptr<RowStore> embedding_;  // where it is wanted
};

}  // namespace omvc
