// Kernels of products that several operations launch.
#pragma once

#include "cuda/device.hpp"

namespace omvc::cuda {

// out = X M in single precision, for M of cols x columns: each row of out lies out_stride numbers behind the other.
// `fast` allows tensor cores, whose factors have 10 bits.
void narrow_product(const DeviceBlock& X, const float* M, std::int64_t M_stride, std::int64_t columns, float* out,
                    std::int64_t out_stride, bool fast, cudaStream_t stream);

// squares[i] = ||x_i||^2, of the values as they are, or as single ones.
void squares_of_rows(const DeviceBlock& X, double* squares, bool single, cudaStream_t stream);

}  // namespace omvc::cuda
