// The matrices of AnnData files: X, or a layer. Dense ones and CSR are read by rows as they are asked for; CSC is
// loaded whole, since its rows lie scattered over the file.
#pragma once

#include <memory>

#include "omvc/chunk.hpp"

#include "hdf5/object.hpp"

namespace omvc {

class StoredMatrix {
 public:
  virtual ~StoredMatrix() = default;
  // Rows [first, first + count), validated: columns ascend, and offsets lie inside the file. Single precision stays,
  // every other type becomes double. Several threads may read at once.
  virtual Block read(Index first, Index count) const = 0;
};

// `rows` and `cols` are the lengths of the tables that name samples and features; a matrix of another shape is refused.
std::unique_ptr<StoredMatrix> open_stored_matrix(h5::Object object, Index rows, Index cols);

// The given rows as a view of as many instances, in which rows that are wholly NaN are absent. Consecutive rows are
// read at once; the rows may come in any order, each once.
ChunkView read_instances(const StoredMatrix& matrix, const std::vector<Index>& rows, const std::string& where);

}  // namespace omvc
