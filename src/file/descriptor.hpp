// Reading and writing whole ranges through a file descriptor: short transfers and interruptions by signals are finished
// here. Each function returns false with errno set on failure; reading past the end fails with errno 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omvc {

bool write_fully(int descriptor, const void* data, std::size_t size);
bool write_fully_at(int descriptor, const void* data, std::size_t size, std::int64_t offset);
bool read_fully_at(int descriptor, void* data, std::size_t size, std::int64_t offset);

// Appends what one descriptor holds, from its start on, to another.
bool copy_all(int from, int to);

// Differs from call to call and from process to process.
std::uint64_t random_number();

// A file in TMPDIR or /tmp for reading and writing. It has no name, so nothing is left behind however the process ends.
// Returns its descriptor, or -1 with errno set.
int open_unnamed_file();

}  // namespace omvc
