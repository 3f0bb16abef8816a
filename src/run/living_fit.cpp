#include "run/living_fit.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/error.hpp"

#include "run/living_steps.hpp"

namespace omvc {
namespace {

constexpr Index kHead = 2;      // generation and distance
constexpr Index kBlock = 4096;  // rows read back at a time

// A prototype and its weight as one number: the id before the point, the weight, which is a multiple of 2^-12 and at
// most 1, behind it at half size.
double packed(std::int32_t id, double weight) { return id + weight / 2; }
std::int32_t id_of(double number) { return static_cast<std::int32_t>(std::floor(number)); }
double weight_of(double number) { return 2 * (number - std::floor(number)); }

class NoEmbedding : public Embedding {
 public:
  explicit NoEmbedding(Index rows) : rows_(rows) {}
  Index rows() const override { return rows_; }
  Index rank() const override { return 0; }
  void read(Index, Index, double*) const override {}

 private:
  Index rows_;
};

class StoredRows : public Embedding {
 public:
  StoredRows(const RowStore& store, Index rows) : store_(&store), rows_(rows) {}
  Index rows() const override { return rows_; }
  Index rank() const override { return store_->width(); }
  void read(Index first, Index count, double* out) const override { store_->read(first, count, out); }

 private:
  const RowStore* store_;
  Index rows_;
};

}  // namespace

LivingFit::LivingFit(const MethodContext& context, Model& model)
    : Method(*context.counts),
      model_(&model),
      folder_(context.rows),
      passes_(context.passes),
      again_(context.again),
      wants_embedding_(context.embedding),
      near_(folder_.open("near", kHead + FinePrototypes::kNear)) {}

void LivingFit::follow() {
  if (wants_embedding_ && !embedding_) embedding_ = folder_.open("embedding", rank());
}

std::vector<RowStore*> LivingFit::results() const {
  std::vector<RowStore*> stores{labels_.get()};
  if (embedding_) stores.push_back(embedding_.get());
  return stores;
}

void LivingFit::begin_pass(int pass) {
  pass_ = pass;
  if (!again_) return;
  model_->begin_pass();
  if (pass > 1) near_->begin_generation();
}

int LivingFit::learn(const PreparedChunk& chunk, Workers& workers) {
  std::vector<PlacedAhead> placed;
  placed.push_back(place(chunk, workers));
  learn({&chunk, 1}, std::move(placed), workers, {});
  return 1;
}

LivingFit::PlacedAhead LivingFit::place(const PreparedChunk& chunk, Workers& workers) const {
  PlacedAhead out{.near = model_->near(chunk, workers), .embedded = {}, .products = {}};
  if (embedding_ && pass_ == passes_) out.embedded = model_->embed(chunk, workers);
  return out;
}

LivingFit::PlacedAhead LivingFit::place(const Chunk& chunk) const {
  Workers alone;
  const PreparedChunk data(chunk);
  PlacedAhead out = place(data, alone);
  out.products = alone.profile().take_products();
  return out;
}

void LivingFit::learn(std::span<const PreparedChunk> chunks, std::vector<PlacedAhead> placed, Workers& workers,
                      const std::function<void()>& each) {
  std::vector<Near> near;
  for (PlacedAhead& one : placed) {
    near.push_back(std::move(one.near));
    workers.profile().count_products(one.products);
  }
  model_->count(chunks, near, workers, each);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    write(chunks[c].chunk->rows, near[c], model_->generation());
    if (placed[c].embedded.size() > 0) write_embedding(chunks[c], placed[c].embedded);
  }
}

void LivingFit::learn_unscaled(Chunk chunk, Workers& workers) {
  const std::vector<Index> rows = chunk.rows;
  if (!model_->built()) early_.push_back(chunk);
  const Index generation = model_->generation();
  const std::optional<Placed> placed = model_->learn(std::move(chunk), workers);
  if (placed) write(rows, placed->near, generation);
  if (model_->built()) place_early(workers);
}

void LivingFit::end_pass(Workers& workers) {
  if (again_ && pass_ < passes_) model_->end_pass(workers);
}

