#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <hdf5.h>

#include "hdf5/object.hpp"
#include "hdf5/storage.hpp"
#include "hdf5/text.hpp"
#include "hdf5/transfer.hpp"

namespace omvc::h5 {
namespace {

constexpr Index kStoredTogether = 1 << 20;  // bytes of a chunk

}  // namespace

void Dataset::append_raw(Id memory_type, const void* values, Index count) {
  if (count == 0) return;
  const Index first = rows();
  shape_[0] += count;
  const std::vector<hsize_t> sizes(shape_.begin(), shape_.end());
  check(H5Dset_extent(id(), sizes.data()), kWrite, where(), "cannot grow");
  Handle memory;
  const Handle space = select(first, count, 0, cols(), memory);
  const Handle how = transfer(id(), memory_type, count * cols());
  check(H5Dwrite(id(), memory_type, memory.get(), space.get(), how.get(), values), kWrite, where(),
        "cannot be written");
  check_written(id());
}

template <class T>
void Dataset::append(const T* values, Index count) {
  const Call call;
  append_raw(native<T>(), values, count);
}

void Dataset::append_text(const std::vector<std::string>& values) {
  const Call call;
  std::vector<const char*> pointers;
  pointers.reserve(values.size());
  for (const std::string& value : values) {
    check_text(value, where());
    pointers.push_back(value.c_str());
  }
  const Handle type = text_type();
  append_raw(type.get(), pointers.data(), static_cast<Index>(values.size()) / std::max<Index>(cols(), 1));
}

void Dataset::append_flags(const std::vector<std::uint8_t>& values) {
  const Call call;
  const Handle type = boolean_type();
  append_raw(type.get(), values.data(), static_cast<Index>(values.size()) / std::max<Index>(cols(), 1));
}

Dataset Group::create(const std::string& name, Store store, const Layout& layout) {
  const Call call;
  Handle made;  // owns a type that is not one of the library's
  hid_t type = -1;
  switch (store) {
    case Store::float32:
      type = H5T_IEEE_F32LE;
      break;
    case Store::float64:
      type = H5T_IEEE_F64LE;
      break;
    case Store::int32:
      type = H5T_STD_I32LE;
      break;
    case Store::int64:
      type = H5T_STD_I64LE;
      break;
    case Store::uint32:
      type = H5T_STD_U32LE;
      break;
    case Store::boolean:
    case Store::text:
      made = store == Store::text ? text_type() : boolean_type();
      type = made.get();
      break;
  }
  const int rank = layout.cols == 0 ? 1 : 2;
  const std::array<hsize_t, 2> none{0, static_cast<hsize_t>(layout.cols)};
  const std::array<hsize_t, 2> most{H5S_UNLIMITED, static_cast<hsize_t>(layout.cols)};
  const Index row_bytes = static_cast<Index>(H5Tget_size(type)) * std::max<Index>(layout.cols, 1);
  const Index together = std::max<Index>(kStoredTogether / row_bytes, 1);
  const Index chunk_rows = layout.chunk_rows == 0 ? together : std::min(layout.chunk_rows, together);
  const std::array<hsize_t, 2> chunk{static_cast<hsize_t>(chunk_rows), static_cast<hsize_t>(layout.cols)};
  const Handle space(H5Screate_simple(rank, none.data(), most.data()));
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE));
  const std::string path = (this->name() == "/" ? "" : this->name()) + "/" + name;
  const std::string place = fmt::format("{}: {}", file(), path);
  // The same content is the same bytes, whenever it is written.
  check(H5Pset_obj_track_times(creation.get(), false), kWrite, place, "cannot be created");
  check(H5Pset_chunk(creation.get(), rank, chunk.data()), kWrite, place, "cannot be created");
  if (layout.gzip > 0) {
    check(H5Pset_deflate(creation.get(), static_cast<unsigned>(layout.gzip)), kWrite, place, "cannot be compressed");
  }
  return Dataset(Object(own(H5Dcreate2(id(), name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                            kWrite, place, "cannot be created"),
                        file(), path));
}

template void Dataset::append(const float*, Index);
template void Dataset::append(const double*, Index);
template void Dataset::append(const std::int32_t*, Index);
template void Dataset::append(const std::uint32_t*, Index);
template void Dataset::append(const Index*, Index);
template void Dataset::append(const std::uint8_t*, Index);

}  // namespace omvc::h5
