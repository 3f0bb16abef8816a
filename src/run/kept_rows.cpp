#include "run/kept_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "omvc/error.hpp"

#include "chunk/presence.hpp"
#include "model/facts.hpp"
#include "pass/checkpoint.hpp"

namespace omvc {
namespace {

constexpr Index kHead = 6;      // generation, distance, pattern; cluster or -1, its share of the vote, and its distance
constexpr Index kBlock = 4096;  // rows handed on at a time

// A prototype and its weight as one number: the id before the point, the weight, which is a multiple of 2^-12 and at
// most 1, behind it at half size.
double packed(std::int32_t id, double weight) { return id + weight / 2; }
std::int32_t id_of(double number) { return static_cast<std::int32_t>(std::floor(number)); }
double weight_of(double number) { return 2 * (number - std::floor(number)); }

}  // namespace

// Consecutive rows on their way to the sink.
struct KeptRows::Block {
  Index first = 0;
  Index count = 0;
  std::vector<int> labels;
  std::vector<double> confidence;
  std::vector<double> distance;
  std::vector<double> patterns;
  Matrix embedding;   // rows x rank; none where nobody wants it
  Matrix membership;  // rows x clusters; likewise

  void clear(Index first_row, Index rows, Index rank, Index clusters) {
    first = first_row;
    count = rows;
    const auto n = static_cast<std::size_t>(rows);
    labels.assign(n, -1);
    confidence.assign(n, kNan);
    distance.assign(n, kNan);
    patterns.assign(n, kNan);
    embedding = Matrix::Constant(rows, rank, kNan);
    membership = Matrix::Constant(rows, clusters, kNan);
  }
};

// The rows of the sample in the order of their numbers.
struct KeptRows::SampleLabels {
  struct Row {
    Index row;
    int label;
    double confidence;
    double distance;
    double pattern;
    Index at;  // row of `embedding` and `membership`
  };
  std::vector<Row> rows;
  Matrix embedding;
  Matrix membership;

