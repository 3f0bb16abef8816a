// What a run shows on stderr: a bar with rate and time left on a terminal, plain lines at doubling intervals otherwise,
// nothing when quiet; and stopping at the next chunk when the user interrupts.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "omvc/error.hpp"
#include "omvc/report.hpp"

namespace omvc::app {

// To be called first of all: SIGINT, SIGTERM and SIGHUP end the process with a message and exit code 6.
void stop_early();

// To be called next. Descriptors 0 to 2 that were closed are taken, so that no file of ours gets one of them:
// using stdin or stdout fails then, and messages go nowhere. From here on a message that cannot be written is dropped,
// whatever the reason; control characters in messages, and in results on a terminal, are shown as such (\x1b); writing
// to a pipe that nobody reads, or more than a limit on the size of files allows, is an error like any other rather than
// the end of the process.
void secure_streams();

// Throws ErrorKind::io if results on stdout could not be written.
void flush_results();
// Whether that was because nobody reads them any more, as with `omvc ... | head`, which is no error.
bool reader_gone();

// From now on SIGINT, SIGTERM and SIGHUP ask the run to stop after its chunk instead of ending the process; a second
// one ends it. One that is ignored, as by nohup, stays so. A run that
// does not ask stop_requested within a second is in the middle of a long step, or waits, and is ended there: every
// output is whole or not there at any moment.
void stop_on_signals();
bool stop_requested();

// After stop_on_signals: SIGHUP asks for a save in the place of the end.
void save_on_hangup();
bool save_requested();  // since it was asked last

// After stop_on_signals: can be read from (poll) once any of these signals has come.
int signal_descriptor();
void clear_signal_descriptor();

// After stop_on_signals, for a run that ends in its own time: it is not ended within a step.
void let_steps_end();

// Results that could not be written to stdout.
struct Undelivered : Error {
  Undelivered(const std::string& message, std::size_t bytes) : Error(ErrorKind::io, message), delivered(bytes) {}
  std::size_t delivered;  // bytes that were written before
};

// Results as they may be written: on a terminal control characters are shown as such.
std::string shown_results(std::string text);
// Writes them to stdout at once. Where they are not taken, `go_on` is asked every now and then whether they are to be
// waited for. Returns the number of bytes that were written. Throws Undelivered.
std::size_t write_results(std::string_view text, const std::function<bool()>& go_on);

// Seconds in words: 12 s, 3 min 05 s, 1.5 h.
std::string duration_text(double seconds);

// One line that shows how much of a task is done and how long the rest may take: on a terminal it is rewritten,
// otherwise it is printed anew at doubling intervals.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  // `what` stands before the time left, such as how many things are done.
  void show(double share, const std::string& what = {});
  // The same for instances, with their rate; how long the rest may take is said where the total is known.
  void show(Index instances, std::optional<Index> total);
  void clear();

 private:
  double seconds() const;
  bool due(double now) const;
  void print(const std::string& text, double now);

  bool quiet_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_line_ = 5;
  double last_shown_ = -1;
};

class ConsoleObserver : public Observer {
 public:
  explicit ConsoleObserver(bool quiet);
  ~ConsoleObserver() override { clear_bar(); }
  void expect(Index instances) { total_ = instances; }  // 0: nobody knows
  bool on_survey(Index instances) override;
  void on_phase(const PhaseReport& now) override;
  void on_start(const Report& known, int passes) override;
  bool on_chunk(const ChunkReport& chunk) override;
  void on_pass(const PassReport& pass, const Embedding& embedding) override;
  bool on_wait() override;

 protected:
  // A line about a pass, printed when it ends; the observer that scores passes adds to it.
  virtual std::string describe(const PassReport& pass);
  void message(const std::string& text);

 private:
  std::string describe(const ChunkReport& chunk, double share, double seconds) const;
  void clear_bar();
  double seconds() const;

  bool quiet_;
  bool terminal_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_line_ = 5;  // seconds after which the next plain line is due
  double last_bar_ = -1;
  Index total_ = 0;  // instances a pass, where known
  int passes_ = 1;
  bool stopping_ = false;            // the run has been told, and ends in its own time
  std::optional<double> stop_seen_;  // within a step: seconds that the thread had worked then
  double labelling_since_ = -1;      // seconds; negative: not yet
  double done_before_ = -1;  // instances, over all passes, when the run started or was resumed; negative: not known yet
};

}  // namespace omvc::app
