// The data that omvc_scaled wrote, in memory: what a library multiplies, cut into chunks as a fit cuts them.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using Index = std::int64_t;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>;

// One view of one chunk.
template <class T>
struct Piece {
  Index rows = 0;
  Index cols = 0;
  const T* values = nullptr;  // dense: row-major, inside View::values
  Index entries = 0;
  Sparse<T> by_rows;     // CSR
  Sparse<T> by_columns;  // its transpose, made beforehand for products that gather
  bool sparse() const { return values == nullptr; }
};

template <class T>
struct View {
  std::vector<T> values;
  std::vector<Piece<T>> pieces;  // a chunk each
  Index cols = 0;
};

template <class T>
std::vector<T> read_array(const std::string& path, Index count) {
  std::vector<T> out(static_cast<std::size_t>(count));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size() * sizeof(T)));
  if (!in) throw std::runtime_error("cannot read " + path);
  return out;
}

// Widened or narrowed to T here, outside of any timing.
template <class T>
std::vector<T> read_values(const std::string& path, const std::string& type, Index count) {
  const auto convert = [](const auto& from) { return std::vector<T>(from.begin(), from.end()); };
  return type == "f4" ? convert(read_array<float>(path, count)) : convert(read_array<double>(path, count));
}

template <class T>
View<T> read_view(const std::string& stem, const nlohmann::json& about, Index instances, Index chunk) {
  const Index rows = about["rows"];
  View<T> view;
  view.cols = about["cols"];
  view.values = read_values<T>(stem + ".values", about["type"], about["nonzeros"]);
  const auto present = read_array<Index>(stem + ".present", rows);
  std::vector<Index> offsets;
  std::vector<std::int32_t> columns;
  if (about["sparse"]) {
    offsets = read_array<Index>(stem + ".offsets", rows + 1);
    columns = read_array<std::int32_t>(stem + ".columns", about["nonzeros"]);
  }
  std::size_t next = 0;
  for (Index first = 0; first < instances; first += chunk) {
    const std::size_t begin = next;
    while (next < present.size() && present[next] < first + chunk) ++next;
    Piece<T>& piece = view.pieces.emplace_back();
    piece.rows = static_cast<Index>(next - begin);
    piece.cols = view.cols;
    if (offsets.empty()) {
      piece.entries = piece.rows * piece.cols;
      piece.values = view.values.data() + static_cast<Index>(begin) * piece.cols;
      continue;
    }
    piece.entries = offsets[next] - offsets[begin];
    std::vector<std::int32_t> starts;
    for (std::size_t i = begin; i <= next; ++i) {
      starts.push_back(static_cast<std::int32_t>(offsets[i] - offsets[begin]));
    }
    piece.by_rows = Eigen::Map<const Sparse<T>>(piece.rows, piece.cols, piece.entries, starts.data(),
                                                columns.data() + offsets[begin], view.values.data() + offsets[begin]);
    piece.by_columns = piece.by_rows.transpose();
  }
  if (!offsets.empty()) view.values = {};
  return view;
}