  void fill(Block& block) const {
    const auto from = std::lower_bound(rows.begin(), rows.end(), block.first,
                                       [](const Row& row, Index first) { return row.row < first; });
    for (auto row = from; row != rows.end() && row->row < block.first + block.count; ++row) {
      const auto i = static_cast<std::size_t>(row->row - block.first);
      block.labels[i] = row->label;
      block.confidence[i] = row->confidence;
      block.distance[i] = row->distance;
      block.patterns[i] = row->pattern;
      if (embedding.size() > 0) block.embedding.row(static_cast<Index>(i)) = embedding.row(row->at);
      if (membership.size() > 0) block.membership.row(static_cast<Index>(i)) = membership.row(row->at);
    }
  }
};

RowStore& WideRows::open(RowFolder& folder, Index width) {
  if (!store_) store_ = folder.open(name_, width);
  return *store_;
}

void WideRows::write(RowFolder& folder, const PreparedChunk& chunk, const Matrix& rows) {
  std::vector<Index> numbers;
  Matrix kept(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (!chunk.observed[i]) continue;
    kept.row(static_cast<Index>(numbers.size())) = rows.row(static_cast<Index>(i));
    numbers.push_back(chunk.chunk->rows[i]);
  }
  open(folder, rows.cols()).write(numbers, kept.data());
}

void WideRows::save(Archive& archive) const {
  if (!store_) return;
  archive.put(name_ + "/width", std::vector<Index>{store_->width()});
  put_position(archive, name_ + "/rows", *store_);
}

void WideRows::load(RowFolder& folder, const Archive& archive) {
  if (!wanted_ || !archive.has(name_ + "/rows")) return;
  const std::vector<Index>& width = archive.integers(name_ + "/width");
  constexpr Index kMost = 1 << 20;
  if (width.size() != 1 || width[0] < 1 || width[0] > kMost) {
    throw Error(ErrorKind::data, "the checkpoint's " + name_ + " make no sense");
  }
  restore_position(archive, name_ + "/rows", open(folder, width[0]));
}

KeptRows::KeptRows(RowFolder folder, std::size_t views, Index near, Extras wanted)
    : folder_(std::move(folder)),
      views_(views),
      width_(kHead + near),
      near_(folder_.open("near", width_)),
      embedding_("embedding", wanted.embedding),
      shares_("shares", wanted.membership) {}

void KeptRows::write(const Chunk& chunk, const std::vector<double>& patterns, const Near& near,
                     const std::vector<Vote>& votes, Index generation) {
  std::vector<double> records;
  std::vector<Index> numbers;
  for (Index i = 0; i < chunk.size(); ++i) {
    if (near.id(i, 0) < 0) continue;
    const auto at = static_cast<std::size_t>(i);
    numbers.push_back(chunk.rows[at]);
    const Vote vote = votes.empty() ? Vote{.cluster = -1, .share = 0} : votes[at];
    records.insert(records.end(), {static_cast<double>(generation), near.distances[at], patterns[at],
                                   static_cast<double>(vote.cluster), vote.share, vote.distance});
    for (Index j = 0; j < width_ - kHead; ++j) {
      records.push_back(j < near.count ? packed(near.id(i, j), near.weight(i, j)) : -1.0);
    }
  }
  near_->write(numbers, records.data());
}

void KeptRows::gather(Together& together, Rows rows, const Placer& placer) {
  together.gather_rows(*near_, rows);
  if (wants_embedding()) together.gather_rows(embedding_.open(folder_, placer.rank()), rows);
  if (wants_shares(placer)) together.gather_rows(shares_.open(folder_, std::ssize(placer.numbers())), rows);
}

KeptRows::SampleLabels KeptRows::label_sample(Model& model, Compute& compute) const {
  const std::shared_ptr<const Placer> placer = model.placer();
  const std::vector<Placed> pieces = model.placed_sample(compute, shares_.wanted());
  const Sample& sample = model.sample(compute);
  SampleLabels out;
  if (wants_embedding()) out.embedding.resize(sample.size(), placer->rank());
  if (shares_.wanted()) out.membership.resize(sample.size(), std::ssize(placer->numbers()));
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const PreparedChunk& piece = sample.pieces()[p];
    const Placed& placed = pieces[p];
    const std::vector<double> patterns = presence_bits(*piece.chunk);
    const auto first = static_cast<Index>(out.rows.size());
    if (wants_embedding()) out.embedding.middleRows(first, piece.size()) = placer->embed(piece, compute);
    if (shares_.wanted()) out.membership.middleRows(first, piece.size()) = placer->membership(placed);
    for (std::size_t i = 0; i < placed.labels.size(); ++i) {
      out.rows.push_back({piece.chunk->rows[i], placed.labels[i], placed.confidence[i], placed.distance[i], patterns[i],
                          first + static_cast<Index>(i)});
    }
  }
  std::sort(out.rows.begin(), out.rows.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return out;
}

// What a row says has to be of this model: a checksum tells that it was not altered, not that it makes sense.
void KeptRows::check_record(const Model& model, const double* record) const {
  const Index now = model.names().generation();
  bool sound = record[0] >= 0 && record[0] <= static_cast<double>(now) && record[kHead] >= 0;
  const auto generation = sound ? static_cast<Index>(record[0]) : now;
  const auto places =
      static_cast<double>(generation < now ? model.names().prototypes(generation) : model.placing().size());
  const double patterns = std::ldexp(1.0, static_cast<int>(std::min(views_, kMostPatternViews)));
  sound = sound && (std::isnan(record[2]) || (record[2] >= 0 && record[2] < patterns));
  for (Index j = kHead; j < width_; ++j) sound = sound && record[j] >= -1 && record[j] < places;
  const auto clusters =
      static_cast<double>(generation < now ? model.names().clusters(generation) : Index{model.clusters().count});
  sound = sound && (record[3] < 0 || (record[3] < clusters && record[4] >= 0 && record[4] <= 1 && record[5] >= 0));
  if (!sound) {
    throw Error(ErrorKind::data, "the rows of the checkpoint are not those of its model; start again without --resume");
  }
}

// `latent` holds, of each prototype, what stands for the embedding of a row that is gone; none where rows are kept.
void KeptRows::read_block(const Model& model, const Placer& placer, const Matrix& latent, Block& block) const {
  std::vector<double> records(static_cast<std::size_t>(block.count * width_));
  near_->read(block.first, block.count, records.data());
  if (embedding_.store() != nullptr) embedding_.store()->read(block.first, block.count, block.embedding.data());
  Matrix shares(shares_.store() != nullptr ? block.count : 0, block.membership.cols());
  if (shares.rows() > 0) shares_.store()->read(block.first, block.count, shares.data());
  for (Index i = 0; i < block.count; ++i) {
    const double* record = records.data() + i * width_;
    if (std::isnan(record[0])) continue;
    check_record(model, record);
    Near near{.count = width_ - kHead, .ids = {}, .weights = {}, .distances = {record[1]}, .squares = {}};
    for (Index j = kHead; j < width_; ++j) {
      near.ids.push_back(record[j] < 0 ? -1 : id_of(record[j]));
      near.weights.push_back(record[j] < 0 ? 0 : weight_of(record[j]));
    }
    near = model.names().moved(std::move(near), static_cast<Index>(record[0]));
    const auto generation = static_cast<Index>(record[0]);
    Vote vote{.cluster = model.names().moved(static_cast<int>(record[3]), generation),
              .share = record[4],
              .distance = record[5]};
    const bool earlier = generation < model.names().generation();
    const bool again = !placer.by_rows() || vote.cluster < 0 || earlier;
    const Vote before = vote;
    if (again) vote = placer.vote(near, 0, vote);
    if (block.membership.cols() > 0) {
      const bool kept = !again && shares.rows() > 0;
      block.membership.row(i) =
          placer.membership(vote, kept ? RowVector(shares.row(i)) : placer.shares(near, 0, before));
    }
    const auto at = static_cast<std::size_t>(i);
    block.labels[at] = placer.number(vote.cluster);
    block.confidence[at] = placer.confidence(vote);
    block.distance[at] = vote.distance;
    block.patterns[at] = record[2];
    if (latent.size() == 0) continue;
    block.embedding.row(i).setZero();
    for (Index j = 0; j < near.count; ++j) {
      if (near.id(0, j) >= 0) block.embedding.row(i) += near.weight(0, j) * latent.row(near.id(0, j));
    }
  }
}

void KeptRows::label(Rows rows, Model& model, bool from_sample, bool once, Sink& sink, LabelCounts& counts,
                     Compute& compute) {
  const std::shared_ptr<const Placer> placer = model.placer();
  SampleLabels sample;
  if (from_sample) sample = label_sample(model, compute);
  model.rest();
  Matrix latent;
  if (wants_embedding() && once) latent = embed_prototypes(model, compute);
  const Index rank = wants_embedding() ? placer->rank() : 0;
  const Index clusters = shares_.wanted() ? std::ssize(placer->numbers()) : 0;
  const Index end = rows.first + rows.count;
  std::vector<Block> blocks(static_cast<std::size_t>(compute.threads()));
  compute.tell(Phase::labelling, 0);
  for (Index first = rows.first; first < end;) {
    const Index from = first;
    for (Block& block : blocks) {
      block.clear(first, std::min(kBlock, end - first), rank, clusters);
      first += block.count;
    }
    for_blocks(compute, static_cast<Index>(blocks.size()), 1, first - from > kBlock, [&](Index at, Index) {
      Block& block = blocks[static_cast<std::size_t>(at)];
      read_block(model, *placer, latent, block);
      sample.fill(block);
    });
    for (const Block& block : blocks) {
      if (block.count == 0) continue;
      counts.add({block.first,
                  block.labels,
                  {block.embedding.data(), block.count, rank},
                  block.confidence,
                  block.distance,
                  {block.membership.data(), block.count, clusters},
                  placer->ascending()},
                 block.patterns, sink);
    }
    compute.tell(Phase::labelling, static_cast<double>(first - rows.first) / static_cast<double>(rows.count));
    compute.poll();
  }
}

void KeptRows::save(Archive& archive) const {
  put_position(archive, "near/rows", *near_);
  embedding_.save(archive);
  shares_.save(archive);
}

void KeptRows::load(const Archive& archive) {
  restore_position(archive, "near/rows", *near_);
  embedding_.load(folder_, archive);
  shares_.load(folder_, archive);
}

void KeptRows::sync() const {
  near_->sync();
  for (const WideRows* rows : {&embedding_, &shares_}) {
    if (rows->store() != nullptr) rows->store()->sync();
  }
}

}  // namespace omvc
