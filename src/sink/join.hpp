// A file of results that the processes of one fit write together: the bytes of the rows of each, in the order of the
// ranks. The first process has the file; the others keep their bytes in a temporary one until their place is known, and
// then write them there themselves. Where the folder of the file is not theirs to see, the first one gets their bytes
// and writes them.
#pragma once

#include <cstdint>

#include "omvc/exchange.hpp"

#include "file/atomic_file.hpp"

namespace omvc {

// Called by all processes, each with what it has written. Returns, in the first one, the size of the whole. Where one
// of them fails it throws when all have done what they can, so that nobody waits for it.
std::uint64_t join_parts(AtomicFile& mine, Exchange& exchange);

}  // namespace omvc
