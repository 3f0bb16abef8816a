// Arrays, files and iterators of Python as sources. Arrays are lent, never copied.
#include "omvc/borrowed.hpp"
#include "omvc/input.hpp"

#include "convert.hpp"

namespace omvc::python {
namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

// Keeps Python objects alive for memory that is lent; the last one to let go may be any thread.
std::shared_ptr<const void> owner_of(nb::object object) {
  return {object.release().ptr(), [](PyObject* kept) {
            if (!Py_IsInitialized()) return;
            const nb::gil_scoped_acquire gil;
            Py_DECREF(kept);
          }};
}

[[noreturn]] void refuse(const std::string& view, const char* reason) {
  throw Error(ErrorKind::data, "view '" + view + "': " + reason);
}

template <class T>
std::span<const T> span_of(const Array& array, const std::string& view) {
  if (array.ndim() != 1 || (array.shape(0) > 1 && array.stride(0) != 1)) refuse(view, "an array is not in one piece");
  return {static_cast<const T*>(array.data()), array.shape(0)};
}

Numbers numbers_of(const nb::handle& object, const std::string& view) {
  const Array array = nb::cast<Array>(object);
  if (array.dtype() == nb::dtype<std::int32_t>()) return span_of<std::int32_t>(array, view);
  if (array.dtype() == nb::dtype<std::int64_t>()) return span_of<std::int64_t>(array, view);
  refuse(view, "its numbers of rows and columns are no integers of 32 or 64 bits");
}

template <class T>
DenseRows<T> dense_rows(const Array& array) {
  return {.data = static_cast<const T*>(array.data()),
          .rows = static_cast<Index>(array.shape(0)),
          .cols = static_cast<Index>(array.shape(1)),
          .row_step = static_cast<Index>(array.stride(0)),
          .col_step = static_cast<Index>(array.stride(1))};
}

template <class T>
SparseRows<T> sparse_rows(const Array& values, const nb::tuple& parts, const std::string& view) {
  return {.rows = nb::cast<Index>(parts[3]),
          .cols = nb::cast<Index>(parts[4]),
          .offsets = numbers_of(parts[2], view),
          .columns = numbers_of(parts[1], view),
          .values = span_of<T>(values, view)};
}

// Dense: an array. Sparse: (values, column numbers, offsets, rows, columns). The arrays of NumPy themselves are kept:
// their memory stays where it is while somebody holds them.
BorrowedView borrowed_view(const nb::object& data, const nb::object& instances, const std::string& view) {
  BorrowedView out;
  const bool sparse = nb::isinstance<nb::tuple>(data);
  const Array values = nb::cast<Array>(sparse ? nb::object(nb::cast<nb::tuple>(data)[0]) : data);
  const bool single = values.dtype() == nb::dtype<float>();
  if (!single && values.dtype() != nb::dtype<double>()) refuse(view, "its values are neither float32 nor float64");
  if (sparse) {
    const nb::tuple parts = nb::cast<nb::tuple>(data);
    if (single) {
      out.rows = sparse_rows<float>(values, parts, view);
    } else {
      out.rows = sparse_rows<double>(values, parts, view);
    }
  } else {
    if (values.ndim() != 2) refuse(view, "an array of two dimensions is needed");
    if (single) {
      out.rows = dense_rows<float>(values);
    } else {
      out.rows = dense_rows<double>(values);
    }
  }
  if (!instances.is_none()) {
    const Array numbers = nb::cast<Array>(instances);
    if (numbers.dtype() != nb::dtype<std::int64_t>()) refuse(view, "the instances of its rows are no int64");
    const auto span = span_of<std::int64_t>(numbers, view);
    out.instances.emplace(span.begin(), span.end());
  }
  out.owner = owner_of(nb::make_tuple(data, values));
  return out;
}

// Bytes of 0 and 1, one for each instance and view.
std::vector<bool> presence_of(const nb::object& present) {
  const auto bytes = span_of<std::uint8_t>(nb::cast<Array>(present), "present");
  return {bytes.begin(), bytes.end()};
}

// views: (data, instances of its rows or None) each; the schema as schema_list gives it.
Data* array_data(const nb::list& schema_views, const nb::list& views, Index instances, std::vector<std::string> ids,
                 const nb::object& present) {
  const Schema schema = schema_of(schema_views);
  std::vector<BorrowedView> borrowed;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const nb::tuple view = nb::cast<nb::tuple>(views[v]);
    borrowed.push_back(borrowed_view(view[0], view[1], schema.views.at(v).name));
  }
  auto source = make_borrowed_source(schema, std::move(borrowed), instances, std::move(ids));
  if (!present.is_none()) source = make_masked_source(std::move(source), presence_of(present), "present");
  return new Data{std::move(source), {}};
}

