#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <hdf5.h>
#include <limits>
#include <optional>

#include "hdf5/object.hpp"
#include "hdf5/storage.hpp"
#include "hdf5/text.hpp"
#include "hdf5/transfer.hpp"

namespace omvc::h5 {
namespace {

// Deflate compresses at most 1032 times and a stored byte becomes at most a double: more than that is not in the file.
// What is small may be unwritten and thereby zero.
constexpr Index kMaxExpansion = 8 * 1032;
constexpr Index kAlwaysBytes = 1 << 24;

constexpr std::size_t kLargestCache = 1 << 26;

Elements elements_of(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      return H5Tget_size(type) == 4 ? Elements::float32 : Elements::real;
    case H5T_INTEGER:
      return Elements::integer;
    case H5T_ENUM:
      return Elements::boolean;
    case H5T_STRING:
      return Elements::text;
    case H5T_REFERENCE:
      return H5Tequal(type, H5T_STD_REF_OBJ) > 0 ? Elements::reference : Elements::other;
    default:
      return Elements::other;
  }
}

bool is_number(Elements elements) { return elements <= Elements::boolean; }

// The cache that a dataset in chunks needs; nothing for one without chunks. Packed chunks need one that holds those
// which a row lies in, or every read of a few rows would unpack all of them again. Others are read in place: a cache
// would only make memory grow with the file until it is full.
std::optional<std::size_t> cache_bytes(hid_t dataset, const std::vector<Index>& shape) {
  const Handle creation(H5Dget_create_plist(dataset));
  if (!creation || shape.empty() || shape.size() > 2 || H5Pget_layout(creation.get()) != H5D_CHUNKED)
    return std::nullopt;
  std::array<hsize_t, 2> chunk{1, 1};
  if (H5Pget_chunk(creation.get(), 2, chunk.data()) != static_cast<int>(shape.size())) return std::nullopt;
  if (H5Pget_nfilters(creation.get()) == 0) return 0;
  const Handle type(H5Dget_type(dataset));
  const double width = shape.size() == 2 ? static_cast<double>(shape[1]) + static_cast<double>(chunk[1]) : 2.0;
  const double bytes = static_cast<double>(chunk[0]) * width * static_cast<double>(H5Tget_size(type.get()));
  return static_cast<std::size_t>(std::min(bytes, static_cast<double>(kLargestCache)));
}

Index file_bytes(hid_t object) {
  const Handle file(H5Iget_file_id(object));
  hsize_t size = 0;
  return file && H5Fget_filesize(file.get(), &size) >= 0 ? static_cast<Index>(size) : 0;
}

}  // namespace

Dataset::Dataset(Object object) : Object(std::move(object)) {
  const Call call;
  if (!is_dataset()) throw Error(kRead, fmt::format("{}: expected a dataset, found something else", where()));
  check_inside();
  const Handle space = own(H5Dget_space(id()), kRead, where(), "the shape cannot be read");
  const Handle type = own(H5Dget_type(id()), kRead, where(), "the type cannot be read");
  elements_ = elements_of(type.get());
  const int rank = H5Sget_simple_extent_type(space.get()) == H5S_NULL ? -1 : H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) {
    shape_ = {0};
    return;
  }
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
  for (const hsize_t size : sizes) {
    if (size > static_cast<hsize_t>(std::numeric_limits<Index>::max())) {
      throw Error(kRead, fmt::format("{}: the announced size is absurd; the file is damaged", where()));
    }
    shape_.push_back(static_cast<Index>(size));
  }
}

