#include "hdf5/storage.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <functional>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/descriptor.hpp"

namespace omvc::h5 {
namespace {

constexpr haddr_t kMostBytes = (static_cast<haddr_t>(1) << 63) - 1;

// What the library keeps for an open file: its own part first.
struct Driven {
  H5FD_t base{};
  std::shared_ptr<Storage> storage;
  haddr_t allocated = 0;
  haddr_t size = 0;
  struct stat status {};
};

Driven& driven(H5FD_t* file) { return *reinterpret_cast<Driven*>(file); }
const Driven& driven(const H5FD_t* file) { return *reinterpret_cast<const Driven*>(file); }

H5FD_t* open_file(const char*, unsigned flags, hid_t access, haddr_t) {
  // The library asks without a storage when a file that is read names another one.
  const void* given = H5Pget_driver_info(access);
  if (given == nullptr) return nullptr;
  try {
    auto file = std::make_unique<Driven>();
    file->storage = **static_cast<const std::shared_ptr<Storage>* const*>(given);
    const int descriptor = file->storage->descriptor();
    if ((flags & H5F_ACC_TRUNC) != 0 && ::ftruncate(descriptor, 0) != 0) return nullptr;
    if (::fstat(descriptor, &file->status) != 0) return nullptr;
    file->size = static_cast<haddr_t>(file->status.st_size);
    return &file.release()->base;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

herr_t close_file(H5FD_t* file) {
  delete &driven(file);
  return 0;
}

int compare(const H5FD_t* left, const H5FD_t* right) {
  const struct stat& a = driven(left).status;
  const struct stat& b = driven(right).status;
  if (a.st_dev != b.st_dev) return a.st_dev < b.st_dev ? -1 : 1;
  return a.st_ino == b.st_ino ? 0 : a.st_ino < b.st_ino ? -1 : 1;
}

// Those of the library's own driver for files.
herr_t features(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

PostponedReads* postponing = nullptr;  // under the library's lock

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return driven(file).allocated; }

herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  driven(file).allocated = end;
  return 0;
}

haddr_t file_size(const H5FD_t* file, H5FD_mem_t) { return driven(file).size; }

herr_t get_storage(H5FD_t* file, hid_t, void** out) {
  *out = driven(file).storage.get();
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t sort, hid_t, haddr_t at, std::size_t size, void* out) {
  // What lies beyond the end was allocated and never written: it is zero.
  const haddr_t end = driven(file).size;
  const std::size_t stored = at >= end ? 0 : static_cast<std::size_t>(std::min<haddr_t>(end - at, size));
  std::memset(static_cast<char*>(out) + stored, 0, size - stored);
  const auto place = static_cast<std::int64_t>(at);
  if (sort == H5FD_MEM_DRAW && PostponedReads::note(driven(file).storage, place, stored, out)) return 0;
  return read_fully_at(driven(file).storage->descriptor(), out, stored, place) ? 0 : -1;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* data) {
  Driven& to = driven(file);
  if (!to.storage->failed() && !write_fully_at(to.storage->descriptor(), data, size, static_cast<std::int64_t>(at))) {
    to.storage->note_failure();
  }
  to.size = std::max(to.size, at + size);
  return 0;
}

herr_t cut(H5FD_t* file, hid_t, hbool_t) {
  Driven& to = driven(file);
  if (to.size == to.allocated) return 0;
  if (!to.storage->failed() && ::ftruncate(to.storage->descriptor(), static_cast<off_t>(to.allocated)) != 0) {
    to.storage->note_failure();
  }
  to.size = to.allocated;
  return 0;
}

// What others are writing is not read. What is written here is locked by whoever made the file.
herr_t lock(H5FD_t* file, hbool_t for_writing) {
  if (for_writing) return 0;
  const bool taken = ::flock(driven(file).storage->descriptor(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return taken ? -1 : 0;
}

herr_t unlock(H5FD_t*) { return 0; }

hid_t driver() {
  static const H5FD_class_t kind = [] {
    constexpr H5FD_mem_t kSorts[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    H5FD_class_t it{};
#ifdef H5FD_CLASS_VERSION
    it.version = H5FD_CLASS_VERSION;
    it.value = static_cast<H5FD_class_value_t>(0x6F6D);
#endif
    it.name = "omvc";
    it.maxaddr = kMostBytes;
    it.fc_degree = H5F_CLOSE_WEAK;
    it.fapl_size = sizeof(void*);
    it.open = open_file;
    it.close = close_file;
    it.cmp = compare;
    it.query = features;
    it.get_eoa = allocated;
    it.set_eoa = allocate;
    it.get_eof = file_size;
    it.get_handle = get_storage;
    it.read = read_bytes;
    it.write = write_bytes;
    it.truncate = cut;
    it.lock = lock;
    it.unlock = unlock;
    std::copy(std::begin(kSorts), std::end(kSorts), it.fl_map);
    return it;
  }();
  // The library forgets its drivers when the program closes it.
  static hid_t id = -1;
  if (id < 0 || H5Iis_valid(id) <= 0) id = H5FDregister(&kind);
  return id;
}

}  // namespace

Storage::~Storage() { ::close(descriptor_); }

void Storage::note_failure() {
  if (error_ == 0) error_ = errno != 0 ? errno : EIO;
}

void Storage::check_written() const {
  if (error_ == 0) return;
  throw Error(ErrorKind::io,
              fmt::format("cannot write {}: {}; the file is left as it was", path_, std::strerror(error_)));
}

std::shared_ptr<Storage> open_storage(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return std::make_shared<Storage>(descriptor, path);
}

std::shared_ptr<Storage> share_storage(int descriptor, const std::string& path) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) throw Error(ErrorKind::io, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return std::make_shared<Storage>(copy, path);
}

PostponedReads::PostponedReads(void* memory, std::size_t bytes)
    : begin_(static_cast<char*>(memory)), end_(begin_ + bytes) {
  postponing = this;
}

PostponedReads::~PostponedReads() { postponing = nullptr; }

bool PostponedReads::note(const std::shared_ptr<Storage>& storage, std::int64_t at, std::size_t size, void* to) {
  auto* const first = static_cast<char*>(to);
  const std::less<> before;
  if (postponing == nullptr || before(first, postponing->begin_) || before(postponing->end_, first + size))
    return false;
  try {
    postponing->reads_.push_back({storage, at, size, to});
  } catch (const std::bad_alloc&) {
    return false;  // no exception may pass through the library
  }
  return true;
}

bool read_now(const std::vector<PostponedReads::Read>& reads) {
  return std::all_of(reads.begin(), reads.end(), [](const PostponedReads::Read& read) {
    return read_fully_at(read.storage->descriptor(), read.to, read.size, read.at);
  });
}

Handle access_to(const std::shared_ptr<Storage>& storage) {
  const Call call;
  Handle access = own(H5Pcreate(H5P_FILE_ACCESS), ErrorKind::io, storage->path(), "cannot be opened");
  const std::shared_ptr<Storage>* info = &storage;
  check(H5Pset_driver(access.get(), driver(), &info), ErrorKind::io, storage->path(), "cannot be opened");
  return access;
}

void check_written(Id object) {
  const Call call;
  const Handle file(H5Iget_file_id(object));
  void* storage = nullptr;
  if (file && H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &storage) >= 0 && storage != nullptr) {
    static_cast<const Storage*>(storage)->check_written();
  }
}

}  // namespace omvc::h5
