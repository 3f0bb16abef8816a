#include "hdf5/object.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <hdf5.h>

#include "hdf5/text.hpp"

namespace omvc::h5 {
namespace {

constexpr Index kLargestAttribute = 1 << 26;  // bytes; no attribute of any use is larger

constexpr std::size_t kLongestLink = 4096;
constexpr int kMostLinks = 8;  // one after the other

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* out) {
  static_cast<std::vector<std::string>*>(out)->emplace_back(name);
  return 0;
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder == "/" ? "/" + name : folder + "/" + name;
}

}  // namespace

Object::Object(Handle handle, std::string file, std::string name)
    : handle_(std::move(handle)), file_(std::move(file)), name_(std::move(name)) {}

std::string Object::where() const { return fmt::format("{}: {}", file_, name_); }

bool Object::is_group() const {
  const Call call;
  return H5Iget_type(id()) == H5I_GROUP;
}

bool Object::is_dataset() const {
  const Call call;
  return H5Iget_type(id()) == H5I_DATASET;
}

bool Object::has_attribute(const std::string& name) const {
  const Call call;
  return H5Aexists(id(), name.c_str()) > 0;
}

// Opens the attribute and counts its elements; no handle where there is none, or one too large to be real.
Handle Object::attribute_space(const std::string& name, Handle& attribute, Index& size) const {
  if (!has_attribute(name)) return {};
  attribute = own(H5Aopen(id(), name.c_str(), H5P_DEFAULT), kRead, where(), "an attribute cannot be opened");
  Handle type = own(H5Aget_type(attribute.get()), kRead, where(), "an attribute has no type");
  const Handle space = own(H5Aget_space(attribute.get()), kRead, where(), "an attribute has no shape");
  const auto bytes = static_cast<Index>(H5Tget_size(type.get()));
  size = H5Sget_simple_extent_npoints(space.get());
  if (size < 0 || bytes < 1 || size > kLargestAttribute / bytes) {
    throw Error(kRead, fmt::format("{}: attribute '{}' is too large; the file is damaged", where(), name));
  }
  return type;
}

std::vector<std::string> Object::text_list_attribute(const std::string& name) const {
  const Call call;
  Handle attribute;
  Index size = 0;
  const Handle type = attribute_space(name, attribute, size);
  if (!type || H5Tget_class(type.get()) != H5T_STRING || size == 0) return {};
  TextBuffer buffer(type.get(), size);
  check(H5Aread(attribute.get(), type.get(), buffer.data()), kRead, where(), "an attribute cannot be read");
  return buffer.take();
}

std::string Object::text_attribute(const std::string& name, const std::string& otherwise) const {
  const auto texts = text_list_attribute(name);
  return texts.size() == 1 ? texts.front() : otherwise;
}

std::vector<Index> Object::integer_attribute(const std::string& name) const {
  const Call call;
  Handle attribute;
  Index size = 0;
  const Handle type = attribute_space(name, attribute, size);
  if (!type) return {};
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && kind != H5T_ENUM && kind != H5T_FLOAT) return {};
  std::vector<Index> numbers(static_cast<std::size_t>(size));
  if (size > 0) {
    check(H5Aread(attribute.get(), H5T_NATIVE_INT64, numbers.data()), kRead, where(), "an attribute cannot be read");
  }
  return numbers;
}

