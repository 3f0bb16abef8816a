// One run of the evaluation, and the file that keeps the results of all of them.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "contestants.hpp"
#include "reproduce/data_sets.hpp"

namespace omvc::app {

struct Job {
  const DataSet* set = nullptr;
  const Contestant* contestant = nullptr;
  int missing = 0;  // per cent
  Setting setting;
  Options options;  // complete but for clusters, which the data tell, and threads, which decide nothing

  // Names the run: what it is, for people, and a number that changes with every option and with the data.
  std::string key() const;
};

struct Result {
  std::string key;
  std::string failure;          // why there is no result; empty where there is one
  std::vector<double> nmi;      // after each pass: the mean over 20 k-means runs on the embedding
  std::vector<double> ac;       // the same
  std::vector<double> loss;     // at the end of each pass
  std::vector<double> seconds;  // of each pass
  double total = 0;             // seconds of the whole fit
  double label_nmi = 0;         // of the labels that the method gives
  double label_ac = 0;
  std::vector<std::vector<double>> curves;  // the loss after each chunk, by pass; only where a figure shows it
};

// OUT/results.csv: a line a finished job, appended whole and made durable at once. A line that an interruption cut is
// dropped when the file is opened, so its job is done again. One process at a time.
class ResultFile {
 public:
  // Throws ErrorKind::io if the file cannot be written, and ErrorKind::usage if another process holds it.
  explicit ResultFile(const std::string& path);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  // The result of a job that is done and did not fail; null otherwise.
  const Result* find(const std::string& key) const;
  // Also of one that failed.
  const Result* find_any(const std::string& key) const;
  void add(const Job& job, const Result& result);  // by any thread

 private:
  void load();

  std::string path_;
  int file_ = -1;
  mutable std::mutex mutex_;
  std::map<std::string, Result> results_;
};

}  // namespace omvc::app
