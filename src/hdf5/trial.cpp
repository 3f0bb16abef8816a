#include "hdf5/trial.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <hdf5.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

#include "hdf5/object.hpp"
#include "hdf5/storage.hpp"

namespace omvc::h5 {
namespace {

constexpr rlim_t kMemory = rlim_t{1} << 30;  // beyond what the process starts with
constexpr Index kReadWhole = 1 << 20;        // bytes of a dataset
constexpr Index kPlaces = 8;                 // that are read of a larger one

void limit(decltype(RLIMIT_AS) what, rlim_t value) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_max, value);
  setrlimit(what, &now);
}

// Address space in use.
rlim_t used_memory() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return rlim_t{1} << 36;
  if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  std::fclose(file);
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

herr_t note_memory(unsigned, const H5E_error2_t* error, void* out) {
  if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC) *static_cast<bool*>(out) = true;
  return 0;
}

// An object that cannot be read in an orderly way is left to the reader, which may not need it. Running out of memory
// is not orderly: this process has a limit, the other has none.
template <class F>
bool orderly(const F& f) {
  bool out_of_memory = false;
  H5Eclear2(H5E_DEFAULT);
  try {
    f();
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  } catch (const std::exception& error) {
    out_of_memory = std::strstr(error.what(), "memory allocation") != nullptr;
  }
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_memory, &out_of_memory);
  return !out_of_memory;
}

void read_rows(const Dataset& dataset, Index first, Index count) {
  if (dataset.elements() == Elements::text) {
    dataset.read_text(first, count);
  } else if (dataset.elements() == Elements::reference) {
    dataset.read_references(first, count);
  } else {
    dataset.read<double>(first, count);
  }
}

bool try_dataset(Object object) {
  const Dataset dataset(std::move(object));
  if (dataset.elements() == Elements::other || dataset.shape().size() > 2 || dataset.rows() == 0) return true;
  constexpr Index kElement = 16;
  const Index row_bytes = std::max<Index>(dataset.cols(), 1) > kReadWhole ? kReadWhole : dataset.cols() * kElement;
  const Index whole = std::max<Index>(kReadWhole / std::max<Index>(row_bytes, 1), 1);
  if (dataset.rows() <= whole) return orderly([&] { read_rows(dataset, 0, dataset.rows()); });
  const Index piece = std::max<Index>(whole / kPlaces, 1);
  const Index last = dataset.rows() - piece;
  for (Index i = 0; i < kPlaces; ++i) {
    // A division first, because rows may be absurdly many.
    const Index first = i + 1 == kPlaces ? last : last / (kPlaces - 1) * i;
    if (!orderly([&] { read_rows(dataset, first, piece); })) return false;
  }
  return true;
}

herr_t try_attribute(hid_t id, const char* name, const H5A_info_t*, void* out) {
  Handle copy(id);
  H5Iinc_ref(id);
  const Object object(std::move(copy), "", "");
  const bool survived =
      orderly([&] { object.text_list_attribute(name); }) && orderly([&] { object.integer_attribute(name); });
  if (!survived) *static_cast<bool*>(out) = false;
  return 0;
}

herr_t try_object(hid_t root, const char* name, const H5O_info_t*, void* out) {
  bool& survived = *static_cast<bool*>(out);
  survived = survived && orderly([&] {
               Object object(Handle(H5Oopen(root, name, H5P_DEFAULT)), "", name);
               if (object.id() < 0) return;
               hsize_t from = 0;
               H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &from, try_attribute, out);
               if (object.is_dataset() && !try_dataset(std::move(object))) survived = false;
             });
  return survived ? 0 : 1;
}

char try_file(const std::string& path) {
  bool survived = true;
  bool visited = false;
  const bool fits = orderly([&] {
    const auto storage = open_storage(path);
    const Handle access = access_to(storage);
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
    visited = file && H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, try_object, &survived) >= 0;
  });
  if (!survived || !fits) return kOutOfMemory;
  return visited ? kSurvived : kRefused;
}

}  // namespace

int run_trial(const std::string& path, unsigned seconds) {
  const auto answer = [](char letter) { return ::write(STDOUT_FILENO, &letter, 1) == 1; };
  if (!answer(kBegun)) return 1;
  alarm(seconds);
  // A damaged file can leave the library with objects that it fails to close when the process ends.
  H5dont_atexit();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, used_memory() + kMemory);
  char ending = kRefused;
  try {
    const Call call;
    ending = try_file(path);
  } catch (const std::exception&) {
    ending = kRefused;
  }
  return answer(ending) ? 0 : 1;
}

}  // namespace omvc::h5
