// The rows of the reservoir, scaled and cut into pieces that are worked on like chunks of the stream.
#pragma once

#include <vector>

#include "kernels/data_block.hpp"

namespace omvc {

class Sample {
 public:
  Sample() = default;
  explicit Sample(std::vector<Chunk> pieces) : chunks_(std::move(pieces)) {
    for (const Chunk& chunk : chunks_) {
      first_.push_back(size_);
      size_ += chunk.size();
      pieces_.emplace_back(chunk);
    }
  }
  Sample(Sample&&) = default;  // pieces refer to the heap that moves along
  Sample& operator=(Sample&&) = default;
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  Index size() const { return size_; }
  const std::vector<PreparedChunk>& pieces() const { return pieces_; }
  Index first(std::size_t piece) const { return first_[piece]; }  // the number of its first instance in the sample

  std::vector<Index> rows() const {  // the row number of every instance
    std::vector<Index> rows;
    for (const Chunk& chunk : chunks_) rows.insert(rows.end(), chunk.rows.begin(), chunk.rows.end());
    return rows;
  }

  // The pieces that hold the first `rows` instances, or a few more.
  std::size_t pieces_for(Index rows) const {
    std::size_t count = 0;
    while (count < pieces_.size() && first_[count] < rows) ++count;
    return count;
  }

 private:
  std::vector<Chunk> chunks_;
  std::vector<PreparedChunk> pieces_;
  std::vector<Index> first_;
  Index size_ = 0;
};

// Calls body(piece, compute) for the first pieces of a sample. Pieces are small, so that many threads find too little
// to do in one: where there are enough pieces, each is the work of one thread. The results are the same either way.
template <class Body>
void for_pieces(std::size_t pieces, Compute& compute, const Body& body) {
  compute.poll();
  if (compute.threads() == 1 || 2 * pieces < static_cast<std::size_t>(compute.threads())) {
    for (std::size_t p = 0; p < pieces; ++p) body(p, compute);
    return;
  }
  std::vector<std::vector<ProductCount>> products(pieces);
  compute.run(static_cast<Index>(pieces), [&](Index p) {
    Compute alone;
    alone.set_backend(compute.backend());
    body(static_cast<std::size_t>(p), alone);
    products[static_cast<std::size_t>(p)] = alone.profile().take_products();
  });
  for (const std::vector<ProductCount>& counted : products) compute.profile().count_products(counted);
}

}  // namespace omvc
