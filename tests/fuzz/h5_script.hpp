// Sound HDF5 files whose content need not be, from text of one line an object:
//
//     G PATH                                 a group
//     D PATH TYPE SHAPE VALUE...             a dataset; C in the place of D: in chunks and compressed
//     A PATH NAME TYPE SHAPE VALUE...        an attribute of an object
//     R PATH SHAPE PATH...                   a dataset of references
//     L PATH PATH                            a link to another path, which need not exist
//
// TYPE is one of kTypes, SHAPE is such as 2x3, or - for a scalar. What HDF5 refuses is left out, and values are written
// only where there are as many as the shape asks for, so that a shape can announce more than there is.
#pragma once

#include <algorithm>
#include <charconv>
#include <hdf5.h>
#include <string>
#include <string_view>
#include <vector>

#include "hdf5/handle.hpp"
#include "hdf5/text.hpp"

namespace omvc::fuzz {

// The library keeps the memory that it is done with for its next use, without end: the tables that it makes for every
// file that is opened would otherwise come from the system, page by page, each time. What we hold is not in its lists.
inline const bool kMemoryIsKept = H5set_free_list_limits(-1, -1, -1, -1, -1, -1) >= 0;

class H5Script {
 public:
  static void write(std::string_view script, const std::string& path, hsize_t user_block = 0) {
    const h5::Call call;
    const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fapl_core(access.get(), 1 << 16, true);
    const h5::Handle creation(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_userblock(creation.get(), user_block);
    const h5::Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
    for (int lines = 0; lines < 100 && !script.empty(); ++lines) {
      const std::string_view line = script.substr(0, script.find('\n'));
      script.remove_prefix(std::min(line.size() + 1, script.size()));
      add(file.get(), words_of(line));
    }
    H5Eclear2(H5E_DEFAULT);
  }

 private:
  using Words = std::vector<std::string>;

  static Words words_of(std::string_view line) {
    Words words(1);
    for (const char c : line) {
      if (c == ' ') {
        words.emplace_back();
      } else if (c != '\0') {
        words.back() += c;
      }
    }
    return words;
  }

  static void add(hid_t file, const Words& words) {
    const std::string& kind = words[0];
    if (words.size() < 2) return;
    const char* path = words[1].c_str();
    if (kind == "G") h5::Handle(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (words.size() < 3) return;
    if (kind == "L") H5Lcreate_soft(words[2].c_str(), file, path, H5P_DEFAULT, H5P_DEFAULT);
    if (kind == "R") add_dataset(file, words, H5T_STD_REF_OBJ, 2);
    if (words.size() < 4) return;
    if (kind == "D" || kind == "C") add_dataset(file, words, type_of(words[2]).get(), 3);
    if (kind == "A" && words.size() > 4) add_attribute(file, words);
  }

  static h5::Handle type_of(const std::string& name) {
    if (name == "text") return h5::text_type();
    if (name == "bool") return h5::boolean_type();
    if (name == "opaque") return h5::Handle(H5Tcreate(H5T_OPAQUE, 3));
    if (name == "fixed") {
      h5::Handle type(H5Tcopy(H5T_C_S1));
      H5Tset_size(type.get(), 4);
      return type;
    }
    return h5::Handle(H5Tcopy(name == "f4"   ? H5T_IEEE_F32LE
                              : name == "i1" ? H5T_STD_I8LE
                              : name == "i4" ? H5T_STD_I32BE
                              : name == "i8" ? H5T_STD_I64LE
                              : name == "u4" ? H5T_STD_U32LE
                              : name == "u8" ? H5T_STD_U64LE
                                             : H5T_IEEE_F64LE));
  }

  static h5::Handle space_of(const std::string& shape, std::vector<hsize_t>& sizes) {
    if (shape == "null") return h5::Handle(H5Screate(H5S_NULL));
    if (shape == "-") return h5::Handle(H5Screate(H5S_SCALAR));
    for (std::size_t at = 0; at < shape.size() && sizes.size() < 4;) {
      const std::size_t end = std::min(shape.find('x', at), shape.size());
      sizes.push_back(static_cast<hsize_t>(number<std::int64_t>(shape.substr(at, end - at))));
      at = end + 1;
    }
    return h5::Handle(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
  }

  template <class T>
  static T number(const std::string& word) {
    T value{};
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }

  // Calls write(type in memory, values) where there are values for the whole space.
  template <class Write>
  static void put_values(hid_t file, hid_t type, hid_t space, const Words& words, std::size_t from,
                         const Write& write) {
    const std::size_t count = words.size() - from;
    if (count == 0 || H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(count)) return;
    const H5T_class_t kind = H5Tget_class(type);
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::vector<hobj_ref_t> references;
    std::vector<const char*> texts;
    std::vector<std::int8_t> flags;
    std::string bytes;  // four of each
    for (std::size_t i = from; i < words.size(); ++i) {
      reals.push_back(number<double>(words[i]));
      integers.push_back(number<std::int64_t>(words[i]));
      texts.push_back(words[i].c_str());
      bytes.append(words[i], 0, 4).resize(4 * (i - from + 1));
      flags.push_back(static_cast<std::int8_t>(integers.back()));
      references.push_back(0);
      if (kind == H5T_REFERENCE) H5Rcreate(&references.back(), file, words[i].c_str(), H5R_OBJECT, -1);
    }
    if (kind == H5T_FLOAT) write(H5T_NATIVE_DOUBLE, reals.data());
    if (kind == H5T_INTEGER) write(H5T_NATIVE_INT64, integers.data());
    if (kind == H5T_REFERENCE) write(type, references.data());
    if (kind == H5T_STRING && H5Tis_variable_str(type) > 0) write(type, texts.data());
    if (kind == H5T_ENUM) write(type, flags.data());
    if (kind == H5T_OPAQUE || (kind == H5T_STRING && H5Tis_variable_str(type) <= 0)) write(type, bytes.data());
  }

  static void add_dataset(hid_t file, const Words& words, hid_t type, std::size_t shape_at) {
    std::vector<hsize_t> sizes;
    const h5::Handle space = space_of(words[shape_at], sizes);
    const h5::Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    if (words[0] == "C" && !sizes.empty()) {
      std::vector<hsize_t> chunk = sizes;
      for (hsize_t& size : chunk) size = std::clamp<hsize_t>(size, 1, 4);
      H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
      H5Pset_deflate(creation.get(), 1);
    }
    const h5::Handle set(
        H5Dcreate2(file, words[1].c_str(), type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    if (!set) return;
    // The library's own buffer is 1 MB, cleared for every dataset: most of the time of an execution.
    const h5::Handle transfer(H5Pcreate(H5P_DATASET_XFER));
    H5Pset_buffer(transfer.get(), 4096, nullptr, nullptr);
    put_values(file, type, space.get(), words, shape_at + 1, [&](hid_t memory, const void* values) {
      H5Dwrite(set.get(), memory, H5S_ALL, H5S_ALL, transfer.get(), values);
    });
  }

  static void add_attribute(hid_t file, const Words& words) {
    std::vector<hsize_t> sizes;
    const h5::Handle owner(H5Oopen(file, words[1].c_str(), H5P_DEFAULT));
    const h5::Handle type = type_of(words[3]);
    const h5::Handle space = space_of(words[4], sizes);
    if (!owner || H5Sget_simple_extent_npoints(space.get()) > 4096) return;
    const h5::Handle attribute(
        H5Acreate2(owner.get(), words[2].c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    if (!attribute) return;
    put_values(file, type.get(), space.get(), words, 5,
               [&](hid_t memory, const void* values) { H5Awrite(attribute.get(), memory, values); });
  }
};

}  // namespace omvc::fuzz
