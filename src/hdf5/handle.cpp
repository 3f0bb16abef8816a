#include "hdf5/handle.hpp"

#include <fmt/core.h>
#include <hdf5.h>

namespace omvc::h5 {
namespace {

long g_close_failures = 0;  // under the lock

static_assert(sizeof(Id) == sizeof(hid_t) && std::is_signed_v<hid_t>);

std::recursive_mutex& library() {
  static std::recursive_mutex mutex;
  return mutex;
}

// The innermost reason comes first.
herr_t take_reason(unsigned depth, const H5E_error2_t* error, void* out) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
  return 0;
}

}  // namespace

Call::Call() : lock_(library()) {
  H5E_auto2_t printer = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data_);
  printer_ = reinterpret_cast<void*>(printer);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Call::~Call() { H5Eset_auto2(H5E_DEFAULT, reinterpret_cast<H5E_auto2_t>(printer_), printer_data_); }

long close_failures() {
  const Call call;
  return g_close_failures;
}

bool Handle::close() noexcept {
  if (id_ < 0) return true;
  const Call call;
  const hid_t id = std::exchange(id_, -1);
  // A file is closed by its own function, since only that reports what could not be written.
  const bool closed = H5Iget_type(id) == H5I_FILE ? H5Fclose(id) >= 0 : H5Idec_ref(id) >= 0;
  if (!closed) ++g_close_failures;
  return closed;
}

void fail(ErrorKind kind, const std::string& where, const std::string& what) {
  std::string reason;
  {
    const Call call;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
    H5Eclear2(H5E_DEFAULT);
  }
  throw Error(kind, reason.empty() ? fmt::format("{}: {}", where, what)
                                   : fmt::format("{}: {} (HDF5 says: {})", where, what, reason));
}

}  // namespace omvc::h5
