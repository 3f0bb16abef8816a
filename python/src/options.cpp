// The one table of options, for Python: signature, documentation and stubs are made from it.
#include "omvc/options.hpp"

#include "convert.hpp"

namespace omvc::python {
namespace {

template <class T>
struct TypeName;
template <>
struct TypeName<int> {
  static constexpr const char* kName = "int";
};
template <>
struct TypeName<Index> : TypeName<int> {};
template <>
struct TypeName<std::uint64_t> : TypeName<int> {};
template <>
struct TypeName<double> {
  static constexpr const char* kName = "float";
};
template <>
struct TypeName<bool> {
  static constexpr const char* kName = "bool";
};
template <>
struct TypeName<std::string> {
  static constexpr const char* kName = "str";
};

template <class T>
nb::dict described(const Param<T>& param) {
  nb::dict out;
  out["name"] = param.name;
  out["help"] = param.help;
  out["low"] = param.low;
  out["high"] = param.high;
  out["methods"] = methods_of(param.methods);
  out["default"] = format_option(Options{}, param.name);
  nb::list choices;
  if constexpr (std::is_same_v<T, std::string>) {
    out["list"] = false;
    out["type"] = TypeName<T>::kName;
  } else if constexpr (requires { typename T::value_type; }) {
    using One = typename T::value_type;
    out["list"] = true;
    if constexpr (std::is_enum_v<One>) {
      out["type"] = "str";
      for (const auto& [name, value] : EnumNames<One>::kNames) choices.append(nb::str(name.data(), name.size()));
    } else {
      out["type"] = TypeName<One>::kName;
    }
  } else {
    out["list"] = false;
    if constexpr (std::is_enum_v<T>) {
      out["type"] = "str";
      for (const auto& [name, value] : EnumNames<T>::kNames) choices.append(nb::str(name.data(), name.size()));
    } else {
      out["type"] = TypeName<T>::kName;
    }
  }
  out["choices"] = choices;
  return out;
}

}  // namespace

Options options_of(const std::map<std::string, std::string>& given) {
  Options options;
  if (const auto method = given.find("method"); method != given.end()) {
    parse_option(options, "method", method->second);
    options = method_options(options.method);
  }
  for (const auto& [name, text] : given) parse_option(options, name, text);
  return options;
}

void define_options(nb::module_& module) {
  module.def("options_table", [] {
    nb::list table;
    for_each_param([&](const auto& param) { table.append(described(param)); });
    return table;
  });
}

}  // namespace omvc::python
