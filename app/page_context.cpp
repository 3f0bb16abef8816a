#include "page_context.hpp"

#include <filesystem>

namespace omvc::app {
namespace {

std::string& remembered() {
  static std::string command;
  return command;
}

// A word that a shell reads as it is, or in quotes.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

void remember_command(int argc, char** argv) {
  remembered() = "omvc";
  for (int i = 1; i < argc; ++i) remembered() += ' ' + quoted(argv[i]);
}

std::string command_line() { return remembered(); }

PageContext page_context(const Report& report, const Contingency& scored, const InputArguments& arguments,
                         Input& input) {
  PageContext context{.report = &report,
                      .scored = &scored,
                      .ids = {},
                      .class_of = {},
                      .class_names = input.class_names,
                      .title = {},
                      .command = command_line(),
                      .files = {}};
  for (const std::string& path : input_files(arguments)) {
    if (path.empty()) continue;
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    context.files.emplace_back(path, unknown ? 0 : size);
  }
  for (const std::string& path : arguments.paths) {
    const std::string file = path.substr(path.find('=') + 1);  // NAME=FILE, or FILE alone
    context.title += (context.title.empty() ? "Clusters of " : ", ") + std::filesystem::path(file).filename().string();
  }
  Source& source = *input.source;
  if (!source.ids(0, 1).empty()) context.ids = [&source](Index first, Index count) { return source.ids(first, count); };
  if (input.truth) {
    context.class_of = [&truth = *input.truth](Index row) {
      const auto at = static_cast<std::size_t>(row);
      return at < truth.size() ? truth[at] : kNoClass;
    };
  }
  return context;
}

}  // namespace omvc::app
