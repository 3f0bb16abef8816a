// What the files of the module share.
#pragma once

#include <map>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <vector>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/source.hpp"

namespace nb = nanobind;

namespace omvc::python {

// Data as the model reads them. Held by Python; a fit refers to it.
struct Data {
  std::unique_ptr<Source> source;
  std::vector<std::string> notes;
};

// While it lives, this thread runs an iterator of Python that gives data to a model at work. Such an iterator cannot
// wait until a model is free: it may be the one that waits for its data.
class InStream {
 public:
  InStream() { ++depth_; }
  ~InStream() { --depth_; }
  InStream(const InStream&) = delete;
  InStream& operator=(const InStream&) = delete;
  static bool here() { return depth_ > 0; }

 private:
  inline static thread_local int depth_ = 0;
};

// A vector as a NumPy array that owns it.
template <class T>
nb::object numpy_array(std::vector<T> values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}
template <class T>
nb::object numpy_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return numpy_array(std::move(values), {size});
}

nb::object report_dict(const Report& report);
nb::list schema_list(const Schema& schema);
Schema schema_of(const nb::list& views);

// Options by the names that the command gives them.
Options options_of(const std::map<std::string, std::string>& given);
// The source of data, which are read once.
std::unique_ptr<Source> take(Data& data);

void define_options(nb::module_& module);
void define_sources(nb::module_& module);
void define_model(nb::module_& module);
void define_plan(nb::module_& module);
void define_trials(nb::module_& module);

}  // namespace omvc::python
