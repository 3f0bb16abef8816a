// A matrix of AnnData (X) that grows by rows: dense, or CSR.
#pragma once

#include <optional>
#include <string>

#include "omvc/chunk.hpp"

#include "hdf5/object.hpp"

namespace omvc {

class GrowingMatrix {
 public:
  // `first` holds the first `instances` instances and has the kind of all blocks to come; `expected` is the number of
  // instances in all (0: not known). gzip is the level of compression, 0 for none.
  GrowingMatrix(h5::Group& owner, const Block& first, Index instances, Index expected, int gzip);

  // Throws ErrorKind::data for a block of another kind; `where` names the view for the message.
  void append(const Block& block, const std::string& where);
  // To be called after the last block.
  void finish();

 private:
  template <class T>
  void create(h5::Group& owner, const DenseBlock<T>& first, Index instances, Index expected, int gzip);
  template <class T>
  void create(h5::Group& owner, const CsrBlock<T>& first, Index instances, Index expected, int gzip);
  template <class T>
  void add(const DenseBlock<T>& block);
  template <class T>
  void add(const CsrBlock<T>& block);

  std::size_t kind_;
  Index cols_;
  Index rows_ = 0;
  Index entries_ = 0;
  std::optional<h5::Group> group_;  // of a sparse matrix
  std::optional<h5::Dataset> values_;
  std::optional<h5::Dataset> columns_;
  std::optional<h5::Dataset> offsets_;
};

// The view with one row for each of `instances` instances. One that is absent is a row of NaN, or in a sparse view a
// row with one entry, which is NaN.
Block with_absent(const ChunkView& view, Index instances);

}  // namespace omvc
