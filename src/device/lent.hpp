// What a call lends to the card: chunks and tables in the words of abi.h. Nothing is copied here but small lists, and
// what is lent must stay as it is until the call is over.
#pragma once

#include <memory>
#include <vector>

#include "device/cuda_library.hpp"
#include "kernels/near.hpp"
#include "kernels/row_table.hpp"

namespace omvc {

inline constexpr Index kMostNeighboursOnCard = 128;

// Sums of a view as the card hands them out: a row for each prototype.
using NumbersByPrototype = Matrix;

// A block, whose copy stays on the card as long as somebody has its DataBlock.
class LentBlock {
 public:
  LentBlock(const DataBlock& block, CudaDevice& card);
  ~LentBlock();
  LentBlock(const LentBlock&) = delete;
  LentBlock& operator=(const LentBlock&) = delete;

  const OmvcCudaBlock& get() const { return block_; }

 private:
  std::shared_ptr<DeviceSlot> slot_;
  std::shared_ptr<CudaDevice> card_;
  std::shared_ptr<void> held_;  // the copy that there was
  bool makes_ = false;          // the copy that is to be kept
  OmvcCudaKept* kept_ = nullptr;
  OmvcCudaBlock block_{};
};

class LentViews {
 public:
  LentViews(const PreparedChunk& chunk, CudaDevice& card);

  const OmvcCudaView* data() const { return views_.data(); }

 private:
  std::vector<std::unique_ptr<LentBlock>> blocks_;
  std::vector<OmvcCudaView> views_;
};

class LentPrototypes {
 public:
  explicit LentPrototypes(const PrototypeTable& table);

  const OmvcCudaPrototypes& get() const { return table_; }

 private:
  std::vector<std::int64_t> features_;
  std::vector<const float*> columns_;
  std::vector<const double*> norms_;
  OmvcCudaPrototypes table_{};
};

class LentRows {
 public:
  LentRows(const RowTable& rows, const std::vector<std::vector<std::int32_t>>& members_at);

  const OmvcCudaRows& get() const { return rows_; }

 private:
  std::vector<OmvcCudaRowView> views_;
  OmvcCudaRows rows_{};
};

struct LentLists {
  explicit LentLists(const std::vector<std::vector<Index>>& of);

  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> lists;
};

}  // namespace omvc