// A chunk is unpacked whole, whatever is read of it.
void Dataset::check_chunks(Id creation) const {
  constexpr double kMostBytes = double{1 << 30};
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  if (H5Pget_layout(creation) != H5D_CHUNKED) return;
  const int rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data());
  const Handle type(H5Dget_type(id()));
  double bytes = static_cast<double>(H5Tget_size(type.get()));
  for (int i = 0; i < rank; ++i) bytes *= static_cast<double>(chunk[static_cast<std::size_t>(i)]);
  int packed = 0;
  for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    packed += H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr) ==
              H5Z_FILTER_DEFLATE;
  }
  if (packed > 1) {
    throw Error(kRead, fmt::format("{}: the values are deflated {} times over: write the file again, deflated once",
                                   where(), packed));
  }
  if (packed > 0 && bytes > kMostBytes) {
    throw Error(kRead,
                fmt::format("{}: its chunks take {:.0f} MB when they are unpacked, and {:.0f} are allowed: write "
                            "the file again with smaller chunks, of some rows each",
                            where(), bytes / (1 << 20), kMostBytes / (1 << 20)));
  }
}

void Dataset::check_inside() const {
  const Handle creation = own(H5Dget_create_plist(id()), kRead, where(), "cannot be opened");
  check_chunks(creation.get());
  const bool is_virtual = H5Pget_layout(creation.get()) == H5D_VIRTUAL;
  if (!is_virtual && H5Pget_external_count(creation.get()) == 0) return;
  throw Error(kRead, fmt::format("{}: the values lie in other files ({} dataset), which omvc does not read: write the "
                                 "file again with the values in it",
                                 where(), is_virtual ? "a virtual" : "an external"));
}

void Dataset::check_range(Index first, Index count, Index first_col, Index cols, Index element_bytes) const {
  if (shape_.size() > 2) {
    throw Error(kRead, fmt::format("{}: has {} dimensions; one or two can be read", where(), shape_.size()));
  }
  if (first < 0 || count < 0 || first > rows() || count > rows() - first || first_col < 0 || cols < 0 ||
      first_col > this->cols() || cols > this->cols() - first_col) {
    throw Error(kRead,
                fmt::format("{}: rows {} .. {} were asked for, and there are {} (columns {} .. {} of {})", where(),
                            first, first + count - 1, rows(), first_col, first_col + cols - 1, this->cols()));
  }
  if (count == 0 || cols == 0 || count <= kAlwaysBytes / element_bytes / cols) return;
  if (stored_ < 0) {
    stored_ = std::min<Index>(static_cast<Index>(H5Dget_storage_size(id())), file_bytes(id()));
  }
  const double bytes = static_cast<double>(count) * static_cast<double>(cols) * static_cast<double>(element_bytes);
  if (bytes > static_cast<double>(stored_) * static_cast<double>(kMaxExpansion)) {
    throw Error(kRead, fmt::format("{}: {} x {} values are announced, and {} bytes are stored; the file is damaged "
                                   "or was never filled",
                                   where(), rows(), this->cols(), stored_));
  }
}

void Dataset::check_stored() const {
  const Call call;
  check_range(0, rows(), 0, cols(), sizeof(double));
}

Handle Dataset::select(Index first, Index count, Index first_col, Index cols, Handle& memory) const {
  Handle space = own(H5Dget_space(id()), kRead, where(), "the shape cannot be read");
  const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), static_cast<hsize_t>(first_col)};
  const std::array<hsize_t, 2> size{static_cast<hsize_t>(count), static_cast<hsize_t>(cols)};
  // Of the same rank as in the file: libhdf5 copies runs between equal shapes, and single elements between others.
  memory = Handle(H5Screate_simple(shape_.size() == 2 ? 2 : 1, size.data(), nullptr));
  if (shape_.empty()) return space;
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), kRead, where(),
        "rows cannot be selected");
  return space;
}

template <class T>
std::vector<T> Dataset::read(Index first, Index count, Index first_col, Index cols) const {
  if (!is_number(elements_)) throw Error(kRead, fmt::format("{}: numbers are needed here", where()));
  {
    const Call call;
    check_range(first, count, first_col, cols, sizeof(T));
  }
  std::vector<T> values(static_cast<std::size_t>(count * cols));
  if (values.empty()) return values;
  const std::vector<PostponedReads::Read> rest = begin_read(first, count, first_col, cols, values);
  errno = 0;
  if (!read_now(rest)) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot be read: {}", where(),
                            errno != 0 ? std::strerror(errno) : "the file has become shorter while it was in use"));
  }
  return values;
}

