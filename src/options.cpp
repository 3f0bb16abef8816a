#include "omvc/options.hpp"

#include <charconv>
#include <fmt/format.h>
#include <type_traits>

#include "omvc/error.hpp"

#include "recipe/recipe.hpp"

namespace omvc {
namespace {

// Counts the fields of an aggregate by the longest list of initialisers it accepts, so that an option missing from the
// table is a compile error.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class T, class... Fields>
constexpr std::size_t field_count(Fields... fields) {
  if constexpr (requires { T{fields..., Anything{}}; }) {
    return field_count<T>(fields..., Anything{});
  } else {
    return sizeof...(Fields);
  }
}
static_assert(field_count<Options>() == std::tuple_size_v<std::remove_cvref_t<decltype(kParams)>>,
              "every field of Options has its entry in kParams");

template <class T>
constexpr bool is_text = std::is_same_v<T, std::string>;

template <class T>
constexpr bool is_list = !is_text<T> && requires {
  typename T::value_type;
};

template <class T>
std::string to_text(const T& value) {
  if constexpr (is_text<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if constexpr (is_list<T>) {
    std::string text;
    for (const auto& one : value) {
      if (!text.empty()) text += ',';
      text += to_text(one);
    }
    return text;
  } else {
    return fmt::format("{}", value);
  }
}

template <class T>
T number(std::string_view name, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("option {} = '{}': give {}", name, text,
                            std::is_integral_v<T> ? "a whole number" : "a number such as 0.5 or 1e-3"));
  }
  return value;
}

template <class T>
T from_text(std::string_view name, const std::string& text) {
  if constexpr (std::is_enum_v<T>) {
    std::string allowed;
    for (const auto& [candidate, value] : EnumNames<T>::kNames) {
      if (text == candidate) return value;
      allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", candidate);
    }
    throw Error(ErrorKind::usage, fmt::format("option {} = '{}': choose one of {}", name, text, allowed));
  } else if constexpr (is_text<T>) {
    return text;
  } else if constexpr (is_list<T>) {
    T values;
    if (is_text<typename T::value_type> && text.empty()) return values;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      values.push_back(from_text<typename T::value_type>(name, text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return values;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "1" || text == "yes") return true;
    if (text == "false" || text == "0" || text == "no") return false;
    throw Error(ErrorKind::usage, fmt::format("option {} = '{}': choose true or false", name, text));
  } else {
    return number<T>(name, text);
  }
}

template <class T>
void check_range(const Param<T>& param, const T& value) {
  [[maybe_unused]] const auto check_one = [&](double x) {
    // Written so that NaN fails.
    if (!(x >= param.low && x <= param.high)) {
      throw Error(ErrorKind::usage, fmt::format("option {} = {} is outside {} .. {} ({})", param.name, to_text(value),
                                                param.low, param.high, param.help));
    }
  };
  if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    parse_recipe(value);
  } else if constexpr (is_list<T>) {
    if (value.empty())
      throw Error(ErrorKind::usage, fmt::format("option {} is empty: give at least one value", param.name));
    for (const auto& one : value) {
      if constexpr (!std::is_enum_v<typename T::value_type>) check_one(one);
    }
  } else if constexpr (!std::is_enum_v<T> && !is_text<T> && !std::is_same_v<T, bool>) {
    check_one(static_cast<double>(value));
  }
}

}  // namespace

Options preset_options(Preset preset) {
  return method_options(preset == Preset::paper ? Algorithm::omvc_paper : Algorithm::omvc);
}

Options method_options(Algorithm method) {
  Options options;
  options.method = method;
  if (method == Algorithm::omvc) return options;
  options.passes = 10;
  if (takes_signed(method)) {
    options.chunk = 250;
    if (method == Algorithm::opimc) options.rounds = 60;
    return options;
  }
  options.chunk = 50;
  options.scaling = {Scaling::total};
  // Rounds of the off-line methods are cheap steps of all data at once, and each gains little.
  if (method == Algorithm::multinmf || method == Algorithm::mic) options.tolerance = 1e-6;
  return options;
}

bool takes_signed(Algorithm method) {
  return method == Algorithm::opimc || method == Algorithm::masked_kmeans || method == Algorithm::concat_kmeans;
}

std::string format_option(const Options& options, std::string_view name) {
  std::string text;
  for_each_param([&](const auto& param) {
    if (name == param.name) text = to_text(options.*param.field);
  });
  return text;
}

void parse_option(Options& options, std::string_view name, const std::string& text) {
  bool known = false;
  for_each_param([&]<class T>(const Param<T>& param) {
    if (name != param.name) return;
    options.*param.field = from_text<T>(name, text);
    known = true;
  });
  if (!known) throw Error(ErrorKind::usage, fmt::format("there is no option named {}", name));
}

void check_options(const Options& options) {
  const Options defaults = method_options(options.method);
  for_each_param([&](const auto& param) {
    check_range(param, options.*param.field);
    if (param.methods.contains(options.method) || options.*param.field == defaults.*param.field) return;
    throw Error(ErrorKind::usage,
                fmt::format("option {} = {}: method {} has no such option, it belongs to {}; leave it out", param.name,
                            format_option(options, param.name), name_of(options.method), methods_of(param.methods)));
  });
  if (options.clusters == 1) {
    throw Error(ErrorKind::usage, "option clusters = 1: one cluster is no clustering; ask for at least 2");
  }
  if (options.half_life > 0 && options.half_life < 1) {
    throw Error(ErrorKind::usage, "option half-life: give 0, which forgets nothing, or at least 1 instance");
  }
  if (options.clusters == 0 && options.method != Algorithm::omvc) {
    throw Error(ErrorKind::usage, fmt::format("option clusters is missing, and method {} cannot choose it: give a "
                                              "number, or use method omvc, which can",
                                              name_of(options.method)));
  }
}

bool decides_result(std::string_view name) { return name != "threads" && name != "device" && name != "device-memory"; }

bool is_told(const Options& options, std::string_view name) {
  if (name == "recipe") return !options.recipe.empty();
  if (name == "device-memory") return options.device_memory > 0;
  if (name == "fast") return options.fast;
  return true;
}

std::string methods_of(const Methods& methods) {
  std::string text;
  for (const auto& [name, method] : EnumNames<Algorithm>::kNames) {
    if (methods.contains(method)) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  }
  return text;
}

}  // namespace omvc
