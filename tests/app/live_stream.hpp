// `omvc stream` between two pipes, as between two message queues, and rows for it.
#pragma once

#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {

// Row i of a planted stream as JSON, with the id "r<i>": two views, of which every fifth row lacks one.
inline std::string json_row(std::size_t i) {
  static const Table a = planted_table(6000, 6, 1);
  static const Table b = planted_table(6000, 5, 2);
  const std::size_t at = i % a.size();
  std::string line = fmt::format("{{\"id\": \"r{}\"", i);
  if (i % 5 != 3) line += fmt::format(", \"a\": [{}]", fmt::join(a[at], ", "));
  if (i % 5 != 4) line += fmt::format(", \"b\": [{}]", fmt::join(b[at], ", "));
  return line + "}\n";
}

inline std::string json_rows(std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text += json_row(i);
  return text;
}

class LiveStream {
 public:
  LiveStream(const TempDir& dir, const Arguments& arguments) {
    static int number = 0;
    const std::string path = dir.path(fmt::format("rows{}.fifo", number++));
    if (mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    // Opened for both ways, so that neither side waits for the other.
    descriptor_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    process_ = std::make_unique<Process>(Arguments{"stream"} + arguments, Process::Setup{.input = path});
  }
  ~LiveStream() { end(); }

  void send(const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t wrote = write(descriptor_, text.data() + sent, text.size() - sent);
      if (wrote < 0) throw std::runtime_error("write");
      sent += static_cast<std::size_t>(wrote);
    }
  }
  void end() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  Process& process() { return *process_; }
  Outcome finish() {
    end();
    return process_->wait();
  }

 private:
  int descriptor_ = -1;
  std::unique_ptr<Process> process_;
};

struct Answers {
  std::vector<nlohmann::json> rows;  // labels and errors
  std::vector<nlohmann::json> events;

  explicit Answers(const std::string& out) {
    for (const std::string& line : lines_of(out)) {
      const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_discarded()) {
        ADD_FAILURE() << "not JSON: " << line;
        continue;
      }
      (json.contains("event") ? events : rows).push_back(json);
    }
  }
  std::vector<nlohmann::json> of(const std::string& event) const {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& json : events) {
      if (json.at("event") == event) found.push_back(json);
    }
    return found;
  }
};

inline Outcome stream_file(const TempDir& dir, const std::string& text, const Arguments& arguments) {
  const std::string path = dir.write_file("rows.jsonl", text);
  return Process(Arguments{"stream"} + arguments, Process::Setup{.input = path}).wait();
}

class StreamTest : public testing::Test {
 protected:
  TempDir dir_;
  std::string model_ = dir_.path("model.omvc");
  Arguments start_{"--model", model_, "-k", "3", "--quiet"};  // from nothing, and on from what it saved
};

}  // namespace omvc::test
