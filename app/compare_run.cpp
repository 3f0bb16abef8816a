#include "compare_run.hpp"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "json_text.hpp"
#include "summary.hpp"

namespace omvc::app {
namespace {

class LabelSink : public Sink {
 public:
  void write(const ResultRows& rows) override { labels.insert(labels.end(), rows.labels.begin(), rows.labels.end()); }
  std::vector<int> labels;
};

template <class T, class F>
void each_entry(const DenseBlock<T>& block, Index row, const F& use) {
  const auto values = block.row(row);
  for (std::size_t j = 0; j < values.size(); ++j) use(j, static_cast<double>(values[j]));
}

template <class T, class F>
void each_entry(const CsrBlock<T>& block, Index row, const F& use) {
  const auto at = static_cast<std::size_t>(row);
  for (auto i = static_cast<std::size_t>(block.offsets[at]); i < static_cast<std::size_t>(block.offsets[at + 1]); ++i) {
    use(static_cast<std::size_t>(block.columns[i]), static_cast<double>(block.values[i]));
  }
}

// Sums of a view by cluster, from which the squares within and in total follow: those of the cells that are there.
struct ViewSums {
  ViewSums(std::size_t clusters, std::size_t features)
      : sums(clusters, std::vector<double>(features)), missing(sums), counts(clusters) {}

  void add(const ChunkView& view, const std::vector<int>& label_of_position) {
    std::visit(
        [&](const auto& block) {
          for (std::size_t i = 0; i < view.present.size(); ++i) {
            const int label = label_of_position[static_cast<std::size_t>(view.present[i])];
            if (label < 0) continue;
            std::vector<double>& sum = sums[static_cast<std::size_t>(label)];
            ++counts[static_cast<std::size_t>(label)];
            each_entry(block, static_cast<Index>(i), [&](std::size_t column, double value) {
              if (std::isnan(value)) {
                missing[static_cast<std::size_t>(label)][column] += 1;
                return;
              }
              sum[column] += value;
              squares += value * value;
            });
          }
        },
        view.block);
  }

  double explained() const {
    double between = 0;
    double mean = 0;
    for (std::size_t j = 0; j < sums[0].size(); ++j) {
      double all = 0;
      double cells = 0;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        const double here = counts[k] - missing[k][j];
        if (here > 0) between += sums[k][j] * sums[k][j] / here;
        all += sums[k][j];
        cells += here;
      }
      if (cells > 0) mean += all * all / cells;
    }
    return squares > mean ? (between - mean) / (squares - mean) : 0;
  }

