// Picking and joining rows of blocks. How a block is stored (chunk/kinds.hpp) never changes here.
#pragma once

#include <span>

#include "omvc/chunk.hpp"

namespace omvc {

// The given rows of the block, in the given order. Rows may repeat; each must exist.
Block take_rows(const Block& block, std::span<const Index> rows);

// The given instances of a chunk, in the given order, each at most once.
Chunk take_instances(const Chunk& chunk, std::span<const Index> positions);
// The same of several chunks, whose instances count on from one to the next. Each view is stored in one way in all
// chunks that have rows of it.
Chunk take_instances(std::span<const Chunk> chunks, std::span<const Index> positions);

// Only the instances for which keep[position] holds stay, in the memory that they have.
void keep_in_place(Chunk& chunk, const std::vector<bool>& keep);

// Leaves out the features that sparse views of the chunk have beyond those of the schema. A row that had no others is
// absent from the view then. Returns how many instances have lost half of the entries of a view, or more.
Index drop_features(Chunk& chunk, const Schema& schema);

// Adds the rows of `more` below those of `block`; of no rows at all the kind does not matter. Throws ErrorKind::data if
// the two differ in kind or columns; `where` names the view for the message.
void append_rows(Block& block, const Block& more, const std::string& where);

// The memory that its numbers take.
double bytes_of(const Chunk& chunk);

// Adds the instances of `more` behind those of `whole`, which has the same views. Throws as append_rows does.
void append_chunk(Chunk& whole, const Chunk& more, const Schema& schema);

}  // namespace omvc
