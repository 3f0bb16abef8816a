// HDF5 files are tried by another process before they are opened.
//
// libhdf5 trusts what it reads, and a damaged file can end the process that opens it. So whatever opens an HDF5 file
// (open_input for .h5mu, .h5ad and MAT 7.3, and sinks that add to one) first starts a process that reads it under
// limits of time and memory, and refuses the file if that process does not come back with a good report. It takes
// milliseconds.
//
// The process is the running program itself, started again. A program has to lend itself to that with one line:
//
//     int main(int argc, char** argv) {
//       if (const auto code = omvc::answer_trial(argc, argv)) return *code;
//       ...
//
// A program that does not, and says nothing else below, needs the command `omvc` on its PATH. Where that is absent,
// too, HDF5 files are refused with ErrorKind::io.
//
// These functions may be called by any thread. They do nothing in a library that was built without HDF5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "omvc/export.hpp"

namespace omvc {

// To be called first in main, before the program prints or starts anything. In a process that was started for a trial
// it tries the file and returns the exit code with which main has to return at once; the limits hold for the whole
// process. In any other process it returns nothing, and trials start this program again from now on.
OMVC_API std::optional<int> answer_trial(int argc, const char* const* argv);

// For those whose main is not theirs, such as a plugin or a module of an interpreter: trials start this program with
// these arguments and then three more, and it hands four words to answer_trial: a name, and the last three. The first
// of `words` is a path. No words: nothing is known any more, and `omvc` is looked for on the PATH.
OMVC_API void set_trial_command(std::vector<std::string> words);

// Whether HDF5 files are opened as they are: no process is started, and a damaged file may crash or hang this one. For
// files that this program has written itself, or where no process may be started. Off unless it is asked for.
OMVC_API void trust_hdf5_files(bool trust = true);

}  // namespace omvc
