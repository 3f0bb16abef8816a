// Has a file of unknown origin tried by another process before this one opens it.
//
// libhdf5 1.10 trusts what it reads: damaged files are known to make it crash, loop, or ask for all memory, and nothing
// a caller checks beforehand prevents that. So a process reads the file first (trial.hpp), under limits of time and
// memory. If it does not come back with a good report, the file is refused, and this process never opens it.
//
// The process is this program once more, or what omvc/trial.hpp was told to start. It is spawned rather than forked,
// because this one may have threads that are not ours.
#pragma once

#include <string>

namespace omvc::h5 {

// Throws ErrorKind::data if the file does not survive it, ErrorKind::io if it cannot be tried. Does nothing where files
// are trusted (omvc/trial.hpp).
void try_in_other_process(const std::string& path);

}  // namespace omvc::h5
