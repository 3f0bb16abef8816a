// A first look at data, or at a part of them: what the scaling and the prototypes of a model are made from. Looks at
// parts merge into the look at the whole, to the bit, wherever the parts begin and end and in whatever order they are
// merged.
#pragma once

#include <cstdint>
#include <span>

#include "omvc/options.hpp"

#include "fine/reservoir.hpp"
#include "scale/survey_blocks.hpp"

namespace omvc {

struct Look {
  // The look at a part that begins at the place `first` in the stream.
  Look(const Options& options, const Schema& schema, Index first = 0);

  // The next instances, chunk after chunk, with the fingerprint of all of them.
  void add(std::span<const Chunk* const> chunks, std::uint64_t fingerprint, Compute& compute);
  void merge(const Look& other, Compute& compute);
  // After the last instance: brings the sample into the form that depends on nothing but the rows seen.
  void settle(Compute& compute) { sample.settle(compute); }

  void save(Archive& archive) const;
  static Look load(const Archive& archive, const Options& options, const Schema& schema);

  SurveyBlocks survey;
  Reservoir sample;
  Index first = 0;  // place of the first instance
  Index instances = 0;
  std::uint64_t fingerprint = 0;  // of all entries
  std::uint64_t order = 0;        // of the row numbers, by place
};

ReservoirOptions reservoir_options(const Options& options);
// Whether some view is scaled by the total of its entries.
bool wants_totals(const Options& options);

}  // namespace omvc
