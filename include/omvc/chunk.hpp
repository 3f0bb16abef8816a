// A chunk: some instances, each described by several views, most instances lacking some view.
//
// Only what was observed is stored. A view of a chunk holds one row for every instance that is *present* in the view,
// and the positions of those instances in the chunk:
//
//     chunk of 4 instances            view "text"                     view "image"
//     rows = {70, 71, 72, 73}         present = {0, 1, 3}             present = {2, 3}
//                                     block   = 3 x d_text (CSR)      block   = 2 x d_image (dense)
//
// Instance 71 has no image, instance 72 has no text. An instance that is present in no view is legal. A single value
// that is missing from a row of the block is NaN.
//
// A chunk is a value with one owner: a source makes it and hands it over. The values of a block may be lent by
// somebody who keeps them (buffer.hpp); nothing else in it is shared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "omvc/buffer.hpp"
#include "omvc/export.hpp"

namespace omvc {

using Index = std::int64_t;

// What a view is, for as long as the stream lasts.
struct ViewSchema {
  std::string name;                             // for messages and reports; a file's stem, a variable, a modality
  Index features = 0;                           // d_v
  std::vector<std::string> feature_names;       // features of them, or none
  std::vector<std::string> left_out = {};       // columns of the user's table that are no features of the view
  std::vector<std::string> missing_words = {};  // of missing values in that table, where others than the usual ones
                                                // were named; they hold for tables that come later, too

  Index first_number = 0;  // what the first feature is called where they have no names

  // What the j-th feature is called.
  std::string feature_name(Index j) const {
    return feature_names.empty() ? std::to_string(first_number + j) : feature_names[static_cast<std::size_t>(j)];
  }
  // What was left out or is missing, and numbers in the place of names, make no other view.
  bool operator==(const ViewSchema& other) const {
    return name == other.name && features == other.features && feature_names == other.feature_names;
  }
};

struct Schema {
  std::vector<ViewSchema> views;

  bool operator==(const Schema&) const = default;
};

// Row-major rows x cols.
template <class T>
struct DenseBlock {
  using Scalar = T;
  Index rows = 0;
  Index cols = 0;
  Buffer<T> values;

  std::span<const T> row(Index i) const { return {values.data() + i * cols, static_cast<std::size_t>(cols)}; }
};

// Compressed sparse rows. Column numbers ascend strictly within a row.
template <class T>
struct CsrBlock {
  using Scalar = T;
  Index rows = 0;
  Index cols = 0;
  std::vector<Index> offsets{0};      // rows + 1: row i is [offsets[i], offsets[i + 1]) of the two arrays below
  std::vector<std::int32_t> columns;  // of each stored entry
  Buffer<T> values;                   // of each stored entry

  Index nonzeros() const { return static_cast<Index>(values.size()); }
};

using Block = std::variant<DenseBlock<float>, DenseBlock<double>, CsrBlock<float>, CsrBlock<double>>;

OMVC_API Index block_rows(const Block& block);
OMVC_API Index block_cols(const Block& block);

struct ChunkView {
  Block block;                 // one row for each present instance
  std::vector<Index> present;  // their positions in the chunk, ascending
};

struct Chunk {
  std::vector<Index> rows;  // the number of each instance in its source (0-based); names it in outputs and messages
  std::vector<ChunkView> views;  // in the order of the schema

  Index size() const { return static_cast<Index>(rows.size()); }
};

// Turns a block with one row for every instance into a view in which rows that are wholly NaN are absent.
// `first_row` is the number of the block's first instance, and `where` names the view, both for messages.
// A row that is partly NaN is present, and lacks those values. Throws ErrorKind::data for infinite values.
template <class T>
OMVC_API ChunkView view_from_rows(DenseBlock<T> block, const std::string& where, Index first_row = 0);

// The same for sparse rows: a row is absent if it has entries and all of them are NaN; a row without entries is present
// and zero.
template <class T>
OMVC_API ChunkView view_from_rows(CsrBlock<T> block, const std::string& where, Index first_row = 0);

// The view without the instances for which keep[position] is false.
OMVC_API ChunkView keep_instances(ChunkView view, const std::vector<bool>& keep);

// Throws ErrorKind::data unless the chunk is well formed (positions and columns ascending and in range, array lengths
// that agree, no infinite values) and has the views and dimensions of the schema. The message names view and row.
OMVC_API void check_chunk(const Chunk& chunk, const Schema& schema);

}  // namespace omvc
