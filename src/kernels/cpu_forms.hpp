// The operations of a backend on the threads of a processor; see backend.hpp for what they do.
#pragma once

#include "kernels/near.hpp"
#include "kernels/row_table.hpp"

namespace omvc::cpu {

void find_near(const PreparedChunk& chunk, const PrototypeTable& table, double beyond, Near& near,
               std::vector<NarrowMatrix>* products, Compute& compute);
void find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products, const PrototypeTable& prototypes,
               const RowTable& rows, const RowSearch& search, RowNeighbours& out, Compute& compute);
void add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                      std::vector<Matrix>& sums, Compute& compute);
void times(const Block& X, const MatrixIn& U, MatrixOut out, Compute& compute);
void times(const Block& X, const NarrowMatrix& U, NarrowMatrix& out, Compute& compute);
void add_transpose_times(const Block& X, const MatrixIn& V, MatrixOut out, Compute& compute);

// The lists that each of the instances [first, last) looks into, by what the search says (row_table.hpp).
std::vector<std::vector<Index>> lists_for(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                                          const PrototypeTable& prototypes, const RowTable& rows,
                                          const RowSearch& search, Index first, Index last);

}  // namespace omvc::cpu
