// The first look at data, before anything is learned, so that the scaling fits all of them and bad data are found
// before time is spent on learning.
#pragma once

#include <functional>
#include <span>

#include "omvc/report.hpp"

#include "parallel/compute.hpp"
#include "pass/pass.hpp"

namespace omvc {

// What a source holds of all the data.
struct DataPart {
  Index first = 0;    // the place of its first instance
  bool whole = true;  // all of them, so that their row numbers can be checked
};

// Reads everything from where the source stands, and calls
// use(chunks, fingerprint of these chunks, compute) for as many chunks at once as are ready. Throws
// ErrorKind::interrupted if the observer stops it.
Progress look_at(
    Source& source, DataPart part, Observer& observer, Compute& compute,
    const std::function<void(std::span<const Chunk* const>, std::uint64_t fingerprint, Compute& compute)>& use);

}  // namespace omvc
