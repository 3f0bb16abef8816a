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

}  // namespace omvc
