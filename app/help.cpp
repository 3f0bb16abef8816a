#include "help.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <numeric>

#include "omvc/error.hpp"

namespace omvc::app {
namespace {

// Letters to insert, remove, replace or swap with the next one to turn one word into the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    cost[i][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// Text in which man sees nothing but text.
std::string as_roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string quoted_for_shell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + out + "'";
}

void describe_options(const CommandText& command, std::string& page) {
  for (const ArgumentText& option : command.arguments) {
    const bool typed = !option.type.empty() && !option.positional;
    page += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", as_roff(option.name),
                        typed ? " \\fI" + as_roff(option.type) + "\\fR" : "", as_roff(option.help));
  }
}

std::string bash_completion(const CommandLine& line) {
  std::string cases;
  for (const CommandText& command : line.commands()) {
    cases += fmt::format("    {}) words='{}' ;;\n", command.name, fmt::join(option_names(command), " "));
  }
  return fmt::format(
      "_omvc() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=''\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case \"$word\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _omvc omvc\n",
      fmt::join(command_names(line), " "), cases);
}

std::string zsh_completion(const CommandLine& line) {
  std::string names;
  std::string cases;
  for (const CommandText& command : line.commands()) {
    names += fmt::format("    {}\n", quoted_for_shell(command.name + ":" + command.help));
    cases += fmt::format("    {}) options=({}) ;;\n", command.name, fmt::join(option_names(command), " "));
  }
  return fmt::format(
      "#compdef omvc\n"
      "_omvc() {{\n"
      "  local -a commands options\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  case \"$words[2]\" in\n{}  esac\n"
      "  if [[ \"$PREFIX\" == -* ]]; then compadd -a options; else _files; fi\n"
      "}}\n"
      "_omvc \"$@\"\n",
      names, cases);
}

std::string fish_completion(const CommandLine& line) {
  std::string out;
  for (const CommandText& command : line.commands()) {
    out += fmt::format("complete -c omvc -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                       quoted_for_shell(command.help));
    for (const ArgumentText& option : command.arguments) {
      for (const std::string& name : option.long_names) {
        out += fmt::format("complete -c omvc -n '__fish_seen_subcommand_from {}' -l {} -d {}\n", command.name, name,
                           quoted_for_shell(option.help));
      }
    }
  }
  return out;
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::pair<std::size_t, std::size_t> least{1 + std::max<std::size_t>(1, word.size() / 4), 0};
  for (const std::string& one : known) {
    // What was only begun is meant before what is spelled alike, the shortest of it first.
    const bool begun = word.size() > 3 && one.starts_with(word);
    const std::pair far{begun ? 0 : distance(word, one), begun ? one.size() : 0};
    if (far >= least) continue;
    least = far;
    best = one;
  }
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

std::vector<std::string> command_names(const CommandLine& line) {
  std::vector<std::string> names;
  for (const CommandText& command : line.commands()) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const ArgumentText& option : command.arguments) {
    for (const std::string& name : option.long_names) names.push_back("--" + name);
    for (const std::string& name : option.short_names) names.push_back("-" + name);
  }
  return names;
}

std::string manual_page(const CommandLine& line) {
  std::string page = fmt::format(
      ".TH OMVC 1 \"\" \"omvc {}\"\n.SH NAME\nomvc \\- finds clusters in several tables about the same things\n"
      ".SH SYNOPSIS\n\\fBomvc\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      OMVC_VERSION, as_roff(line.description()));
  for (const CommandText& command : line.commands()) {
    page += fmt::format(".SS omvc {}\n{}\n", as_roff(command.name), as_roff(command.help));
    describe_options(command, page);
  }
  return page + ".SH EXIT STATUS\n.nf\n" + as_roff(line.footer()) + "\n.fi\n";
}

std::string completion(const CommandLine& line, const std::string& shell) {
  if (shell == "bash") return bash_completion(line);
  if (shell == "zsh") return zsh_completion(line);
  return fish_completion(line);
}

void add_help(CommandLine& line) {
  struct Arguments {
    std::string command;
    std::string shell;
    bool manual = false;
  };
  auto arguments = std::make_shared<Arguments>();
  Command command = line.add("help", "show the help of a command, the manual page, or shell completions");
  command.option("command", arguments->command, "the command to show; none: all of them").type("COMMAND");
  command.flag("--man", arguments->manual, "print the manual page, for man -l -");
  command.option("--completion", arguments->shell, "print what makes this shell complete omvc")
      .one_of({"bash", "zsh", "fish"});
  command.runs([arguments, &line] {
    if (arguments->manual) {
      fmt::print("{}", manual_page(line));
    } else if (!arguments->shell.empty()) {
      fmt::print("{}", completion(line, arguments->shell));
    } else if (arguments->command.empty()) {
      fmt::print("{}", line.help());
    } else {
      for (const std::string& name : command_names(line)) {
        if (name != arguments->command) continue;
        fmt::print("{}", line.help(name));
        return;
      }
      throw Error(ErrorKind::usage, fmt::format("there is no command '{}'{}", arguments->command,
                                                did_you_mean(arguments->command, command_names(line))));
    }
  });
}

}  // namespace omvc::app
