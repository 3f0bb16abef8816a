#include "device/lent.hpp"

#include <utility>
#include <variant>

namespace omvc {
namespace {

template <class T>
OmvcCudaBlock lend(const DenseBlock<T>& X) {
  OmvcCudaBlock out{};
  out.doubles = sizeof(T) == 8 ? 1 : 0;
  out.rows = X.rows;
  out.cols = X.cols;
  out.values = X.values.data();
  return out;
}

template <class T>
OmvcCudaBlock lend(const CsrBlock<T>& X) {
  OmvcCudaBlock out{};
  out.sparse = 1;
  out.doubles = sizeof(T) == 8 ? 1 : 0;
  out.rows = X.rows;
  out.cols = X.cols;
  out.entries = X.nonzeros();
  out.offsets = X.offsets.data();
  out.columns = X.columns.data();
  out.values = X.values.data();
  return out;
}

}  // namespace

LentBlock::LentBlock(const DataBlock& block, CudaDevice& card) : slot_(block.slot()), card_(card.shared_from_this()) {
  block_ = std::visit([](const auto& X) { return lend(X); }, block.block());
  held_ = slot_->kept(&card);
  makes_ = !held_ && slot_->claim(&card);
  if (!held_ && !makes_) return;  // another call makes it now, or it is on another card: copied for this call alone
  kept_ = static_cast<OmvcCudaKept*>(held_.get());
  block_.kept = &kept_;
}

LentBlock::~LentBlock() {
  if (!makes_) return;
  std::shared_ptr<void> copy;
  if (kept_ != nullptr) {
    copy = {kept_, [card = card_](void* kept) { card->api().forget(static_cast<OmvcCudaKept*>(kept)); }};
  }
  slot_->keep(std::move(copy));
}

LentViews::LentViews(const PreparedChunk& chunk, CudaDevice& card) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    blocks_.push_back(std::make_unique<LentBlock>(chunk.views[v], card));
    views_.push_back({blocks_.back()->get(), chunk.present(v).data()});
  }
}

LentPrototypes::LentPrototypes(const PrototypeTable& table) {
  for (std::size_t v = 0; v < table.columns.size(); ++v) {
    features_.push_back(table.columns[v].rows());
    columns_.push_back(table.columns[v].data());
    norms_.push_back(table.norms[v].data());
  }
  table_ = {.id = table.id,
            .size = table.size(),
            .views = static_cast<std::int32_t>(table.columns.size()),
            .features = features_.data(),
            .columns = columns_.data(),
            .norms = norms_.data()};
}

LentRows::LentRows(const RowTable& rows, const std::vector<std::vector<std::int32_t>>& members_at) {
  for (std::size_t v = 0; v < rows.views.size(); ++v) {
    const RowTable::View& view = rows.views[v];
    views_.push_back({.features = view.features,
                      .members = static_cast<std::int64_t>(view.position.size()),
                      .sparse = view.sparse ? 1 : 0,
                      .begin = view.begin.data(),
                      .position = view.position.data(),
                      .member_at = members_at[v].data(),
                      .panels = view.panels.data(),
                      .offsets = view.features_of.offsets.data(),
                      .columns = view.features_of.columns.data(),
                      .values = view.features_of.values.data(),
                      .squares = view.squares.data(),
                      .completed = view.completed.empty() ? nullptr : view.completed.data()});
  }
  rows_ = {.id = rows.id,
           .rows = rows.size(),
           .lists = rows.lists(),
           .begin = rows.begin.data(),
           .row = rows.row.data(),
           .views = static_cast<std::int32_t>(views_.size()),
           .view = views_.data(),
           .near = rows.near_ids.empty() ? 0 : rows.near,
           .near_ids = rows.near_ids.data(),
           .near_weights = rows.near_weights.data()};
}

LentLists::LentLists(const std::vector<std::vector<Index>>& of) {
  for (const std::vector<Index>& some : of) {
    for (const Index list : some) lists.push_back(static_cast<std::int32_t>(list));
    begin.push_back(static_cast<std::int64_t>(lists.size()));
  }
}

}  // namespace omvc
