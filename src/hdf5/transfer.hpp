// How numbers go from memory to a dataset and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hdf5.h>

#include "hdf5/object.hpp"

namespace omvc::h5 {

// The type of HDF5 that a number has in memory.
template <class T>
hid_t native();
template <>
inline hid_t native<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t native<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t native<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
inline hid_t native<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}
template <>
inline hid_t native<Index>() {
  return H5T_NATIVE_INT64;
}
template <>
inline hid_t native<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}

// How so many elements are brought from one type to the other. The library does that in a buffer of 1 MB, which it
// clears for every call; a few rows need far less.
inline Handle transfer(hid_t dataset, hid_t memory_type, Index elements) {
  constexpr std::size_t kLeastBytes = 4096;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  const Handle type(H5Dget_type(dataset));
  const std::size_t width = std::max<std::size_t>({H5Tget_size(type.get()), H5Tget_size(memory_type), 1});
  Handle properties(H5Pcreate(H5P_DATASET_XFER));
  if (static_cast<std::size_t>(elements) < kMostBytes / width) {
    const std::size_t bytes = std::max(kLeastBytes, width * static_cast<std::size_t>(elements));
    H5Pset_buffer(properties.get(), bytes, nullptr, nullptr);
  }
  return properties;
}

}  // namespace omvc::h5
