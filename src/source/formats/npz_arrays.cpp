#include "source/formats/npz_arrays.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "omvc/error.hpp"

namespace omvc {

NpzArrays::NpzArrays(const std::string& path) : archive_(path) {
  constexpr std::string_view kExtension = ".npy";
  for (const ZipEntry& entry : archive_.entries()) {
    if (!entry.name.ends_with(kExtension)) continue;
    NpzArray array;
    array.name = entry.name.substr(0, entry.name.size() - kExtension.size());
    array.where = fmt::format("{}: {}", path, array.name);
    array.entry = entry;
    if (find(array.name) != nullptr) {
      throw Error(ErrorKind::data, fmt::format("{}: the archive holds two arrays of this name", array.where));
    }
    array.header = read_npy_header(*archive_.open(entry), array.where);
    check_no_objects(array.header, array.where);
    arrays_.push_back(std::move(array));
  }
  if (arrays_.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: the archive holds no arrays; write it with numpy.savez", path));
  }
}

const NpzArray* NpzArrays::find(std::string_view name) const {
  const auto at = std::find_if(arrays_.begin(), arrays_.end(), [&](const NpzArray& a) { return a.name == name; });
  return at == arrays_.end() ? nullptr : &*at;
}

}  // namespace omvc
