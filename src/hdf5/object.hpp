// Groups and datasets of an HDF5 file, with the attributes that both may have. The names of objects are paths inside
// the file, such as "mod/rna/obs". Whatever cannot be found or read throws ErrorKind::data with the file and the
// object; whatever cannot be written throws ErrorKind::io.
//
// All that is read lies in the file, and in the group that was asked: links to other files, soft links to other groups,
// and datasets whose values lie in other files (external or virtual) are refused with ErrorKind::data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "omvc/chunk.hpp"

#include "hdf5/handle.hpp"
#include "hdf5/storage.hpp"

namespace omvc::h5 {

class Object {
 public:
  Object(Handle handle, std::string file, std::string name);

  Id id() const { return handle_.get(); }
  const std::string& file() const { return file_; }
  const std::string& name() const { return name_; }  // the path inside the file
  std::string where() const;                         // both, for messages
  bool is_group() const;
  bool is_dataset() const;

  bool has_attribute(const std::string& name) const;
  // Scalar or one-element text, of fixed or variable length; `otherwise` where there is none or it is not text.
  std::string text_attribute(const std::string& name, const std::string& otherwise = "") const;
  std::vector<std::string> text_list_attribute(const std::string& name) const;  // none where there is no such text
  std::vector<Index> integer_attribute(const std::string& name) const;          // none where there are no such numbers

  // Replaces an attribute of the same name.
  void set_attribute(const std::string& name, std::string_view text);
  void set_attribute(const std::string& name, const std::vector<std::string>& texts);
  void set_attribute(const std::string& name, const std::vector<Index>& numbers);
  void set_flag_attribute(const std::string& name, bool value);  // as h5py writes a bool

 protected:
  Handle handle_;

 private:
  Handle attribute_space(const std::string& name, Handle& attribute, Index& size) const;
  void write_attribute(const std::string& name, Id type, const std::vector<Index>& shape, const void* data);

  std::string file_;
  std::string name_;
};

// What the elements of a dataset are. `boolean` is h5py's: an enumeration over bytes.
enum class Elements { float32, real, integer, boolean, text, reference, other };

class Dataset : public Object {
 public:
  explicit Dataset(Object object);

  const std::vector<Index>& shape() const { return shape_; }
  Index rows() const { return shape_.empty() ? 1 : shape_[0]; }
  Index cols() const { return shape_.size() < 2 ? 1 : shape_[1]; }
  Elements elements() const { return elements_; }

  // Rows [first, first + count) of a dataset of one or two dimensions, converted to T (float, double, std::int32_t,
  // std::uint32_t, Index, std::uint8_t). Throws before memory is taken if so much cannot be in the file.
  template <class T>
  std::vector<T> read(Index first, Index count) const;
  // The same, of columns [first_col, first_col + cols) only.
  template <class T>
  std::vector<T> read(Index first, Index count, Index first_col, Index cols) const;
  template <class T>
  std::vector<T> read_all() const {
    return read<T>(0, rows());
  }
  std::vector<std::string> read_text(Index first, Index count) const;
  // Throws if there are more rows than can be in the file. What was never written reads as zero, so a few bytes could
  // announce rows without end.
  void check_stored() const;
  // What references point to; the cells of MAT v7.3.
  std::vector<Object> read_references(Index first, Index count) const;

  // Adds rows at the end of a dataset that was created to grow. `values` is count x cols().
  template <class T>
  void append(const T* values, Index count);
  void append_text(const std::vector<std::string>& values);
  void append_flags(const std::vector<std::uint8_t>& values);

 private:
  void check_inside() const;
  void check_chunks(Id creation) const;
  void check_range(Index first, Index count, Index first_col, Index cols, Index element_bytes) const;
  Handle select(Index first, Index count, Index first_col, Index cols, Handle& memory) const;
  // Reads what the library has to read itself, and returns the rest.
  template <class T>
  std::vector<PostponedReads::Read> begin_read(Index first, Index count, Index first_col, Index cols,
                                               std::vector<T>& values) const;
  void append_raw(Id memory_type, const void* values, Index count);

  std::vector<Index> shape_;
  Elements elements_ = Elements::other;
  mutable Index stored_ = -1;  // bytes in the file, once they were asked for
};

// How a new dataset is laid out. Datasets grow by rows, from none.
struct Layout {
  Index cols = 0;        // 0: one dimension
  Index chunk_rows = 0;  // 0: about 1 MB; what is stored together
  int gzip = 0;          // 0: not compressed, else 1 .. 9
};

enum class Store { float32, float64, int32, int64, uint32, boolean, text };

class Group : public Object {
 public:
  explicit Group(Object object);

  bool has(const std::string& name) const;  // a member that exists; false for a link that leads nowhere
  bool has_group(const std::string& name) const;
  bool has_dataset(const std::string& name) const;
  std::vector<std::string> names() const;  // of the members, in ascending order
  Object open(const std::string& name) const;
  Group group(const std::string& name) const;
  Dataset dataset(const std::string& name) const;

  Group create_group(const std::string& name);
  Dataset create(const std::string& name, Store type, const Layout& layout = {});
  void remove(const std::string& name);

 private:
  void check_links(const std::string& name, int depth = 0) const;
};

}  // namespace omvc::h5
