// The choice of the nearest prototypes, from products with all of them.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace omvc::cuda {

struct ViewAt {
  const std::int32_t* row_of;  // of each instance; -1: it lacks the view
  const float* products;
  const double* norms;
  const double* squares;
};

struct Places {
  std::int64_t count;
  double beyond;
  std::int32_t* ids;
  double* weights;
  double* distances;
  double* gaps;
};

// Rows that are taken at a time: their products stay in the cache of the card until they are read.
std::int64_t rows_at_once(std::int64_t stride);

// Of each of some instances; `size` prototypes, whose products lie `stride` numbers apart from row to row.
void select_near(const ViewAt* views, int view_count, std::int64_t instances, std::int64_t size, std::int64_t stride,
                 const Places& to, cudaStream_t stream);

}  // namespace omvc::cuda
