#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "omvc/error.hpp"

#include "help.hpp"

namespace omvc::app {
namespace {

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

ArgumentText describe(const CLI::Option& option) {
  ArgumentText text;
  text.positional = option.get_positional();
  text.name = text.positional ? option.get_name(true) : option.get_name(false, true);
  text.type = option.get_type_name();
  text.help = option.get_description();
  text.long_names = option.get_lnames();
  text.short_names = option.get_snames();
  return text;
}

CommandText describe(const CLI::App& command) {
  CommandText text{command.get_name(), command.get_description(), {}};
  for (const CLI::Option* option : command.get_options()) text.arguments.push_back(describe(*option));
  return text;
}

// What an option that does not exist may have meant.
std::string meant_option(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const std::string& word : command->remaining()) {
      if (!word.starts_with("-")) continue;
      return did_you_mean(word.substr(0, word.find('=')), option_names(describe(*command)));
    }
  }
  return "";
}

// What a command must be given, as one would write it: omvc assign MODEL INPUT...
std::string usage_of(const CLI::App& command) {
  std::string text = "omvc " + command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required()) continue;
    const std::string type = option->get_type_name();
    text += option->get_positional() ? fmt::format(" {}{}", type, option->get_items_expected_max() > 1 ? "..." : "")
                                     : fmt::format(" {} {}", option->get_name(), type);
  }
  return text;
}

}  // namespace

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::type(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Argument& Argument::group(const std::string& name) {
  option_->group(name);
  return *this;
}

Argument& Argument::shows_default() {
  option_->capture_default_str();
  return *this;
}

Argument& Argument::shows_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Argument& Argument::list() {
  option_->delimiter(',');
  return *this;
}

Argument& Argument::one_list() {
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}

Argument& Argument::lists() {
  option_->delimiter(',')->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Argument& Argument::one_of_numbered(const std::map<std::string, int>& words) {
  option_->transform(CLI::CheckedTransformer(words).description(""));
  return *this;
}

Argument& Argument::between(int low, int high) { return between(Index{low}, Index{high}); }

Argument& Argument::between(Index low, Index high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Argument& Argument::between(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Argument& Argument::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Argument& Argument::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

Argument& Argument::needs(const Argument& other) {
  option_->needs(other.option_);
  return *this;
}

Argument& Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}

template <class T>
Argument Command::option(const std::string& names, T& value, const std::string& help) {
  return Argument(app_->add_option(names, value, help));
}

Argument Command::flag(const std::string& names, bool& value, const std::string& help) {
  return Argument(app_->add_flag(names, value, help));
}

void Command::runs(std::function<void()> work) { app_->callback(std::move(work)); }

CommandLine::CommandLine(const std::string& description, const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description)) {
  app_->name("omvc");
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add(const std::string& name, const std::string& help) {
  return Command(app_->add_subcommand(name, help));
}

std::string CommandLine::description() const { return app_->get_description(); }
std::string CommandLine::footer() const { return app_->get_footer(); }

std::vector<CommandText> CommandLine::commands() const {
  std::vector<CommandText> all;
  for (const CLI::App* command : subcommands(*app_)) all.push_back(describe(*command));
  return all;
}

std::string CommandLine::help() const {
  // Asked itself, the application would show the command that is running.
  return app_->get_formatter()->make_help(app_.get(), "omvc", CLI::AppFormatMode::Normal);
}

std::string CommandLine::help(const std::string& command) const {
  return app_->get_subcommand(command)->help("omvc", CLI::AppFormatMode::Normal);
}

int CommandLine::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    app_->exit(help);
  } catch (const CLI::CallForVersion& version) {
    app_->exit(version);
  } catch (const CLI::FileError& error) {
    throw Error(ErrorKind::io, error.what());
  } catch (const CLI::RequiredError& error) {
    const auto commands = app_->get_subcommands();
    if (commands.empty()) throw Error(ErrorKind::usage, std::string(error.what()) + "\nTry 'omvc help'.");
    throw Error(ErrorKind::usage, fmt::format("{}: {}\nTry 'omvc help {}'.", error.what(), usage_of(*commands.front()),
                                              commands.front()->get_name()));
  } catch (const CLI::ParseError& error) {
    const auto commands = app_->get_subcommands();
    throw Error(ErrorKind::usage, fmt::format("{}{}\nTry 'omvc help{}'.", error.what(), meant_option(*app_),
                                              commands.empty() ? "" : " " + commands.front()->get_name()));
  }
  return 0;
}

std::vector<ConfigEntry> read_config(const std::string& file) {
  std::vector<ConfigEntry> entries;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_file(file)) {
    entries.push_back({item.fullname(), item.inputs});
  }
  return entries;
}

template Argument Command::option(const std::string&, std::string&, const std::string&);
template Argument Command::option(const std::string&, int&, const std::string&);
template Argument Command::option(const std::string&, Index&, const std::string&);
template Argument Command::option(const std::string&, std::uint64_t&, const std::string&);
template Argument Command::option(const std::string&, double&, const std::string&);
template Argument Command::option(const std::string&, std::optional<int>&, const std::string&);
template Argument Command::option(const std::string&, std::optional<Index>&, const std::string&);
template Argument Command::option(const std::string&, std::optional<double>&, const std::string&);
template Argument Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Argument Command::option(const std::string&, std::vector<Index>&, const std::string&);
template Argument Command::option(const std::string&, std::vector<double>&, const std::string&);

}  // namespace omvc::app
