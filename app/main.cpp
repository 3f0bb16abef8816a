#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <new>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <unistd.h>

#include "omvc/error.hpp"
#include "omvc/trial.hpp"

#include "command.hpp"
#include "command_line.hpp"
#include "console.hpp"
#include "help.hpp"
#include "page_context.hpp"
#include "ranks.hpp"

namespace {

constexpr const char* kFooter =
    "First steps:  omvc demo\n"
    "Exit codes:   0 done, 1 an error of omvc itself, 2 usage, 3 bad data, 4 cannot read or write, 5 numerical "
    "failure,\n"
    "              6 interrupted (what was learned is kept)";

constexpr const char* kNext =
    "which command?\n"
    "  omvc demo                                              see it work on planted data\n"
    "  omvc look blood.csv scan.csv                           what would be read of your tables, one per view\n"
    "  omvc fit blood.csv scan.csv --labels labels.csv --report page.html\n"
    "                                                         cluster them, and look at the result\n"
    "  omvc help                                              all commands";

// Threads take and give back chunks of data all the time: memory that went back to the system each time would have to
// be cleared and mapped anew, which threads of one process do one after the other.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

int run(int argc, char** argv) {
  keep_memory();
  omvc::app::remember_command(argc, argv);
  omvc::app::CommandLine line(
      "omvc: finds clusters in several tables about the same things, also where many of these are missing from some "
      "tables",
      "omvc " OMVC_VERSION, kFooter);
  omvc::app::add_look(line);
  omvc::app::add_fit(line);
  omvc::app::add_assign(line);
  omvc::app::add_update(line);
  omvc::app::add_stream(line);
  omvc::app::add_evaluate(line);
  omvc::app::add_mask(line);
  omvc::app::add_info(line);
  omvc::app::add_cut(line);
  omvc::app::add_report(line);
  omvc::app::add_convert(line);
  omvc::app::add_generate(line);
  omvc::app::add_compare(line);
  omvc::app::add_reproduce(line);
  omvc::app::add_demo(line);
  omvc::app::add_help(line);
  if (argc < 2) throw omvc::Error(omvc::ErrorKind::usage, kNext);
  const std::vector<std::string> known = omvc::app::command_names(line);
  if (argc > 1 && argv[1][0] != '-' && std::find(known.begin(), known.end(), argv[1]) == known.end()) {
    std::error_code unknown;
    const std::string meant = std::filesystem::exists(argv[1], unknown)
                                  ? fmt::format("; to cluster files: omvc fit {}", argv[1])
                                  : omvc::app::did_you_mean(argv[1], known);
    throw omvc::Error(omvc::ErrorKind::usage,
                      fmt::format("there is no command '{}'{}\nTry 'omvc help'.", argv[1], meant));
  }
  if (argc > 1 && std::string_view(argv[1]) != "fit" && argv[1][0] != '-' && omvc::app::ranks().size() > 1) {
    throw omvc::Error(omvc::ErrorKind::usage,
                      fmt::format("only fit runs in several processes: start '{}' without mpirun", argv[1]));
  }
  const int code = line.run(argc, argv);
  if (code == 0) omvc::app::flush_results();
  return code;
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const omvc::Error& error) {
    if (error.kind() == omvc::ErrorKind::io && omvc::app::reader_gone()) return 0;
    if (omvc::app::may_say(error.kind())) fmt::print(stderr, "omvc: {}{}\n", omvc::app::who(), error.what());
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
  if (const auto code = omvc::answer_trial(argc, argv)) return *code;
  omvc::app::stop_early();
  omvc::app::leave_words_to_first();
  omvc::app::secure_streams();
  omvc::app::set_command(argc, argv);
  const int code = run_and_report(argc, argv);
  omvc::app::leave_ranks(code);
  if (code == 0) return 0;
  // Libraries that a damaged file or a lack of memory left in disorder do not get to clean up.
  std::fflush(nullptr);
  std::_Exit(code);
}
