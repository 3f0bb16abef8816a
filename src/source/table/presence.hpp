// Who is present in which view, as a matrix of 0 and 1 in a file.
#pragma once

#include <string>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

// A matrix of instances x views (views x instances where only that fits) as presence[instance * views + view].
// Throws ErrorKind::data, naming `where`, if neither side is as long as there are views or an entry is not 0 or 1.
std::vector<bool> presence_from_matrix(const DenseBlock<double>& matrix, Index views, const std::string& where);

}  // namespace omvc
