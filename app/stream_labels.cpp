#include "stream_labels.hpp"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "omvc/error.hpp"

namespace omvc::app {
namespace {

class Answers {
 public:
  explicit Answers(const std::string& path) : path_(path) {}

  void read(const std::string& text) {
    ++line_;
    if (text.find_first_not_of(" \t\r") == std::string::npos) return;
    const nlohmann::json answer = nlohmann::json::parse(text, nullptr, false);
    if (!answer.is_object()) fail("is not a JSON object, as the lines before it are");
    if (answer.contains("event") || answer.contains("error")) return;
    if (!answer.contains("id") || !answer.contains("cluster")) {
      fail("has no id and cluster: give the lines that 'omvc stream' has written, or a table of ids and labels");
    }
    const nlohmann::json& cluster = answer["cluster"];
    if (cluster.is_null()) {
      if (table_.unlabelled_line == 0) table_.unlabelled_line = line_;
      ++table_.unlabelled;
      return;
    }
    if (!cluster.is_number_integer()) fail("has a cluster that is no whole number");
    const nlohmann::json& name = answer["id"];
    std::string id = name.is_string() ? name.get<std::string>() : name.dump();
    const auto [known, is_new] = line_of_id_.try_emplace(id, line_);
    if (!is_new) fail(fmt::format("has the id {}, which line {} has, too", name.dump(), known->second));
    table_.ids.push_back(std::move(id));
    table_.labels.push_back(cluster.get<int>());
  }

  LabelTable take() {
    if (table_.labels.empty()) throw Error(ErrorKind::data, path_ + ": no line has a cluster");
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::data, fmt::format("{}:{}: the line {}", path_, line_, what));
  }

  std::string path_;
  Index line_ = 0;
  LabelTable table_;
  std::unordered_map<std::string, Index> line_of_id_;
};

}  // namespace

std::optional<LabelTable> read_stream_labels(const std::string& path) {
  std::ifstream lines(path);
  if (lines.peek() != '{') return std::nullopt;
  Answers answers(path);
  for (std::string line; std::getline(lines, line);) answers.read(line);
  return answers.take();
}

}  // namespace omvc::app
