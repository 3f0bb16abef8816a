// Data that lie in the memory of the caller: arrays of another library, or of another language. They are lent, not
// copied, however large they are; what learning changes, it changes in copies of one chunk at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "omvc/export.hpp"
#include "omvc/source.hpp"

namespace omvc {

// Element (i, j) is data[i * row_step + j * col_step]. Rows that lie one behind the other, as they do unless steps are
// given, are lent as they are, others are gathered chunk by chunk.
template <class T>
struct DenseRows {
  using Scalar = T;
  const T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  std::optional<Index> row_step = std::nullopt;  // none: cols
  Index col_step = 1;
};

// Compressed sparse rows, with numbers of either size. Column numbers ascend strictly within a row.
using Numbers = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>>;
template <class T>
struct SparseRows {
  using Scalar = T;
  Index rows = 0;
  Index cols = 0;
  Numbers offsets;
  Numbers columns;
  std::span<const T> values;
};

struct BorrowedView {
  std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float>, SparseRows<double>> rows;
  std::optional<std::vector<Index>> instances;  // of each row, ascending; none: row i is of instance i
  std::shared_ptr<const void> owner;            // kept for as long as anything refers to the memory
};

// Delivers the instances 0 .. instances-1 in their order. A view lacks an instance that has no row in it, or one that
// is NaN throughout. `ids` are those of the instances, or none. Throws ErrorKind::data where the views do not fit the
// schema or the number of instances. Offsets and column numbers are copied chunk by chunk and checked in the copy, so
// that somebody who changes them meanwhile gets an exception rather than a crash.
OMVC_API std::unique_ptr<Source> make_borrowed_source(Schema schema, std::vector<BorrowedView> views, Index instances,
                                                      std::vector<std::string> ids = {});

// The same for arrays that have a row for every instance, as many as the first has: views are view1, view2, ...
OMVC_API std::unique_ptr<Source> make_borrowed_source(std::vector<BorrowedView> views);

// Data that come piece by piece, such as the batches of a query.
class OMVC_API Pieces {
 public:
  virtual ~Pieces() = default;
  virtual std::unique_ptr<Source> next() = 0;  // nothing at the end
  virtual bool can_rewind() const = 0;
  virtual bool rewind() = 0;  // back to the first piece; false where it cannot
};

// Delivers the instances of all pieces, numbered through, in chunks as large as they are asked for, whatever the pieces
// are. Every piece must have this schema; ErrorKind::data otherwise.
OMVC_API std::unique_ptr<Source> make_pieces_source(Schema schema, std::unique_ptr<Pieces> pieces);

}  // namespace omvc
