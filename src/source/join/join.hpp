// One source from several views in files of their own.
//
// If every file has sample ids and can be read twice, an instance is an id that occurs in some file, in the order of
// first appearance (file by file), and an id that a file lacks is missing from its view. A file whose ids come in that
// order is streamed; one whose ids do not is loaded whole. The ids are kept in memory.
//
// Otherwise row i of every file is the same instance, and files that have ids must agree on them, which is checked as
// rows come: where a file has no ids, or is a pipe.
#pragma once

#include <memory>
#include <vector>

#include "omvc/input.hpp"
#include "omvc/source.hpp"

#include "source/view_reader.hpp"

namespace omvc {

// Chunk::rows counts from 0. Throws ErrorKind::data if an id occurs twice in a file, or if files without ids are known
// to differ in length; where that shows only at the end of a file, next() throws it. The truth is that of the files'
// labels, if they agree and tell the class of every instance.
// `allow_disjoint`: InputOptions::allow_disjoint. The notes say which views hardly share an id with the others.
Input make_joined_input(std::vector<std::unique_ptr<ViewReader>> readers, bool allow_disjoint = false);

inline std::unique_ptr<Source> make_joined_source(std::vector<std::unique_ptr<ViewReader>> readers) {
  return make_joined_input(std::move(readers)).source;
}

}  // namespace omvc
