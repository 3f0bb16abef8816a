// The heavy operations on data, in more than one form: `cpu`, which everybody uses, and `naive`, the definitions as
// plain loops, which tests compare with. A device that computes faster is one more form (src/device), with the bits of
// `cpu`; nobody above notices.
//
// Callers do not come here: find_near, find_rows, add_rounded_rows and the products of DataBlock check, measure time
// and ask the backend of their Compute. A form is called from several threads at once, each with a Compute of its own.
#pragma once

#include <string>

#include "kernels/near.hpp"
#include "kernels/row_table.hpp"

namespace omvc {

class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // find_near for a table of one prototype at least. `near` comes with its count, at most the size of the table and
  // kMostNear, and as it is without any view; an instance whose distances are no finite numbers stays so. A product
  // with the prototypes counts once for each view (Profile::count_product), however it is made. `products` may be null.
  virtual void find_near(const PreparedChunk& chunk, const PrototypeTable& table, double beyond, Near& near,
                         std::vector<NarrowMatrix>* products, Compute& compute) = 0;
  // find_rows, into lists that come without rows in them.
  virtual void find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                         const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search,
                         RowNeighbours& out, Compute& compute) = 0;

  // As the free functions of these names say.
  virtual void add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                                std::vector<Matrix>& sums, Compute& compute) = 0;

  // As the members of DataBlock of these names say.
  virtual void times(const DataBlock& X, const MatrixIn& U, MatrixOut out, Compute& compute) = 0;
  virtual void times(const DataBlock& X, const NarrowMatrix& U, NarrowMatrix& out, Compute& compute) = 0;
  virtual void add_transpose_times(const DataBlock& X, const MatrixIn& V, MatrixOut out, Compute& compute) = 0;

  // What it computes on, for people; and what they should know about it, or nothing.
  virtual std::string name() const = 0;
  virtual std::string warning() const { return {}; }
};

Backend& cpu_backend();
Backend& naive_backend();

// The one that was set, or else that of processors.
inline Backend& backend_of(const Compute& compute) {
  return compute.backend() != nullptr ? *compute.backend() : cpu_backend();
}

}  // namespace omvc
