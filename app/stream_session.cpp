#include "stream_session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omvc/error.hpp"
#include "omvc/rows.hpp"

#include "console.hpp"
#include "line_feed.hpp"
#include "stream_lines.hpp"

namespace omvc::app {
namespace {

constexpr Index kBatch = 1024;         // rows labelled at a time, where so many have come
constexpr int kBusyWait = 20;          // milliseconds between looks for events while rows are learned
constexpr int kIdleWait = 1000;        // and for saves otherwise, where nobody else makes them
constexpr double kReaderPatience = 3;  // seconds that a reader of the results is waited for once the stream is to stop

constexpr double kBytesPerName = 256;      // about, of a feature in all tables that know it
constexpr Index kLeastFeatures = 1 << 16;  // that a view may have whatever the memory
constexpr double kMegabyte = 1 << 20;

Index most_features(const StreamArguments& arguments, double memory) {
  if (arguments.max_features > 0) return arguments.max_features;
  return std::max(kLeastFeatures, static_cast<Index>(memory * kMegabyte / kBytesPerName));
}

// Parsing takes many times the bytes of a line.
std::size_t longest_line(double memory) {
  return static_cast<std::size_t>(std::clamp(memory / 4, 1.0, 64.0) * kMegabyte);
}

class Session {
 public:
  Session(const StreamArguments& arguments, Stream stream)
      : arguments_(arguments),
        stream_(std::move(stream)),
        reader_({.schema = stream_.schema(),
                 .sparse = stream_.sparse(),
                 .grows = !arguments.no_learn && !stream_.has_clusters(),
                 .new_names = !arguments.no_learn,
                 .max_features = most_features(arguments, stream_.options().memory),
                 .ignore_extra = arguments.ignore_extra,
                 .text = arguments.table.text,
                 .id_column = arguments.table.id_column.empty() ? "" : arguments.table.id_column.back()},
                format(arguments.format)),
        feed_(STDIN_FILENO, longest_line(stream_.options().memory)) {}

  void run();

 private:
  static RowFormat format(const std::string& name) {
    return name == "json" ? RowFormat::json : name == "csv" ? RowFormat::csv : RowFormat::automatic;
  }

  void take_lines();
  void take(const LineFeed::Line& line);
  void refuse(const std::string& id, Index line, const std::string& message);
  void say_notes() const;
  void say_what_labels_are() const;
  void label();
  void add_events();
  void write();
  void deliver(const std::function<bool()>& go_on);
  bool go_on_waiting();
  bool wait();
  void end(std::exception_ptr cause);
  void finish();
  void deliver_rest();
  std::string id_or_line() const { return reader_.id() == "null" ? fmt::format("{}", line_) : reader_.id(); }

