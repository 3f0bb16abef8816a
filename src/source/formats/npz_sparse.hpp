// Sparse matrices as scipy.sparse.save_npz writes them: several arrays that belong together by their names.
#pragma once

#include <optional>
#include <string>

#include "omvc/chunk.hpp"

#include "source/formats/npz_arrays.hpp"

namespace omvc {

// Arrays prefix + "data", prefix + "shape" and so on; the prefix may be empty.
struct NpzSparse {
  std::string prefix;
  std::string where;  // file and matrix, for messages

  // What the matrix is called: the prefix without the sign at its end.
  std::string name() const { return prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1); }
};

// The sparse matrix that an array is a part of, if any.
std::optional<NpzSparse> sparse_of(const NpzArrays& arrays, const NpzArray& part);

struct SparseView {
  ChunkView view;
  Index rows = 0;
};

// Loads the matrix whole. Throws ErrorKind::data for arrays that do not agree, for entries that occur twice and for
// the formats that are not csr, csc or coo.
SparseView load_sparse(const NpzArrays& arrays, const NpzSparse& matrix);

}  // namespace omvc
