// A look at a file of unknown origin by a process that may die of it.
//
// libhdf5 1.10 trusts what it reads: damaged files are known to make it crash, loop, or ask for all memory, and nothing
// a caller checks beforehand prevents that. So another program, omvc-probe, opens the file first, visits every object,
// and reads attributes and pieces of each dataset, under limits of time and memory. If it does not come back with a
// good report, the file is refused, and this process never opens it. What is small is read whole there; of large
// datasets the beginning, the end and places between are read, so that the probe takes milliseconds whatever the file's
// size.
//
// The program is spawned rather than forked, because the process may have threads that are not ours. It is looked for
// at OMVC_PROBE (an environment variable), beside the running program, in the folder above it, in ../libexec/omvc, and
// where it was installed.
#pragma once

#include <string>

namespace omvc::h5 {

// What omvc-probe answers.
constexpr char kSurvived = 's';
constexpr char kOutOfMemory = 'm';
constexpr char kRefused = 'r';  // by the library, in an orderly way

// Throws ErrorKind::data if the file does not survive it, ErrorKind::io if it cannot be tried.
void probe(const std::string& path);

}  // namespace omvc::h5
