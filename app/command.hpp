// The subcommands of omvc. Each adds itself to the command line; its work runs when it is the one that was asked for.
#pragma once

#include <CLI/CLI.hpp>

namespace omvc::app {

void add_fit(CLI::App& app);
void add_assign(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_mask(CLI::App& app);
void add_info(CLI::App& app);
void add_cut(CLI::App& app);
void add_report(CLI::App& app);
void add_compare(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_demo(CLI::App& app);
void add_convert(CLI::App& app);
void add_generate(CLI::App& app);
void add_update(CLI::App& app);
void add_stream(CLI::App& app);

}  // namespace omvc::app
