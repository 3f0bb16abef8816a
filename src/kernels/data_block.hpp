// The operations through which the solver touches data (design: "the data is touched by three operations only"): X U,
// X' V and ||X||^2, and two that are X' V for special V: the sum of the rows, for the running mean of Eq. (10), and
// rows added here and there, for prototypes. Dense, CSR, float and double differ here and nowhere else.
//
// Every element of a result is computed in one fixed order, however the work is cut into blocks, so results are equal
// to the bit for any number of threads.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "chunk/matrix.hpp"
#include "parallel/compute.hpp"

namespace omvc {

// What a device has copied of a block, for as long as anybody refers to it as a DataBlock.
class DeviceSlot {
 public:
  // The copy that this device keeps, or nothing.
  std::shared_ptr<void> kept(const void* device) const {
    const std::lock_guard lock(mutex_);
    return device_ == device ? kept_ : nullptr;
  }
  bool is_kept() const {
    const std::lock_guard lock(mutex_);
    return kept_ != nullptr;
  }
  // Whether the caller is the one who makes a copy for it, and then says how that went: keep(), or not at all.
  bool claim(const void* device) {
    const std::lock_guard lock(mutex_);
    if (device_ != nullptr) return false;
    device_ = device;
    return true;
  }
  void keep(std::shared_ptr<void> copy) {
    const std::lock_guard lock(mutex_);
    if (!copy) device_ = nullptr;
    kept_ = std::move(copy);
  }

 private:
  mutable std::mutex mutex_;
  const void* device_ = nullptr;
  std::shared_ptr<void> kept_;
};

// A block of a chunk as a factor of products. Refers to the block, which must outlive it and stays as it is meanwhile;
// nothing is copied or widened.
class DataBlock {
 public:
  explicit DataBlock(const Block& block) : block_(&block) {}

  const Block& block() const { return *block_; }
  const std::shared_ptr<DeviceSlot>& slot() const { return slot_; }
  void share_slot(const DataBlock& other) { slot_ = other.slot_; }  // of the same block

  Index rows() const { return block_rows(*block_); }
  Index cols() const { return block_cols(*block_); }

  // out = X U, for U of cols x r and out of rows x r.
  void times(const MatrixIn& U, MatrixOut out, Compute& compute) const;
  void times(const NarrowMatrix& U, NarrowMatrix& out, Compute& compute) const;

  // out += X' V, for V of rows x r and out of cols x r.
  void add_transpose_times(const MatrixIn& V, MatrixOut out, Compute& compute) const;

  // out.col(column) += sign * x for every row x that is named, for out of cols x r: X' V for a V of few entries, which
  // touches no row without one.
  struct Move {
    Index row;
    Index column;
    double sign;
  };
  void add_rows(const std::vector<Move>& moves, MatrixOut out, Compute& compute) const;

  double squared_norm(Compute& compute) const;  // ||X||^2

  // out += sum of the rows, for out of length cols.
  void add_row_sum(Eigen::Ref<Vector> out, Compute& compute) const;

 private:
  const Block* block_;
  std::shared_ptr<DeviceSlot> slot_ = std::make_shared<DeviceSlot>();
};

// A chunk with its blocks as factors, and what follows from who is present. Refers to the chunk.
struct PreparedChunk {
  explicit PreparedChunk(const Chunk& source);

  Index size() const { return chunk->size(); }
  const std::vector<Index>& present(std::size_t view) const { return chunk->views[view].present; }
  std::vector<Index> missing(std::size_t view) const;  // instances that have some view, but not this one

  const Chunk* chunk;
  std::vector<DataBlock> views;
  std::vector<bool> observed;  // by instance: present in some view
};

// out = V' diag(w) V, r x r, for the weights of the rows given as two runs: rows [0, first) have weight 1, the others
// weight `rest`. Fixed blocks, summed in order.
void gram(const MatrixIn& V, Index first, double rest, Matrix& out, Compute& compute);

// out = V' V.
inline void gram(const MatrixIn& V, Matrix& out, Compute& compute) { gram(V, V.rows(), 1.0, out, compute); }

}  // namespace omvc
