#include "omvc/stream.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "omvc/error.hpp"

#include "command.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "option_flags.hpp"
#include "signals.hpp"
#include "stream_session.hpp"

namespace omvc::app {
namespace {

// 2s, 500ms, 5min, 1h in seconds; nothing if the text is no time.
std::optional<double> seconds_in(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || !(value >= 0) || !std::isfinite(value)) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  for (const auto& [name, seconds] : {std::pair{"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}) {
    if (unit == name) return value * seconds;
  }
  return std::nullopt;
}

void read_every(const std::vector<std::string>& words, StreamOptions& options) {
  bool rows_given = false;
  bool time_given = false;
  for (const std::string& word : words) {
    Index rows = 0;
    const char* end = word.data() + word.size();
    const auto [rest, failure] = std::from_chars(word.data(), end, rows);
    if (failure == std::errc() && rest == end && rows > 0 && rows <= Index{1} << 24 && !rows_given) {
      options.rows = rows;
      rows_given = true;
    } else if (const auto seconds = seconds_in(word); seconds && !time_given) {
      options.seconds = *seconds;
      time_given = true;
    } else {
      throw Error(ErrorKind::usage,
                  fmt::format("--every {}: give a number of rows, a time such as 2s or 500ms, or both: 500,1s", word));
    }
  }
  // One alone is the only rule.
  if (rows_given && !time_given) options.seconds = 1e9;
  if (time_given && !rows_given) options.rows = Index{1} << 24;
}

// The model that is there was made with options of its own; the same command is to go on with it, another is not.
void check_same_options(const StreamArguments& arguments, const Options& chosen, const Options& stored) {
  for (const auto& [name, values] : arguments.flags.given) {
    if (values.empty() || !decides_result(name)) continue;
    const std::string asked = format_option(chosen, name);
    const std::string has = format_option(stored, name);
    if (asked == has) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} was made with {} = {}, not {}: leave the option out, or give another file",
                            arguments.model, name, has, asked));
  }
}

void stream(const StreamArguments& arguments) {
  const Options chosen = chosen_options(arguments.flags);
  StreamOptions options{.file = arguments.model, .model = chosen};
  options.learn = !arguments.no_learn;
  options.in_step = arguments.in_step;
  options.membership = arguments.membership;
  read_every(arguments.every, options);
  const std::optional<double> save = seconds_in(arguments.save_every);
  if (!save) {
    throw Error(ErrorKind::usage,
                fmt::format("--save-every {}: give a time such as 30s or 5min", arguments.save_every));
  }
  options.save_seconds = *save;
  options.hooks.stopping = stop_pending;
  stop_on_signals();
  let_steps_end();
  save_on_hangup();
  Stream opened(std::move(options));
  if (!opened.schema().views.empty()) check_same_options(arguments, chosen, opened.options());
  run_session(arguments, std::move(opened));
}

}  // namespace

void add_stream(CommandLine& line) {
  auto arguments = std::make_shared<StreamArguments>();
  Command command = line.add(
      "stream",
      "label rows from standard input as they arrive, and learn them: JSON Lines or a table in, JSON Lines out");
  command
      .option("--model", arguments->model,
              "the model: goes on from it where it is there, starts from nothing otherwise; saved from time to "
              "time and at the end")
      .required()
      .type("FILE");
  command
      .option(
          "--format", arguments->format,
          "of the rows; auto: JSON Lines if the first line starts with {, else a table in text; a row of JSON Lines: "
          "{\"id\": \"r1\", \"words\": {\"login\": 1, \"failed\": 2}, \"numbers\": [0.2, 15]}")
      .one_of({"auto", "json", "csv"})
      .shows_default();
  command
      .option("--every", arguments->every,
              "learn after so many rows, or so long, whichever comes first: 500,1s; 200; 2s; 100ms")
      .lists()

      .shows_default("500,1s")
      .type("ROWS,TIME");
  command.option("--save-every", arguments->save_every, "time between two saves of the model")
      .shows_default()
      .type("TIME");
  command.flag("--no-learn", arguments->no_learn, "only label: the model stays as it is");
  command.flag("--in-step", arguments->in_step,
               "label each row when all chunks before it are learned: same rows, same labels and model, but rows "
               "wait while prototypes are made");
  command.flag("--membership", arguments->membership, "tell the chance of every cluster as well");
  command.flag("--strict", arguments->strict, "end at the first line that cannot be used");
  command.flag("--ignore-extra", arguments->ignore_extra, "leave out views and features that the model lacks");
  command
      .option("--max-features", arguments->max_features,
              "features that a view may have: new names of sparse views are learned up to here; 0 = by --memory")
      .between(Index{0}, Index{1} << 30);
  command.flag("--quiet", arguments->quiet, "no summary on stderr");
  add_text_options(command, arguments->table, false);
  add_option_flags(
      command, arguments->flags,
      {"clusters", "rank", "scaling", "half-life", "memory", "seed", "threads", "device", "device-memory"});
  command.runs([arguments] { stream(*arguments); });
}

}  // namespace omvc::app
