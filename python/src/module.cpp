// omvc._core: the library as Python sees it. Thin: options are text as in the command, data are arrays, results are
// arrays and dictionaries. What users call is written in Python on top of it (python/omvc).
#include "convert.hpp"

namespace omvc::python {
namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::data:
      return "DataError";
    case ErrorKind::io:
      return "FileError";
    case ErrorKind::numerical:
      return "NumericalError";
    case ErrorKind::interrupted:
      return nullptr;
  }
  return nullptr;
}

void raise(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const char* name = class_of(error.kind());
    if (name == nullptr) {
      PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
      return;
    }
    const nb::module_ errors = nb::module_::import_("omvc.errors");
    PyErr_SetObject(nb::object(errors.attr(name)).ptr(),
                    nb::object(errors.attr("in_python_words")(error.what())).ptr());
  }
}

}  // namespace
}  // namespace omvc::python

NB_MODULE(_core, module) {
  module.doc() = "The C++ library omvc; use the package omvc, which is written on top of it.";
  module.attr("__version__") = OMVC_VERSION;
  nb::register_exception_translator(omvc::python::raise);
  // Python may end while models are alive; that is no leak worth a message.
  nb::set_leak_warnings(false);
  omvc::python::define_options(module);
  omvc::python::define_sources(module);
  omvc::python::define_model(module);
  omvc::python::define_plan(module);
  omvc::python::define_trials(module);
}
