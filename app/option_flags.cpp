#include "option_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "omvc/error.hpp"

namespace omvc::app {
namespace {

template <class T>
std::string value_name() {
  if constexpr (std::is_enum_v<T>) {
    std::string names;
    for (const auto& [name, value] : EnumNames<T>::kNames) names += fmt::format("{}{}", names.empty() ? "" : "|", name);
    return names;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "auto|cpu|cuda[:N]";
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return "NAME=VALUE[,...]";
  } else if constexpr (requires { typename T::value_type; }) {
    return value_name<typename T::value_type>() + "[,...]";
  } else {
    return "NUMBER";
  }
}

// What the file gives, where the command line gave nothing.
void merge_config(OptionFlags& flags) {
  if (flags.config.empty()) return;
  for (const ConfigEntry& entry : read_config(flags.config)) {
    if (entry.name == "preset") {
      if (flags.preset.empty()) flags.preset = entry.words.at(0);
      continue;
    }
    const auto known = flags.given.find(entry.name);
    if (known == flags.given.end()) {
      throw Error(ErrorKind::usage, fmt::format("{}: there is no option named {}", flags.config, entry.name));
    }
    if (known->second.empty()) known->second = entry.words;
  }
}

}  // namespace

void add_option_flags(Command& command, OptionFlags& flags, const std::set<std::string_view>& names) {
  for_each_param([&]<class T>(const Param<T>& param) {
    if (!names.contains(param.name)) return;
    const std::string flag = std::string(param.name) == "clusters" ? "-k,--clusters" : fmt::format("--{}", param.name);
    constexpr const char* kGroup = "Options of the model (defaults depend on the method)";
    if constexpr (std::is_same_v<T, bool>) {
      flags.given[param.name];
      command.flag(flag, flags.on[param.name], param.help).group(kGroup);
    } else {
      command.option(flag, flags.given[param.name], param.help).type(value_name<T>()).group(kGroup).one_list();
    }
  });
}

void add_option_flags(Command& command, OptionFlags& flags) {
  command.option("--preset", flags.preset, "default: the best clusters; paper: OMVC as published (Shao et al. 2016)")
      .type("default|paper");
  std::set<std::string_view> names;
  for_each_param([&](const auto& param) { names.insert(param.name); });
  add_option_flags(command, flags, names);
  command.option("--config", flags.config, "TOML file of options, such as  clusters = 10; flags override it")
      .type("FILE");
}

Options chosen_options(OptionFlags flags) {
  for (const auto& [name, on] : flags.on) {
    if (on) flags.given[name] = {"true"};
  }
  merge_config(flags);
  const bool preset_given = !flags.preset.empty();
  if (!preset_given) flags.preset = "default";
  Preset preset = Preset::standard;
  bool known = false;
  for (const auto& [name, value] : EnumNames<Preset>::kNames) {
    if (name != flags.preset) continue;
    preset = value;
    known = true;
  }
  if (!known) {
    throw Error(ErrorKind::usage, fmt::format("option preset = '{}': choose one of default, paper", flags.preset));
  }
  Options options = preset_options(preset);
  if (const auto& method = flags.given["method"]; !method.empty()) {
    parse_option(options, "method", method.back());
    if (preset_given) {
      throw Error(ErrorKind::usage,
                  fmt::format("--preset paper is --method omvc-paper, and --method {} is given too; leave one out",
                              name_of(options.method)));
    }
    options = method_options(options.method);
  }
  for (const auto& [name, values] : flags.given) {
    if (!values.empty()) parse_option(options, name, fmt::format("{}", fmt::join(values, ",")));
  }
  check_options(options);
  return options;
}

}  // namespace omvc::app
