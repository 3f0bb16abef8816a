// A sparse matrix as (row, column, value) entries in any order, and its way to CSR.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

struct Triplet {
  Index row = 0;
  std::int32_t column = 0;
  std::uint32_t place = 0;  // where the entry comes from (line, number of the entry), for messages
  double value = 0.0;
};

struct TripletMatrix {
  CsrBlock<double> block;
  // An entry whose row and column another one has too, if there is one; the block is unusable then.
  const Triplet* repeated = nullptr;
};

// Entries must lie inside rows x cols. `repeated` points into `entries`.
TripletMatrix csr_from_triplets(std::span<const Triplet> entries, Index rows, Index cols);

}  // namespace omvc