void LivingFit::write(std::span<const Index> rows, const Near& near, Index generation) {
  const Index width = kHead + FinePrototypes::kNear;
  std::vector<double> records;
  std::vector<Index> numbers;
  for (Index i = 0; i < static_cast<Index>(rows.size()); ++i) {
    if (near.id(i, 0) < 0) continue;
    numbers.push_back(rows[static_cast<std::size_t>(i)]);
    records.push_back(static_cast<double>(generation));
    records.push_back(near.distances[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < width - kHead; ++j) {
      records.push_back(j < near.count ? packed(near.id(i, j), near.weight(i, j)) : -1.0);
    }
  }
  near_->write(numbers, records.data());
}

void LivingFit::write_embedding(const PreparedChunk& chunk, const Matrix& rows) {
  std::vector<Index> numbers;
  Matrix kept(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (!chunk.observed[i]) continue;
    kept.row(static_cast<Index>(numbers.size())) = rows.row(static_cast<Index>(i));
    numbers.push_back(chunk.chunk->rows[i]);
  }
  embedding_->write(numbers, kept.data());
}

// The rows that came before there were any prototypes: few, but more than the sample holds where they are very wide.
void LivingFit::place_early(Workers& workers) {
  for (Chunk& chunk : early_) {
    model_->scale(chunk);
    const PreparedChunk data(chunk);
    write(chunk.rows, model_->place(data, workers).near, model_->generation());
  }
  early_.clear();
}

void LivingFit::finish(bool /*complete*/, Workers& workers) {
  if (!again_) {
    model_->refresh(workers);
    place_early(workers);
    model_->number_anew(workers);
    follow();
  } else if (!model_->whole()) {
    finish_living(*model_, workers);
  }
}

void LivingFit::label_rows(Rows rows, Workers& workers) {
  labels_ = folder_.open("labels", 3);
  label_stored(rows, workers);
  if ((model_->whole() && model_->can_learn()) || !again_) label_sample(workers);
  model_->rest();
}

// What a row says has to be of this model: a checksum tells that it was not altered, not that it makes sense.
void LivingFit::check_record(std::span<const double> record) const {
  bool sound = record[0] >= 0 && record[0] <= static_cast<double>(model_->generation()) && record[kHead] >= 0;
  const double places = sound ? static_cast<double>(model_->places(static_cast<Index>(record[0]))) : 0;
  for (const double number : record.subspan(kHead)) sound = sound && number >= -1 && number < places;
  if (!sound) {
    throw Error(ErrorKind::data, "the rows of the checkpoint are not those of its model; start again without --resume");
  }
}

void LivingFit::label_stored(Rows rows, Workers& workers) {
  Matrix latent;  // of each prototype: what stands for the embedding of a row that is gone
  if (embedding_ && !again_) latent = model_->embed_prototypes(workers);
  const Vector usual = model_->placing().usual_distances();
  const Index end = std::min(rows.first + rows.count, near_->rows());
  const Index blocks = workers.threads();
  std::vector<LabelledRows> labelled(static_cast<std::size_t>(blocks));
  for (Index first = rows.first; first < end; first += blocks * kBlock) {
    for_blocks(workers, blocks, 1, true, [&](Index at, Index) {
      const Index from = std::min(end, first + at * kBlock);
      labelled[static_cast<std::size_t>(at)] = label_block(from, std::min(kBlock, end - from), usual, latent);
    });
    for (const LabelledRows& block : labelled) {
      labels_->write(block.rows, block.labels.data());
      if (latent.size() > 0) embedding_->write(block.rows, block.embedded.data());
    }
    workers.poll();
  }
}

LivingFit::LabelledRows LivingFit::label_block(Index first, Index count, const Vector& usual,
                                               const Matrix& latent) const {
  const Index width = near_->width();
  std::vector<double> records(static_cast<std::size_t>(count * width));
  near_->read(first, count, records.data());
  LabelledRows out;
  for (Index i = 0; i < count; ++i) {
    const double* record = records.data() + i * width;
    if (std::isnan(record[0])) continue;
    check_record({record, static_cast<std::size_t>(width)});
    Near near{.count = width - kHead, .ids = {}, .weights = {}, .distances = {record[1]}, .squares = {}};
    for (Index j = kHead; j < width; ++j) {
      near.ids.push_back(record[j] < 0 ? -1 : id_of(record[j]));
      near.weights.push_back(record[j] < 0 ? 0 : weight_of(record[j]));
    }
    near = model_->moved(std::move(near), static_cast<Index>(record[0]));
    int label = -1;
    double confidence = 0;
    model_->vote(near, 0, label, confidence);
    const double distance = usual(near.ids[0]);
    out.labels.insert(out.labels.end(),
                      {static_cast<double>(label), confidence, distance > 0 ? record[1] / distance : 0.0});
    if (latent.size() > 0) {
      RowVector embedded = RowVector::Zero(latent.cols());
      for (Index j = 0; j < near.count; ++j) {
        if (near.id(0, j) >= 0) embedded += near.weight(0, j) * latent.row(near.id(0, j));
      }
      out.embedded.insert(out.embedded.end(), embedded.begin(), embedded.end());
    }
    out.rows.push_back(first + i);
  }
  return out;
}

void LivingFit::label_sample(Workers& workers) {
  for (const PreparedChunk& piece : model_->sample().pieces()) {
    const Placed placed = model_->place(piece, workers);
    std::vector<double> out;
    for (std::size_t i = 0; i < placed.labels.size(); ++i) {
      out.insert(out.end(), {static_cast<double>(placed.labels[i]), placed.confidence[i], placed.distance[i]});
    }
    labels_->write(piece.chunk->rows, out.data());
    if (embedding_) write_embedding(piece, model_->embed(piece, workers));
  }
}

std::unique_ptr<Embedding> LivingFit::embedding(Index rows) const {
  if (!embedding_) return std::make_unique<NoEmbedding>(rows);
  return std::make_unique<StoredRows>(*embedding_, rows);
}

void LivingFit::save(Archive& archive) const {
  model_->save(archive, true);
  archive.put("fit/pass", std::vector<Index>{pass_});
  put_position(archive, "near/rows", *near_);
  if (embedding_) put_position(archive, "embedding/rows", *embedding_);
}

void LivingFit::load(const Archive& archive) {
  const std::vector<Index>& pass = archive.integers("fit/pass");
  if (pass.size() != 1 || pass[0] < 1 || pass[0] > model_->options().passes + 1)
    throw Error(ErrorKind::data, "the checkpoint's pass makes no sense");
  pass_ = static_cast<int>(pass[0]);
  restore_position(archive, "near/rows", *near_);
  if (!wants_embedding_ || !model_->built()) return;
  embedding_ = folder_.open("embedding", rank());
  if (archive.has("embedding/rows")) restore_position(archive, "embedding/rows", *embedding_);
}

void LivingFit::sync() const {
  near_->sync();
  if (embedding_) embedding_->sync();
}

}  // namespace omvc
