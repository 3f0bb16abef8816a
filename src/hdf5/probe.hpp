// A look at a file of unknown origin by a process that may die of it.
//
// libhdf5 1.10 trusts what it reads: damaged files are known to make it crash, loop, or ask for all memory, and nothing
// a caller checks beforehand prevents that. So a forked child opens the file first, visits every object, and reads
// attributes and pieces of each dataset, under limits of time and memory. If the child does not come back with a good
// report, the file is refused, and this process never opens it. What is small is read whole there; of large datasets
// the beginning, the end and places between are read, so that the probe takes milliseconds whatever the file's size.
#pragma once

#include <string>

namespace omvc::h5 {

// Throws ErrorKind::data if the file does not survive it.
void probe(const std::string& path);

}  // namespace omvc::h5
