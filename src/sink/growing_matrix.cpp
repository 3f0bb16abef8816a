#include "sink/growing_matrix.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <type_traits>

#include "omvc/error.hpp"

#include "sink/anndata_parts.hpp"

namespace omvc {
namespace {

template <class T>
constexpr h5::Store store_of() {
  return std::is_same_v<T, float> ? h5::Store::float32 : h5::Store::float64;
}

template <class T>
DenseBlock<T> filled(const DenseBlock<T>& block, const std::vector<Index>& present, Index instances) {
  DenseBlock<T> whole{instances, block.cols, {}};
  whole.values.assign(static_cast<std::size_t>(instances * block.cols), std::numeric_limits<T>::quiet_NaN());
  for (std::size_t i = 0; i < present.size(); ++i) {
    const auto row = block.row(static_cast<Index>(i));
    std::copy(row.begin(), row.end(), whole.values.begin() + present[i] * block.cols);
  }
  return whole;
}

template <class T>
CsrBlock<T> filled(const CsrBlock<T>& block, const std::vector<Index>& present, Index instances) {
  CsrBlock<T> whole;
  whole.rows = instances;
  whole.cols = block.cols;
  std::size_t next = 0;
  for (Index i = 0; i < instances; ++i) {
    if (next < present.size() && present[next] == i) {
      const Index begin = block.offsets[next];
      const Index end = block.offsets[++next];
      whole.columns.insert(whole.columns.end(), block.columns.begin() + begin, block.columns.begin() + end);
      whole.values.append(block.values.begin() + begin, block.values.begin() + end);
    } else {
      whole.columns.push_back(0);
      whole.values.push_back(std::numeric_limits<T>::quiet_NaN());
    }
    whole.offsets.push_back(whole.nonzeros());
  }
  return whole;
}

}  // namespace

template <class T>
void GrowingMatrix::create(h5::Group& owner, const DenseBlock<T>&, Index, Index expected, int gzip) {
  values_ = array(owner, "X", store_of<T>(), {.cols = cols_, .gzip = gzip}, expected);
}

template <class T>
void GrowingMatrix::create(h5::Group& owner, const CsrBlock<T>& first, Index instances, Index expected, int gzip) {
  group_ = owner.create_group("X");
  set_encoding(*group_, "csr_matrix", "0.1.0");
  // As many entries an instance as in the first chunk, and some more.
  const double share = static_cast<double>(first.nonzeros() + 16) / static_cast<double>(std::max<Index>(instances, 1));
  const double entries = std::min(1.2 * share * static_cast<double>(expected), 1e9);
  const h5::Layout layout{.chunk_rows = expected > 0 ? std::max<Index>(static_cast<Index>(entries), 16) : 0,
                          .gzip = gzip};
  values_ = group_->create("data", store_of<T>(), layout);
  columns_ = group_->create("indices", h5::Store::int32, layout);
  offsets_ = group_->create("indptr", h5::Store::int64, {.chunk_rows = expected > 0 ? expected + 1 : 0});
  const Index zero = 0;
  offsets_->append(&zero, 1);
}

template <class T>
void GrowingMatrix::add(const DenseBlock<T>& block) {
  values_->append(block.values.data(), block.rows);
  rows_ += block.rows;
}

template <class T>
void GrowingMatrix::add(const CsrBlock<T>& block) {
  std::vector<Index> offsets(block.offsets.begin() + 1, block.offsets.end());
  for (Index& offset : offsets) offset += entries_;
  values_->append(block.values.data(), block.nonzeros());
  columns_->append(block.columns.data(), block.nonzeros());
  offsets_->append(offsets.data(), block.rows);
  entries_ += block.nonzeros();
  rows_ += block.rows;
}

GrowingMatrix::GrowingMatrix(h5::Group& owner, const Block& first, Index instances, Index expected, int gzip)
    : kind_(first.index()), cols_(block_cols(first)) {
  std::visit([&](const auto& block) { create(owner, block, instances, expected, gzip); }, first);
}

void GrowingMatrix::append(const Block& block, const std::string& where) {
  if (block.index() != kind_ || block_cols(block) != cols_) {
    throw Error(ErrorKind::data, fmt::format("{}: a later chunk stores the view in another way than the first; a "
                                             "source must keep to one",
                                             where));
  }
  std::visit([&](const auto& typed) { add(typed); }, block);
}

void GrowingMatrix::finish() {
  if (group_) group_->set_attribute("shape", std::vector<Index>{rows_, cols_});
}

Block with_absent(const ChunkView& view, Index instances) {
  return std::visit([&](const auto& block) -> Block { return filled(block, view.present, instances); }, view.block);
}

}  // namespace omvc
