// The command line: commands, their options, and what runs when a command is asked for. Commands describe themselves
// through these classes, so that one source (command_line.cpp) knows the library that parses, which takes seconds to
// compile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace omvc::app {

// One option, flag or positional argument of a command. The functions return it, so that they can follow each other.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}
  Argument& required();
  Argument& type(const std::string& name);   // stands behind the option in the help
  Argument& group(const std::string& name);  // the heading in the help
  Argument& shows_default();                 // in the help, as it is now
  Argument& shows_default(const std::string& text);
  // Values with commas between them: in one word or in several; in one word; in one word each time that it is given.
  Argument& list();
  Argument& one_list();
  Argument& lists();
  Argument& one_of(const std::vector<std::string>& words);
  Argument& one_of_numbered(const std::map<std::string, int>& words);  // the value is the word's number
  Argument& between(int low, int high);
  Argument& between(Index low, Index high);
  Argument& between(double low, double high);
  Argument& positive();
  Argument& not_negative();
  Argument& needs(const Argument& other);
  Argument& excludes(const Argument& other);

 private:
  CLI::Option* option_;
};

// A command, such as fit. What its options are read into must live as long as the function that runs it.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}
  // Names as "-k,--clusters", or "model" for a positional argument. T is text, a number, an optional number, or a
  // vector of text or numbers: see the end of command_line.cpp.
  template <class T>
  Argument option(const std::string& names, T& value, const std::string& help);
  Argument flag(const std::string& names, bool& value, const std::string& help);
  void runs(std::function<void()> work);

 private:
  CLI::App* app_;
};

// What the help says of a command.
struct ArgumentText {
  std::string name;  // with its other names
  std::string type;
  std::string help;
  bool positional = false;
  std::vector<std::string> long_names;  // without dashes
  std::vector<std::string> short_names;
};
struct CommandText {
  std::string name;
  std::string help;
  std::vector<ArgumentText> arguments;
};

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version, const std::string& footer);
  ~CommandLine();
  Command add(const std::string& name, const std::string& help);

  std::string description() const;
  std::string footer() const;
  std::vector<CommandText> commands() const;
  std::string help() const;                            // of all
  std::string help(const std::string& command) const;  // of one that exists

  // Runs the command that is asked for, or prints help or version; the exit code. What the line should not have is said
  // on stderr; what the command throws goes through.
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

// What a TOML file sets: a name and the words of its value.
struct ConfigEntry {
  std::string name;
  std::vector<std::string> words;
};
std::vector<ConfigEntry> read_config(const std::string& file);

}  // namespace omvc::app
