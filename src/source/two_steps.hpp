// For sources that divide their work (Source::begin_next): next() as both steps, one after the other.
#pragma once

#include <optional>

#include "omvc/source.hpp"

namespace omvc {

inline std::optional<Chunk> read_at_once(Source& source, Index max_rows) {
  const Source::Delivery delivery = source.begin_next(max_rows);
  if (delivery.rows == 0) return std::nullopt;
  return delivery.read();
}

// The same delivery, whose chunk is changed on the thread that reads it.
template <class F>
Source::Delivery then(Source::Delivery delivery, F change) {
  if (delivery.rows == 0) return delivery;
  return {delivery.rows, [read = std::move(delivery.read), change = std::move(change)] { return change(read()); }};
}

}  // namespace omvc
