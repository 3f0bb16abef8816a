// For sources that divide their work (Source::begin_next): next() as both steps, one after the other.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "omvc/source.hpp"

#include "source/max_rows.hpp"

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

// The next of `size` instances that come in their order, of which `next` is the first that was not delivered:
// view(v, first, count) reads instances of view v on any thread.
template <class F>
Source::Delivery deliver_range(Index& next, Index size, Index max_rows, std::size_t views, F view) {
  check_max_rows(max_rows);
  const Index first = next;
  const Index count = std::min(max_rows, size - first);
  next += count;
  return {count, [first, count, views, view = std::move(view)] {
            Chunk chunk;
            chunk.rows.resize(static_cast<std::size_t>(count));
            std::iota(chunk.rows.begin(), chunk.rows.end(), first);
            for (std::size_t v = 0; v < views; ++v) chunk.views.push_back(view(v, first, count));
            return chunk;
          }};
}

}  // namespace omvc
