// Small data with known clusters, written by a test in the formats that the command reads.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace omvc::test {

// Rows of one view. An empty row is an instance that is absent from the view.
using Table = std::vector<std::vector<double>>;

inline constexpr int kClusters = 3;

inline int planted_cluster(std::size_t row) { return static_cast<int>(row % kClusters); }

// Row i belongs to cluster i mod 3, whose features stand out by 4. The values are multiples of 1/64, so short texts
// hold them exactly and all formats hold the same numbers.
inline Table planted_table(std::size_t rows, std::size_t features, unsigned seed) {
  std::mt19937 random(seed);
  Table table(rows, std::vector<double>(features));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < features; ++j) {
      const bool strong = static_cast<int>(j % kClusters) == planted_cluster(i);
      table[i][j] = (strong ? 4 : 0) + static_cast<double>(random() % 64) / 64;
    }
  }
  return table;
}

inline std::string to_text(const Table& table, const std::string& separator) {
  std::string text;
  for (const auto& row : table) text += fmt::format("{}\n", fmt::join(row, separator));
  return text;
}

// The same with a header and a column of ids: the first sample is s0, whatever the order of the rows.
inline std::string to_text_with_ids(const Table& table, const std::vector<std::size_t>& rows) {
  std::string text = "id";
  for (std::size_t j = 0; j < table.front().size(); ++j) text += fmt::format(",f{}", j);
  text += '\n';
  for (const std::size_t i : rows) text += fmt::format("s{},{}\n", i, fmt::join(table[i], ","));
  return text;
}

inline std::string to_svmlight(const Table& table) {
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += fmt::format("{}", planted_cluster(i));
    for (std::size_t j = 0; j < table[i].size(); ++j) text += fmt::format(" {}:{}", j + 1, table[i][j]);
    text += '\n';
  }
  return text;
}

inline Table transposed(const Table& table) {
  Table out(table.front().size());
  for (const auto& row : table) {
    for (std::size_t j = 0; j < row.size(); ++j) out[j].push_back(row[j]);
  }
  return out;
}

// Absent rows as NaN, the form of formats that have no empty lines.
inline Table with_nan_rows(Table table) {
  std::size_t features = 0;
  for (const auto& row : table) features = std::max(features, row.size());
  for (auto& row : table) {
    if (row.empty()) row.assign(features, std::numeric_limits<double>::quiet_NaN());
  }
  return table;
}

inline std::string to_npy(const Table& table) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", table.size(),
                                   table.front().size());
  header.resize(117, ' ');
  std::string out = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n';
  for (const auto& row : table) out.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(double));
  return out;
}

// Matrix Market, every value column after column.
inline std::string to_market_array(const Table& table) {
  std::string out =
      fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", table.size(), table.front().size());
  for (std::size_t j = 0; j < table.front().size(); ++j) {
    for (const auto& row : table) out += fmt::format("{}\n", row[j]);
  }
  return out;
}

// Matrix Market, nonzero values only.
inline std::string to_market_coordinate(const Table& table) {
  std::string entries;
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < table[i].size(); ++j) {
      if (table[i][j] == 0) continue;
      entries += fmt::format("{} {} {}\n", i + 1, j + 1, table[i][j]);
      ++count;
    }
  }
  return fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n{}", table.size(), table.front().size(),
                     count, entries);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::vector<int> read_label_file(const std::string& path) {
  std::vector<int> labels;
  for (const std::string& line : lines_of(read_bytes(path))) labels.push_back(std::stoi(line));
  return labels;
}

// Whether the labels are the planted clusters under some one-to-one renaming.
inline bool are_planted_clusters(const std::vector<int>& labels) {
  std::set<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < labels.size(); ++i) pairs.emplace(labels[i], planted_cluster(i));
  std::set<int> used;
  for (const auto& [label, cluster] : pairs) used.insert(label);
  return pairs.size() == kClusters && used.size() == kClusters;
}

inline std::string planted_truth(std::size_t rows) {
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) text += fmt::format("{}\n", planted_cluster(i));
  return text;
}

// The names of what lies in a folder: a test that knows them all sees a temporary file that was left behind.
inline std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

}  // namespace omvc::test
