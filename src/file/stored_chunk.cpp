#include "file/stored_chunk.hpp"

#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are stored as they lie in memory");

template <class Array>
std::string bytes_of(const Array& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

template <class T>
std::vector<T> values_of(const std::string& bytes, const std::string& key) {
  if (bytes.size() % sizeof(T) != 0) {
    throw Error(ErrorKind::data, fmt::format("the model's entry '{}' is no whole number of values", key));
  }
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class B>
Block block_of(const Archive& archive, const std::string& key, Index rows, Index cols) {
  B block;
  block.rows = rows;
  block.cols = cols;
  block.values = values_of<typename B::Scalar>(archive.text(key + "/values"), key);
  if constexpr (requires { block.offsets; }) {
    block.offsets = archive.integers(key + "/offsets");
    block.columns = values_of<std::int32_t>(archive.text(key + "/columns"), key);
    if (block.offsets.empty()) throw Error(ErrorKind::data, fmt::format("the model's entry '{}' is empty", key));
  }
  return block;
}

}  // namespace

void put_chunk(Archive& archive, const std::string& key, const Chunk& chunk) {
  archive.put(key + "/rows", chunk.rows);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    const ChunkView& view = chunk.views[v];
    archive.put(name + "/present", view.present);
    archive.put(name + "/kind", std::vector<Index>{static_cast<Index>(view.block.index())});
    std::visit(
        [&](const auto& X) {
          archive.put(name + "/values", bytes_of(X.values));
          if constexpr (requires { X.offsets; }) {
            archive.put(name + "/offsets", X.offsets);
            archive.put(name + "/columns", bytes_of(X.columns));
          }
        },
        view.block);
  }
}

Chunk get_chunk(const Archive& archive, const std::string& key, const Schema& schema) {
  Chunk chunk;
  chunk.rows = archive.integers(key + "/rows");
  for (std::size_t v = 0; v < schema.views.size() && archive.has(fmt::format("{}/view{}/kind", key, v)); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    ChunkView view;
    view.present = archive.integers(name + "/present");
    const auto rows = static_cast<Index>(view.present.size());
    const Index cols = schema.views[v].features;
    const std::vector<Index>& kind = archive.integers(name + "/kind");
    switch (kind.size() == 1 ? kind[0] : -1) {
      case 0:
        view.block = block_of<DenseBlock<float>>(archive, name, rows, cols);
        break;
      case 1:
        view.block = block_of<DenseBlock<double>>(archive, name, rows, cols);
        break;
      case 2:
        view.block = block_of<CsrBlock<float>>(archive, name, rows, cols);
        break;
      case 3:
        view.block = block_of<CsrBlock<double>>(archive, name, rows, cols);
        break;
      default:
        throw Error(ErrorKind::data, fmt::format("the model's entry '{}' is of no known kind", name));
    }
    chunk.views.push_back(std::move(view));
  }
  if (chunk.rows.empty() && chunk.views.empty()) return chunk;
  check_chunk(chunk, schema);
  return chunk;
}

}  // namespace omvc