void Object::write_attribute(const std::string& name, Id type, const std::vector<Index>& shape, const void* data) {
  if (has_attribute(name)) check(H5Adelete(id(), name.c_str()), kWrite, where(), "an attribute cannot be replaced");
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const Handle space(sizes.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
  const Handle attribute = own(H5Acreate2(id(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), kWrite,
                               where(), "an attribute cannot be created");
  if (data != nullptr) check(H5Awrite(attribute.get(), type, data), kWrite, where(), "an attribute cannot be written");
}

void Object::set_attribute(const std::string& name, std::string_view text) {
  const Call call;
  check_text(text, where());
  const Handle type = text_type();
  const std::string copy(text);
  const char* pointer = copy.c_str();
  write_attribute(name, type.get(), {}, &pointer);
}

void Object::set_attribute(const std::string& name, const std::vector<std::string>& texts) {
  const Call call;
  const Handle type = text_type();
  std::vector<const char*> pointers;
  for (const std::string& text : texts) {
    check_text(text, where());
    pointers.push_back(text.c_str());
  }
  write_attribute(name, type.get(), {static_cast<Index>(texts.size())}, texts.empty() ? nullptr : pointers.data());
}

void Object::set_attribute(const std::string& name, const std::vector<Index>& numbers) {
  const Call call;
  const std::vector<Index> shape{static_cast<Index>(numbers.size())};
  write_attribute(name, H5T_NATIVE_INT64, numbers.size() == 1 ? std::vector<Index>{} : shape,
                  numbers.empty() ? nullptr : numbers.data());
}

void Object::set_flag_attribute(const std::string& name, bool value) {
  const Call call;
  const Handle type = boolean_type();
  const std::int8_t stored = value ? 1 : 0;
  write_attribute(name, type.get(), {}, &stored);
}

Group::Group(Object object) : Object(std::move(object)) {
  if (!is_group()) throw Error(kRead, fmt::format("{}: expected a group, found something else", where()));
}

// Throws for a link on the way to a member that leads out of the file or of this group.
void Group::check_links(const std::string& name, int depth) const {
  const auto refuse = [&](const std::string& part, const char* what) {
    throw Error(kRead, fmt::format("{}: {} is {}, which omvc does not follow: put the data themselves there", file(),
                                   joined(this->name(), part), what));
  };
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    H5L_info_t info{};
    if (part.empty() || H5Lget_info(id(), part.c_str(), &info, H5P_DEFAULT) < 0) return;
    if (info.type == H5L_TYPE_EXTERNAL) refuse(part, "a link into another file");
    if (info.type != H5L_TYPE_HARD && info.type != H5L_TYPE_SOFT) refuse(part, "a link of an unknown kind");
    if (info.type == H5L_TYPE_SOFT) {
      std::string target(std::min<std::size_t>(info.u.val_size, kLongestLink), '\0');
      check(H5Lget_val(id(), part.c_str(), target.data(), target.size(), H5P_DEFAULT), kRead, where(),
            "a link cannot be read");
      target.resize(target.find('\0') == std::string::npos ? target.size() : target.find('\0'));
      if (target.starts_with('/') || depth == kMostLinks) refuse(part, "a link out of its group");
      const std::size_t folder = part.rfind('/');
      check_links(folder == std::string::npos ? target : part.substr(0, folder + 1) + target, depth + 1);
    }
    if (end == std::string::npos) return;
  }
}

bool Group::has(const std::string& name) const {
  const Call call;
  check_links(name);
  // H5Oexists_by_name asks for every link on the way to exist.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (part.empty() || H5Lexists(id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Oexists_by_name(id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

bool Group::has_group(const std::string& name) const { return has(name) && open(name).is_group(); }
bool Group::has_dataset(const std::string& name) const { return has(name) && open(name).is_dataset(); }

std::vector<std::string> Group::names() const {
  const Call call;
  std::vector<std::string> found;
  hsize_t from = 0;
  check(H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, &from, collect_name, &found), kRead, where(),
        "the group cannot be listed");
  std::sort(found.begin(), found.end());
  return found;
}

Object Group::open(const std::string& name) const {
  const Call call;
  const std::string path = joined(this->name(), name);
  if (!has(name)) throw Error(kRead, fmt::format("{}: there is no {} in the file", file(), path));
  return {own(H5Oopen(id(), name.c_str(), H5P_DEFAULT), kRead, fmt::format("{}: {}", file(), path), "cannot be opened"),
          file(), path};
}

Group Group::group(const std::string& name) const { return Group(open(name)); }

Group Group::create_group(const std::string& name) {
  const Call call;
  const std::string path = joined(this->name(), name);
  return Group(Object(own(H5Gcreate2(id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), kWrite,
                          fmt::format("{}: {}", file(), path), "the group cannot be created"),
                      file(), path));
}

void Group::remove(const std::string& name) {
  const Call call;
  check(H5Ldelete(id(), name.c_str(), H5P_DEFAULT), kWrite, where(), "a member cannot be replaced");
}

}  // namespace omvc::h5
