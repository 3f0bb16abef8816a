#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <unistd.h>

#include "omvc/error.hpp"

#include "command.hpp"
#include "console.hpp"
#include "help.hpp"
#include "page_context.hpp"
#include "ranks.hpp"

namespace {

constexpr const char* kFooter =
    "First steps:  omvc demo\n"
    "Exit codes:   0 done, 1 a bug of ours, 2 usage, 3 bad data, 4 cannot read or write, 5 numerical failure,\n"
    "              6 interrupted (what was learned is kept)";

bool is_subcommand(const CLI::App& app, const std::string& name) {
  const std::vector<std::string> all = omvc::app::command_names(app);
  return std::find(all.begin(), all.end(), name) != all.end();
}

// What an option that does not exist may have meant.
std::string meant_option(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const std::string& word : command->remaining()) {
      if (!word.starts_with("-")) continue;
      return omvc::app::did_you_mean(word.substr(0, word.find('=')), omvc::app::option_names(*command));
    }
  }
  return "";
}

int run(int argc, char** argv) {
  omvc::app::remember_command(argc, argv);
  CLI::App app("omvc: clusters instances described by several views, most of them lacking some view, as a stream");
  app.name("omvc");
  app.set_version_flag("--version", "omvc " OMVC_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  omvc::app::add_fit(app);
  omvc::app::add_assign(app);
  omvc::app::add_update(app);
  omvc::app::add_stream(app);
  omvc::app::add_evaluate(app);
  omvc::app::add_mask(app);
  omvc::app::add_info(app);
  omvc::app::add_cut(app);
  omvc::app::add_report(app);
  omvc::app::add_convert(app);
  omvc::app::add_generate(app);
  omvc::app::add_compare(app);
  omvc::app::add_reproduce(app);
  omvc::app::add_demo(app);
  omvc::app::add_help(app);
  if (argc > 1 && argv[1][0] != '-' && !is_subcommand(app, argv[1])) {
    const std::string meant = omvc::app::did_you_mean(argv[1], omvc::app::command_names(app));
    fmt::print(stderr, "omvc: there is no command '{}'{}\nTry 'omvc help'.\n", argv[1], meant);
    return static_cast<int>(omvc::ErrorKind::usage);
  }
  if (argc > 1 && std::string_view(argv[1]) != "fit" && argv[1][0] != '-' && omvc::app::ranks().size() > 1) {
    throw omvc::Error(omvc::ErrorKind::usage,
                      fmt::format("only fit runs in several processes: start '{}' without mpirun", argv[1]));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    app.exit(version);
  } catch (const CLI::FileError& error) {
    fmt::print(stderr, "omvc: {}\n", error.what());
    return static_cast<int>(omvc::ErrorKind::io);
  } catch (const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    fmt::print(stderr, "omvc: {}{}\nTry 'omvc help{}'.\n", error.what(), meant_option(app),
               commands.empty() ? "" : " " + commands.front()->get_name());
    return static_cast<int>(omvc::ErrorKind::usage);
  }
  omvc::app::flush_results();
  return 0;
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const omvc::Error& error) {
    omvc::app::wait_for_first();
    fmt::print(stderr, "omvc: {}\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::system_error& error) {
    fmt::print(stderr, "omvc: {}\n", error.what());
    return static_cast<int>(omvc::ErrorKind::io);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "omvc: out of memory; use smaller chunks (--chunk) or a lower rank (--rank)\n");
    return static_cast<int>(omvc::ErrorKind::data);
  } catch (const std::exception& error) {
    fmt::print(stderr, "omvc: internal error: {}\nPlease report this with the command you ran.\n", error.what());
    return 1;
  }
}

// Where an exception cannot be thrown or caught, for want of the memory that this takes or because a library promised
// to throw none: every output is whole or not there, so the process can end here.
[[noreturn]] void end_for_want_of_memory() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (thrown != nullptr && *thrown != typeid(std::bad_alloc)) std::abort();
  constexpr std::string_view kText = "omvc: out of memory\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kText.data(), kText.size());
  std::_Exit(static_cast<int>(omvc::ErrorKind::data));
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_for_want_of_memory);
  omvc::app::stop_early();
  omvc::app::secure_streams();
  const int code = run_and_report(argc, argv);
  omvc::app::leave_ranks(code);
  if (code == 0) return 0;
  // Libraries that a damaged file or a lack of memory left in disorder do not get to clean up.
  std::fflush(nullptr);
  std::_Exit(code);
}
