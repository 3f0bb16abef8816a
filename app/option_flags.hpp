// The options of the library as flags, from the one table that defines them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/options.hpp"

#include "command_line.hpp"

namespace omvc::app {

// What the user gave, by option name. A file of options fills in what the command line leaves out.
struct OptionFlags {
  std::string preset;
  std::string config;
  std::map<std::string, std::vector<std::string>> given;
  std::map<std::string, bool> on;  // of those that take no value
};

// Adds a flag for every option, --preset and --config.
void add_option_flags(Command& command, OptionFlags& flags);
// Adds a flag for each of these options only.
void add_option_flags(Command& command, OptionFlags& flags, const std::set<std::string_view>& names);

// Preset or the method's defaults, then what was given; checked.
Options chosen_options(OptionFlags flags);

}  // namespace omvc::app
