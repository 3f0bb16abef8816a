// Help that is made from the command line itself: what a mistyped word may have meant, the manual page and the
// completions of shells.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace omvc::app {

// "; did you mean 'fit'?" for the known word that is most like this one; empty if none is.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

std::vector<std::string> command_names(const CommandLine& line);
// --name of every option, with -n where there is such.
std::vector<std::string> option_names(const CommandText& command);

// The manual page, in the language of man.
std::string manual_page(const CommandLine& line);
// What makes bash, zsh or fish complete commands, options and files.
std::string completion(const CommandLine& line, const std::string& shell);

// Adds `omvc help`.
void add_help(CommandLine& line);

}  // namespace omvc::app
