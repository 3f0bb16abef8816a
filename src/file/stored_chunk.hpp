// A chunk in an archive: the arrays of its blocks as they lie in memory, little-endian, as entries of type text.
#pragma once

#include <string>

#include "omvc/chunk.hpp"

#include "file/archive.hpp"

namespace omvc {

void put_chunk(Archive& archive, const std::string& key, const Chunk& chunk);

// Throws ErrorKind::data unless it is a chunk of this schema (check_chunk).
Chunk get_chunk(const Archive& archive, const std::string& key, const Schema& schema);

}  // namespace omvc
