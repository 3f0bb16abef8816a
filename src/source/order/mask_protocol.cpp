#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "omvc/error.hpp"
#include "omvc/mask.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

std::uint64_t number(Index n) { return static_cast<std::uint64_t>(n); }

void check(MaskProtocol protocol, Index rows, Index views, double rate) {
  if (rows < 0) throw Error(ErrorKind::usage, fmt::format("mask: rows is {}, but cannot be negative", rows));
  if (views < 2) {
    throw Error(ErrorKind::usage,
                fmt::format("mask: views is {}, but a mask needs at least 2: an instance has to keep one", views));
  }
  if (!(rate >= 0 && rate < 1)) {
    throw Error(ErrorKind::usage, fmt::format("mask: rate is {}, but must be at least 0 and less than 1", rate));
  }
  const auto most = static_cast<double>(views - 1);
  if (protocol == MaskProtocol::cyclic && rate * static_cast<double>(views) > most) {
    throw Error(ErrorKind::usage, fmt::format("mask: at a rate of {} the cyclic protocol takes all {} views from some "
                                              "instance: the rate may be at most {:.6g}",
                                              rate, views, most / static_cast<double>(views)));
  }
}

Index share_of(Index rows, double rate) { return static_cast<Index>(std::llround(rate * static_cast<double>(rows))); }

std::vector<Index> permutation(Index rows, const Random& random) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
  return order;
}

std::vector<bool> independent_mask(Index rows, Index views, double rate, std::uint64_t seed) {
  std::vector<bool> present(static_cast<std::size_t>(rows * views), true);
  const Random rescue(seed, Purpose::mask, static_cast<std::uint32_t>(views));
  for (Index row = 0; row < rows; ++row) {
    const auto first = present.begin() + row * views;
    for (Index view = 0; view < views; ++view) {
      first[view] = Random(seed, Purpose::mask, static_cast<std::uint32_t>(view)).uniform(number(row)) >= rate;
    }
    if (std::find(first, first + views, true) == first + views) {
      first[static_cast<Index>(rescue.below(number(views), number(row)))] = true;
    }
  }
  return present;
}

std::vector<bool> cyclic_mask(Index rows, Index views, double rate, std::uint64_t seed) {
  std::vector<bool> present(static_cast<std::size_t>(rows * views), true);
  const std::vector<Index> order = permutation(rows, Random(seed, Purpose::mask));
  // The slices go round the permutation length * views / rows times. Rounding up may not make that views times.
  const Index length = std::min(share_of(rows, rate), rows * (views - 1) / views);
  Index place = 0;
  for (Index view = 0; view < views; ++view) {
    for (Index i = 0; i < length; ++i) {
      present[static_cast<std::size_t>(order[static_cast<std::size_t>(place)] * views + view)] = false;
      if (++place == rows) place = 0;
    }
  }
  return present;
}

std::vector<bool> partial_mask(Index rows, Index views, double rate, std::uint64_t seed) {
  std::vector<bool> present(static_cast<std::size_t>(rows * views), true);
  const std::vector<Index> order = permutation(rows, Random(seed, Purpose::mask, 0));
  const Random random(seed, Purpose::mask, 1);
  const Index affected = share_of(rows, rate);
  std::vector<Index> shuffled(static_cast<std::size_t>(views));
  for (Index i = 0; i < affected; ++i) {
    const Index row = order[static_cast<std::size_t>(i)];
    const std::uint64_t base = number(row) * number(views);
    const Index lost = 1 + static_cast<Index>(random.below(number(views - 1), base));
    std::iota(shuffled.begin(), shuffled.end(), Index{0});
    for (Index k = 0; k < lost; ++k) {
      const std::uint64_t other = number(k) + random.below(number(views - k), base + 1 + number(k));
      std::swap(shuffled[number(k)], shuffled[other]);
      present[static_cast<std::size_t>(row * views + shuffled[number(k)])] = false;
    }
  }
  return present;
}

}  // namespace

std::vector<bool> make_mask(MaskProtocol protocol, Index rows, Index views, double rate, std::uint64_t seed) {
  check(protocol, rows, views, rate);
  switch (protocol) {
    case MaskProtocol::independent:
      return independent_mask(rows, views, rate, seed);
    case MaskProtocol::cyclic:
      return cyclic_mask(rows, views, rate, seed);
    case MaskProtocol::partial:
      return partial_mask(rows, views, rate, seed);
  }
  throw Error(ErrorKind::usage, fmt::format("mask: protocol {} does not exist", static_cast<int>(protocol)));
}

std::vector<Index> random_order(Index rows, std::uint64_t seed) {
  return permutation(rows, Random(seed, Purpose::shuffle));
}

}  // namespace omvc