  const StreamArguments& arguments_;
  Stream stream_;
  RowReader reader_;
  LineFeed feed_;
  std::vector<std::string> ids_;      // of the rows that the reader holds,
  std::vector<Index> lines_;          // and their lines
  std::string out_;                   // lines that were not written yet,
  std::vector<std::string> out_ids_;  // and the row that each answers; empty: an event
  Index line_ = 0;
  Index growth_ = 0;
  Index rows_ = 0;
  Index refused_ = 0;
};

void Session::refuse(const std::string& id, Index line, const std::string& message) {
  ++refused_;
  if (arguments_.strict) throw Error(ErrorKind::data, fmt::format("line {} (id {}): {}", line, id, message));
  add_error_line(out_, id, line, message);
  out_ids_.push_back(id);
}

void Session::label() {
  if (ids_.empty()) return;
  if (reader_.growth() != growth_) {
    stream_.widen(reader_.schema());
    growth_ = reader_.growth();
  }
  const StreamLabels found = stream_.push(reader_.take(), ids_);
  auto refused = found.refused.begin();
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    if (refused != found.refused.end() && refused->first == static_cast<Index>(i)) {
      refuse(ids_[i], lines_[i], refused->second);
      ++refused;
      continue;
    }
    ++rows_;
    add_label_line(out_, ids_[i], found, i);
    out_ids_.push_back(ids_[i]);
  }
  ids_.clear();
  lines_.clear();
  if (stream_.has_clusters()) reader_.freeze();
}

// What the first row showed of the columns.
void Session::say_notes() const {
  for (const std::string& note : reader_.notes()) {
    if (!arguments_.quiet) fmt::print(stderr, "omvc: note: {}\n", note);
  }
}

void Session::take(const LineFeed::Line& line) {
  ++line_;
  try {
    if (line.too_long) {
      throw Error(ErrorKind::data,
                  fmt::format("the line is longer than {:.0f} MB, which --memory {:g} allows",
                              static_cast<double>(feed_.longest()) / kMegabyte, stream_.options().memory));
    }
    if (!reader_.add(line.text)) return;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw Error(error.kind(), fmt::format("line {}: {}", line_, error.what()));
    label();  // results come in the order of the rows
    return refuse(line.too_long ? "null" : reader_.id(), line_, error.what());
  }
  if (rows_ == 0 && ids_.empty()) say_notes();
  ids_.push_back(id_or_line());
  lines_.push_back(line_);
  // Until there are clusters every row may be the one that makes them possible.
  if (reader_.size() >= (stream_.has_clusters() ? kBatch : 1)) {
    label();
    write();
  }
}

void Session::take_lines() {
  while (const std::optional<LineFeed::Line> line = feed_.next()) take(*line);
  label();
}

void Session::add_events() {
  for (const StreamEvent& event : stream_.events()) {
    add_event_line(out_, event);
    out_ids_.emplace_back();
    const bool failed = event.kind == StreamEvent::Kind::not_saved || event.kind == StreamEvent::Kind::not_rebuilt;
    const bool warns = failed || (event.kind == StreamEvent::Kind::warning && !arguments_.quiet);
    if (warns) fmt::print(stderr, "omvc: warning: {}\n", event.text);
  }
}

// Writes the lines that there are, and leaves those that were not taken.
void Session::deliver(const std::function<bool()>& go_on) {
  out_ = shown_results(std::move(out_));
  const auto leave = [&](std::size_t written) {
    const auto end = out_.begin() + static_cast<std::ptrdiff_t>(written);
    out_ids_.erase(out_ids_.begin(), out_ids_.begin() + std::count(out_.begin(), end, '\n'));
    out_.erase(out_.begin(), end);
  };
  try {
    leave(write_results(out_, go_on));
  } catch (const Undelivered& error) {
    leave(error.delivered);
    throw;
  }
}

// While nobody takes the results: what was read is still learned and saved.
bool Session::go_on_waiting() {
  if (stop_requested()) return false;
  stream_.tick();
  if (save_requested()) stream_.save();
  return true;
}

void Session::write() {
  add_events();
  if (!out_.empty() && !stop_requested()) deliver([this] { return go_on_waiting(); });
}

// After all was learned and saved: a reader that has stalled is waited for until the stream is to stop, and then for a
// while. The model names the rows that were not delivered.
void Session::deliver_rest() {
  add_events();
  const auto begin = std::chrono::steady_clock::now();
  const auto more = [&] {
    return !stop_requested() ||
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < kReaderPatience;
  };
  std::optional<Undelivered> failure;
  try {
    deliver(more);
  } catch (const Undelivered& error) {
    failure = error;
  }
  const auto is_row = [](const std::string& id) { return !id.empty(); };
  const auto first = std::find_if(out_ids_.begin(), out_ids_.end(), is_row);
  if (first != out_ids_.end()) {
    const Index rows = std::count_if(first, out_ids_.end(), is_row);
    fmt::print(stderr, "omvc: {} rows from id {} on were not delivered\n", rows, *first);
    stream_.note_undelivered({.from = *first, .rows = rows});
  }
  if (failure) throw Undelivered(*failure);
}

// True if there is something to read.
bool Session::wait() {
  int timeout = arguments_.in_step ? kIdleWait : -1;
  if (stream_.busy()) timeout = kBusyWait;
  if (const auto due = stream_.due()) {
    const int left = static_cast<int>(std::ceil(std::min(*due, 1e5) * 1000));
    timeout = timeout < 0 ? left : std::min(timeout, left);
  }
  if (timeout < 0) timeout = kIdleWait;  // a save of rows that were learned may still come
  std::array<pollfd, 2> waiting{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{signal_descriptor(), POLLIN, 0}};
  ::poll(waiting.data(), waiting.size(), timeout);
  if (waiting[1].revents != 0) clear_signal_descriptor();
  return waiting[0].revents != 0;
}

void Session::run() {
  if (stream_.resumed_after()) {
    add_resumed_line(out_, *stream_.resumed_after(), stream_.instances(), stream_.undelivered());
    out_ids_.emplace_back();
  }
  bool more = true;
  try {
    while (more && !stop_requested()) {
      write();
      const bool readable = wait();
      if (stop_requested()) break;
      if (readable) {
        more = feed_.read();
        take_lines();
      }
      stream_.tick();
      if (save_requested()) stream_.save();
    }
  } catch (...) {
    end(std::current_exception());
  }
  finish();
}

// What was learned is saved and what was answered is handed over, whatever ended the stream, and whether or not the
// model can be saved. `cause` is what ended it, if anything did. Throws what the user must hear of.
void Session::end(std::exception_ptr cause) {
  try {
    stream_.finish();
  } catch (const Error&) {
    cause = std::current_exception();
  }
  try {
    deliver_rest();
  } catch (const Error&) {
    if (!cause) cause = std::current_exception();
  }
  if (cause) std::rethrow_exception(cause);
}

// A file that is replayed is read much faster than it is learned, which the labels do not show.
void Session::say_what_labels_are() const {
  if (arguments_.quiet) return;
  if (reader_.left_out() > 0) {
    fmt::print(stderr, "omvc: note: {} entries were left out: their names are more than --max-features {}\n",
               reader_.left_out(), most_features(arguments_, stream_.options().memory));
  }
  struct stat input {};
  const bool file = ::fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
  if (!file || arguments_.in_step || arguments_.no_learn || !stream_.has_clusters()) return;
  fmt::print(stderr,
             "omvc: note: the rows came faster than they were learned, so most labels are those of the first model; "
             "--in-step labels every row by all rows before it, and the same rows with --no-learn by all of them\n");
}

void Session::finish() {
  end(nullptr);
  if (!arguments_.quiet) {
    fmt::print(stderr, "{} rows labelled, {} line{} refused{}\n", rows_, refused_, refused_ == 1 ? "" : "s",
               arguments_.no_learn || stream_.schema().views.empty()
                   ? ""
                   : fmt::format("; model: {}, {} instances", arguments_.model, stream_.instances()));
  }
  if (refused_ > rows_ && stream_.schema().views.size() > 0) {
    fmt::print(
        stderr,
        "omvc: warning: {} of {} lines were refused. If the first lines, which say what the views are, were wrong, "
        "begin with a new --model\n",
        refused_, refused_ + rows_);
  }
  if (refused_ > 0 && rows_ == 0 && !arguments_.quiet) {
    fmt::print(stderr,
               "omvc: note: no line could be used. A line is a JSON object with a key for each view, such as\n"
               "  {{\"id\": \"r1\", \"message\": {{\"login\": 1, \"failed\": 2}}, \"timing\": [0.2, 15]}}\n"
               "or a line of a table whose first line names the columns\n");
  }
  say_what_labels_are();
  if (stop_requested()) throw Error(ErrorKind::interrupted, "interrupted: what was learned is saved");
}

}  // namespace

void run_session(const StreamArguments& arguments, Stream stream) { Session(arguments, std::move(stream)).run(); }

}  // namespace omvc::app