template <class T>
std::vector<PostponedReads::Read> Dataset::begin_read(Index first, Index count, Index first_col, Index cols,
                                                      std::vector<T>& values) const {
  const Call call;
  Handle memory;
  const Handle space = select(first, count, first_col, cols, memory);
  const Handle how = transfer(id(), native<T>(), count * cols);
  PostponedReads postponed(values.data(), sizeof(T) * values.size());
  check(H5Dread(id(), native<T>(), memory.get(), space.get(), how.get(), values.data()), kRead, where(),
        "cannot be read");
  return postponed.take();
}

template <class T>
std::vector<T> Dataset::read(Index first, Index count) const {
  return read<T>(first, count, 0, cols());
}

std::vector<std::string> Dataset::read_text(Index first, Index count) const {
  const Call call;
  if (elements_ != Elements::text) throw Error(kRead, fmt::format("{}: text is needed here", where()));
  const Handle type = own(H5Dget_type(id()), kRead, where(), "the type cannot be read");
  check_range(first, count, 0, cols(), static_cast<Index>(H5Tget_size(type.get())));
  if (count * cols() == 0) return {};
  TextBuffer buffer(type.get(), count * cols());
  Handle memory;
  const Handle space = select(first, count, 0, cols(), memory);
  const Handle how = transfer(id(), type.get(), count * cols());
  check(H5Dread(id(), type.get(), memory.get(), space.get(), how.get(), buffer.data()), kRead, where(),
        "cannot be read");
  return buffer.take();
}

std::vector<Object> Dataset::read_references(Index first, Index count) const {
  const Call call;
  if (elements_ != Elements::reference) throw Error(kRead, fmt::format("{}: references are needed here", where()));
  check_range(first, count, 0, cols(), sizeof(hobj_ref_t));
  std::vector<hobj_ref_t> references(static_cast<std::size_t>(count * cols()));
  if (references.empty()) return {};
  Handle memory;
  const Handle space = select(first, count, 0, cols(), memory);
  check(H5Dread(id(), H5T_STD_REF_OBJ, memory.get(), space.get(), H5P_DEFAULT, references.data()), kRead, where(),
        "cannot be read");
  std::vector<Object> objects;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const std::string name = fmt::format("{}[{}]", this->name(), i);
    objects.emplace_back(own(H5Rdereference2(id(), H5P_DEFAULT, H5R_OBJECT, &references[i]), kRead, where(),
                             "a reference leads nowhere"),
                         file(), name);
  }
  return objects;
}

Dataset Group::dataset(const std::string& name) const {
  const Call call;
  Dataset found(open(name));
  const std::optional<std::size_t> cache = cache_bytes(found.id(), found.shape());
  if (!cache) return found;
  // The cache is set when a dataset is opened and nobody else has it open.
  Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), *cache > 0 ? 10007 : 0, *cache, 1.0);
  const std::string path = found.name();
  { const Dataset closed = std::move(found); }
  return Dataset(Object(
      own(H5Dopen2(id(), name.c_str(), access.get()), kRead, fmt::format("{}: {}", file(), path), "cannot be opened"),
      file(), path));
}

#define OMVC_H5_INSTANTIATE(T)                               \
  template std::vector<T> Dataset::read(Index, Index) const; \
  template std::vector<T> Dataset::read(Index, Index, Index, Index) const;
OMVC_H5_INSTANTIATE(float)
OMVC_H5_INSTANTIATE(double)
OMVC_H5_INSTANTIATE(std::int32_t)
OMVC_H5_INSTANTIATE(std::uint32_t)
OMVC_H5_INSTANTIATE(Index)
OMVC_H5_INSTANTIATE(std::uint8_t)
#undef OMVC_H5_INSTANTIATE

}  // namespace omvc::h5
