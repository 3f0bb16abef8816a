// A look at a MAT 5 file before matio reads it. matio trusts its input: it takes a truncated or damaged file without
// complaint, delivers zeros for what is not there, and takes memory for whatever sizes a file announces.
#pragma once

#include <string>

namespace omvc {

// Throws ErrorKind::data unless the file is of version 7.3, which passes unseen, or a sound MAT 5 file: a sequence of
// whole variables, what is compressed unpacks with the right checksum, and every variable and every cell and field in
// it has the parts of its class, in order and exactly as long as its dimensions say.
void check_mat_file(const std::string& path);

}  // namespace omvc
