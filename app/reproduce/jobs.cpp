#include "reproduce/jobs.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>

#include "omvc/error.hpp"

namespace omvc::app {
namespace {

constexpr const char* kHead =
    "job,data,missing_percent,method,chunk,seed,setting,nmi,ac,loss,pass_seconds,total_seconds,label_nmi,label_ac,"
    "curves,failure,end\n";
constexpr std::size_t kColumns = 17;

// FNV-1a, 64 bits: only has to differ where options differ.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

double number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) throw std::invalid_argument(text);
  return value;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  if (text.empty()) return values;
  for (const std::string& part : split(text, ' ')) values.push_back(number(part));
  return values;
}

// A message without what would end a field.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; }, ';');
  return text;
}

Result parse(const std::string& line) {
  const std::vector<std::string> fields = split(line, ',');
  if (fields.size() != kColumns || fields.back() != ".") throw std::invalid_argument(line);
  Result result{.key = fields[0],
                .failure = fields[15],
                .nmi = numbers(fields[7]),
                .ac = numbers(fields[8]),
                .loss = numbers(fields[9]),
                .seconds = numbers(fields[10]),
                .total = number(fields[11]),
                .label_nmi = number(fields[12]),
                .label_ac = number(fields[13])};
  if (!fields[14].empty()) {
    for (const std::string& pass : split(fields[14], '|')) result.curves.push_back(numbers(pass));
  }
  const std::size_t passes = result.nmi.size();
  const bool whole = result.ac.size() == passes && result.loss.size() == passes && result.seconds.size() == passes;
  if (!whole || (passes == 0 && result.failure.empty())) throw std::invalid_argument(line);
  return result;
}

std::string text_of(const Job& job, const Result& result) {
  std::string curves;
  for (const auto& pass : result.curves) {
    curves += fmt::format("{}{:.6g}", curves.empty() ? "" : "|", fmt::join(pass, " "));
  }
  return fmt::format("{},{},{},{},{},{},{},{:.6f},{:.6f},{:.9g},{:.5g},{:.5g},{:.6f},{:.6f},{},{},.\n", result.key,
                     job.set->name, job.missing, job.contestant->name, job.options.chunk, job.options.seed,
                     setting_text(job.setting), fmt::join(result.nmi, " "), fmt::join(result.ac, " "),
                     fmt::join(result.loss, " "), fmt::join(result.seconds, " "), result.total, result.label_nmi,
                     result.label_ac, curves, plain(result.failure));
}

}  // namespace

std::string Job::key() const {
  std::string decided = set->stamp;
  for_each_param([&](const auto& param) {
    const std::string name = param.name;
    if (name != "clusters" && name != "threads") decided += fmt::format(" {}={}", name, format_option(options, name));
  });
  // The tuned options are named whether or not they have their defaults: it is the same run.
  std::string chosen;
  for (const GridAxis& axis : contestant->grid)
    chosen += fmt::format("{}={} ", axis.option, format_option(options, axis.option));
  std::string key = fmt::format("{} {}% {} chunk={} seed={} {}#{:08x}", set->name, missing, contestant->name,
                                options.chunk, options.seed, chosen, hash_of(decided) & 0xffffffffu);
  std::replace(key.begin(), key.end(), ' ', '/');
  return key;
}

ResultFile::ResultFile(const std::string& path) : path_(path) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw Error(ErrorKind::io, fmt::format("{}: {}", path, std::strerror(errno)));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw Error(ErrorKind::usage,
                fmt::format("another omvc reproduce is writing {}: wait for it, or give another --out", path));
  }
  try {
    load();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

ResultFile::~ResultFile() { ::close(file_); }

void ResultFile::load() {
  std::ifstream in(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is no whole line
  if (whole > 0 && text.compare(0, std::strlen(kHead), kHead) != 0) {
    throw Error(ErrorKind::data, fmt::format("{} is not a file of results of this version: give another --out", path_));
  }
  for (const std::string& line : split(text.substr(0, whole), '\n')) {
    try {
      Result result = parse(line);
      const std::string key = result.key;
      results_[key] = std::move(result);
    } catch (const std::invalid_argument&) {
      // The head, the end of the file, or a line that somebody changed: its job is done again.
    }
  }
  if (::ftruncate(file_, static_cast<off_t>(whole)) != 0 ||
      (whole == 0 && ::write(file_, kHead, std::strlen(kHead)) < 0)) {
    throw Error(ErrorKind::io, fmt::format("{}: {}", path_, std::strerror(errno)));
  }
}

const Result* ResultFile::find_any(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = results_.find(key);
  return found == results_.end() ? nullptr : &found->second;
}

const Result* ResultFile::find(const std::string& key) const {
  const Result* result = find_any(key);
  return result == nullptr || !result->failure.empty() ? nullptr : result;
}

void ResultFile::add(const Job& job, const Result& result) {
  const std::string line = text_of(job, result);
  const std::lock_guard lock(mutex_);
  if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) || ::fdatasync(file_) != 0) {
    throw Error(ErrorKind::io, fmt::format("{}: {}", path_, std::strerror(errno)));
  }
  results_[result.key] = parse(line.substr(0, line.size() - 1));
}

}  // namespace omvc::app
