// A look at a MAT 5 file before matio reads it: matio takes a truncated or damaged file without complaint and delivers
// zeros for what is not there.
#pragma once

#include <string>

namespace omvc {

// Throws ErrorKind::data unless the file is a sequence of whole variables, what is compressed unpacks with the right
// checksum, and no variable announces more values than its bytes can hold. Files of other versions (4, 7.3) pass
// unseen.
void check_mat_file(const std::string& path);

}  // namespace omvc
