// The subcommands of omvc. Each adds itself to the command line; its work runs when it is the one that was asked for.
#pragma once

#include "command_line.hpp"

namespace omvc::app {

void add_fit(CommandLine& line);
void add_assign(CommandLine& line);
void add_evaluate(CommandLine& line);
void add_mask(CommandLine& line);
void add_info(CommandLine& line);
void add_look(CommandLine& line);
void add_cut(CommandLine& line);
void add_report(CommandLine& line);
void add_compare(CommandLine& line);
void add_reproduce(CommandLine& line);
void add_demo(CommandLine& line);
void add_convert(CommandLine& line);
void add_generate(CommandLine& line);
void add_update(CommandLine& line);
void add_stream(CommandLine& line);

}  // namespace omvc::app
