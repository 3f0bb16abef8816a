// One source from several views in files of their own: row i of every file is the same instance.
#pragma once

#include <memory>
#include <vector>

#include "omvc/source.hpp"

#include "source/view_reader.hpp"

namespace omvc {

// Chunk::rows counts from 0. Throws ErrorKind::data if the files are known to differ in length; where that shows only
// at the end of a file, next() throws it.
std::unique_ptr<Source> make_joined_source(std::vector<std::unique_ptr<ViewReader>> readers);

}  // namespace omvc
