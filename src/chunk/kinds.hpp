// How a block is stored: dense or as CSR, in single or in double precision.
#pragma once

#include <string>

#include "omvc/chunk.hpp"

namespace omvc {

// Whether single precision holds the number as it is.
bool fits_single(double x);
bool fits_single(const Block& block);  // all of them

// The same numbers in single precision, where every one of them has room there; otherwise the block as it is. And in
// double precision.
Block narrowed(Block block);
Block widened(Block block);

// The same rows stored dense, or as CSR.
Block as_dense(Block block);
Block as_sparse(Block block);
bool is_sparse(const Block& block);

// Throws ErrorKind::data if the two differ in kind; `where` names the view for the message.
void check_same_kind(const Block& block, const Block& more, const std::string& where);

}  // namespace omvc
