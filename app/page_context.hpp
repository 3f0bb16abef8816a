// What a page tells of the run that made it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "omvc/page.hpp"

#include "inputs.hpp"

namespace omvc::app {

// The words of the command line, as a shell would take them again. To be told once, by main.
void remember_command(int argc, char** argv);
std::string command_line();

// The context of a fit: its files with their sizes, the ids and classes of its instances. Refers to its arguments.
PageContext page_context(const Report& report, const Contingency& scored, const InputArguments& arguments,
                         Input& input);

}  // namespace omvc::app