  std::vector<std::vector<double>> sums;     // clusters x features
  std::vector<std::vector<double>> missing;  // cells
  std::vector<double> counts;
  double squares = 0;
};

// The same measure for every method, whatever its own objective and scaling: of the squares of the data as they are,
// the mean of the views. It does not depend on the unit of a view; within one, columns of large numbers count most.
double explained_share(Source& source, const std::vector<int>& labels, int clusters) {
  std::vector<ViewSums> views;
  for (const ViewSchema& view : source.schema().views) {
    views.emplace_back(static_cast<std::size_t>(clusters), static_cast<std::size_t>(view.features));
  }
  source.rewind();
  while (const std::optional<Chunk> chunk = source.next(1024)) {
    std::vector<int> here;
    for (const Index row : chunk->rows) here.push_back(labels.at(static_cast<std::size_t>(row)));
    for (std::size_t v = 0; v < views.size(); ++v) views[v].add(chunk->views[v], here);
  }
  double mean = 0;
  for (const ViewSums& view : views) mean += view.explained() / static_cast<double>(views.size());
  return mean;
}

nlohmann::json run_here(const InputArguments& arguments, const Options& options, bool quiet, std::vector<int>& labels) {
  Input input = open_arguments(arguments, options.seed);
  stop_on_signals();
  ConsoleObserver observer(quiet);
  LabelSink sink;
  const Report report = Clusterer(options).fit(*input.source, sink, {.observer = &observer});
  // Measured before the share explained, which is not the method's work.
  const long bytes = peak_rss_bytes();
  nlohmann::json out{{"loss", report.loss},
                     {"seconds", report.seconds},
                     {"bytes", bytes},
                     {"stopped", report.stopped},
                     {"warnings", report.warnings}};
  if (report.stopped) return out;
  labels = std::move(sink.labels);
  if (input.truth) {
    check_truth(arguments, input.truth->size(), static_cast<Index>(labels.size()));
    Contingency counts;
    counts.add(labels, *input.truth);
    const Scores scores = score(counts);
    out.update({{"nmi", scores.nmi_geometric}, {"ac", scores.accuracy}, {"ari", scores.ari}});
  }
  out["explained"] = explained_share(*input.source, labels, options.clusters);
  return out;
}

nlohmann::json failure(ErrorKind kind, const std::string& why) {
  return {{"failure", why}, {"kind", static_cast<int>(kind)}};
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File temporary() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw Error(ErrorKind::io, fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
  return file;
}

// In the child: never returns.
[[noreturn]] void run_child(const InputArguments& input, const Options& options, bool quiet, std::FILE* summary,
                            std::FILE* label_file) {
  nlohmann::json out;
  std::vector<int> labels;
  try {
    out = run_here(input, options, quiet, labels);
  } catch (const Error& error) {
    out = failure(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    out = failure(ErrorKind::data, "out of memory");
  } catch (const std::exception& error) {
    out = failure(ErrorKind::numerical, error.what());
  }
  const std::string text = json_text(out, -1);
  const bool written = std::fwrite(text.data(), 1, text.size(), summary) == text.size() &&
                       std::fwrite(labels.data(), sizeof(int), labels.size(), label_file) == labels.size() &&
                       std::fflush(summary) == 0 && std::fflush(label_file) == 0;
  ::_exit(written ? 0 : 1);
}

// Hands on what was asked of this process alone.
void wait_for(pid_t child, int& status) {
  constexpr std::chrono::milliseconds kStep(5);
  bool told = false;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return;
    if (stop_requested() && !told) ::kill(child, SIGTERM);
    told = told || stop_requested();
    std::this_thread::sleep_for(kStep);
  }
}

std::vector<char> contents(std::FILE* file) {
  std::fseek(file, 0, SEEK_END);
  std::vector<char> bytes(static_cast<std::size_t>(std::max(0L, std::ftell(file))));
  std::rewind(file);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  return bytes;
}

}  // namespace

MethodRun run_method(const InputArguments& input, const Options& options, bool quiet) {
  const File summary = temporary();
  const File label_file = temporary();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorKind::io, fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) run_child(input, options, quiet, summary.get(), label_file.get());
  int status = 0;
  wait_for(child, status);
  const std::vector<char> text = contents(summary.get());
  const nlohmann::json found = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  MethodRun run;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || found.is_discarded()) {
    run.kind = ErrorKind::data;
    run.stopped = stop_requested();
    run.failure = WIFSIGNALED(status) ? fmt::format("ended by signal {}{}", WTERMSIG(status),
                                                    WTERMSIG(status) == SIGKILL ? ", most likely out of memory" : "")
                                      : "its results could not be kept: is the folder of temporary files full?";
    return run;
  }
  run.failure = found.value("failure", "");
  run.kind = static_cast<ErrorKind>(found.value("kind", static_cast<int>(ErrorKind::usage)));
  run.stopped = found.value("stopped", false) || (!run.failure.empty() && run.kind == ErrorKind::interrupted);
  run.scored = found.contains("nmi");
  run.nmi = found.value("nmi", 0.0);
  run.ac = found.value("ac", 0.0);
  run.ari = found.value("ari", 0.0);
  run.explained = found.value("explained", 0.0);
  run.loss = found.value("loss", 0.0);
  run.seconds = found.value("seconds", 0.0);
  run.bytes = found.value("bytes", 0.0);
  run.warnings = found.value("warnings", std::vector<std::string>{});
  const std::vector<char> bytes = contents(label_file.get());
  run.labels.resize(bytes.size() / sizeof(int));
  if (!run.labels.empty()) std::memcpy(run.labels.data(), bytes.data(), run.labels.size() * sizeof(int));
  return run;
}

}  // namespace omvc::app