// Chunks from an iterator of Python, each of them Data. `start` makes an iterator; it is called again for every pass
// where `again` says so.
class PythonPieces final : public Pieces {
 public:
  PythonPieces(nb::object start, bool again) : start_(owner_of(std::move(start))), again_(again) {}

  std::unique_ptr<Source> next() override {
    const nb::gil_scoped_acquire gil;
    const InStream mark;
    if (!iterator_) {
      iterator_ = owner_of(nb::borrow(static_cast<PyObject*>(const_cast<void*>(start_.get())))());
    }
    PyObject* item = PyIter_Next(static_cast<PyObject*>(const_cast<void*>(iterator_.get())));
    if (item == nullptr) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return nullptr;
    }
    return std::move(nb::cast<Data&>(nb::steal(item)).source);
  }

  bool can_rewind() const override { return again_; }
  bool rewind() override {
    if (again_) iterator_.reset();
    return again_;
  }

 private:
  std::shared_ptr<const void> start_;
  std::shared_ptr<const void> iterator_;
  bool again_;
};

Data* stream_data(const nb::list& schema, nb::object start, bool again) {
  return new Data{make_pieces_source(schema_of(schema), std::make_unique<PythonPieces>(std::move(start), again)), {}};
}

void set_input_option(InputOptions& options, const std::string& name, const nb::handle& value) {
  if (name == "format") {
    options.format = nb::cast<std::string>(value);
  } else if (name == "id_column") {
    options.id_column = {nb::cast<std::string>(value)};
  } else if (name == "transpose") {
    options.transpose = nb::cast<bool>(value);
  } else if (name == "layer") {
    options.layer = nb::cast<std::string>(value);
  } else if (name == "views") {
    options.views = nb::cast<std::vector<std::string>>(value);
  } else if (name == "columns") {
    options.text.columns = nb::cast<std::vector<std::string>>(value);
  } else if (name == "drop") {
    options.text.drop = nb::cast<std::vector<std::string>>(value);
  } else if (name == "separator") {
    options.text.separator = nb::cast<std::string>(value);
  } else if (name == "decimal") {
    options.text.decimal = nb::cast<std::string>(value);
  } else if (name == "header") {
    options.text.header = nb::cast<std::string>(value);
  } else if (name == "missing_values") {
    options.text.missing_values = nb::cast<std::vector<std::string>>(value);
  } else {
    throw Error(ErrorKind::usage, "files have no option " + name +
                                      ": there are format, id_column, transpose, layer, views, columns, drop, "
                                      "separator, decimal, header and missing_values");
  }
}

InputOptions input_options(const nb::dict& given) {
  InputOptions options;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    try {
      set_input_option(options, name, value);
    } catch (const std::bad_cast&) {
      throw Error(ErrorKind::usage, "files: " + name + " cannot be " + nb::cast<std::string>(nb::repr(value)) +
                                        "; names are words, and several of them are a list of words");
    }
  }
  return options;
}

Data* file_data(const std::vector<std::string>& paths, const nb::dict& given) {
  const InputOptions options = input_options(given);
  const nb::gil_scoped_release free;
  Input input = open_input(paths, options);
  return new Data{std::move(input.source), std::move(input.notes)};
}

}  // namespace

std::unique_ptr<Source> take(Data& data) {
  if (!data.source) throw Error(ErrorKind::usage, "these data were read already");
  return std::move(data.source);
}

void define_sources(nb::module_& module) {
  nb::class_<Data>(module, "Data")
      .def_ro("notes", &Data::notes)
      .def("schema", [](const Data& data) { return schema_list(data.source->schema()); })
      .def("size", [](const Data& data) { return data.source->size(); })
      .def("count",
           [](Data& data) {
             const std::unique_ptr<Source> source = take(data);
             const nb::gil_scoped_release free;
             Index instances = source->size().value_or(0);
             if (source->size()) return instances;
             while (const std::optional<Chunk> chunk = source->next(4096)) instances += chunk->size();
             return instances;
           })
      .def("ids", [](Data& data, Index count) { return data.source->ids(0, count); })
      .def("mask", [](Data& data, const nb::object& present) {
        data.source = make_masked_source(std::move(data.source), presence_of(present), "present");
      });
  module.def("array_data", &array_data, nb::arg("schema"), nb::arg("views"), nb::arg("instances"), nb::arg("ids"),
             nb::arg("present").none());
  module.def("stream_data", &stream_data, nb::arg("schema"), nb::arg("start"), nb::arg("again"));
  module.def("file_data", &file_data, nb::arg("paths"), nb::arg("options"));
}

}  // namespace omvc::python
