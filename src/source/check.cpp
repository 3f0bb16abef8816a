#include <fmt/format.h>
#include <vector>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "chunk/fingerprint.hpp"

namespace omvc {
namespace {

[[noreturn]] void not_sound(const std::string& what) {
  throw Error(ErrorKind::data, "the source is not sound: " + what);
}

struct Reading {
  Index instances = 0;
  std::uint64_t fingerprint = 0;
  std::uint64_t order = 0;
};

Reading read(Source& source, const Schema& schema, Index rows_at_once) {
  Reading out;
  std::vector<bool> seen;
  while (const std::optional<Chunk> chunk = source.next(rows_at_once)) {
    check_chunk(*chunk, schema);
    if (chunk->size() > rows_at_once) {
      not_sound(fmt::format("it delivered {} instances where at most {} were asked for", chunk->size(), rows_at_once));
    }
    for (const Index row : chunk->rows) {
      if (row < 0) not_sound(fmt::format("an instance has the number {}: they begin with 0", row));
      if (static_cast<std::size_t>(row) >= seen.size()) seen.resize(static_cast<std::size_t>(row) + 1);
      if (seen[static_cast<std::size_t>(row)]) {
        not_sound(
            fmt::format("the number {} comes twice, the second time at instance {}: number instances through over all "
                        "chunks",
                        row, out.instances));
      }
      seen[static_cast<std::size_t>(row)] = true;
    }
    out.order += order_hash(out.instances, *chunk);
    out.fingerprint += fingerprint(*chunk);
    out.instances += chunk->size();
  }
  if (static_cast<Index>(seen.size()) != out.instances) {
    not_sound(fmt::format("it delivered {} instances, and the highest number is {}: leave no number out", out.instances,
                          static_cast<Index>(seen.size()) - 1));
  }
  return out;
}

}  // namespace

Index check_source(Source& source) {
  constexpr Index kLarge = 256;
  constexpr Index kSmall = 7;
  const Schema schema = source.schema();
  const Reading first = read(source, schema, kLarge);
  if (const std::optional<Index> size = source.size(); size && *size != first.instances) {
    not_sound(fmt::format("size() is {}, and it delivered {} instances", *size, first.instances));
  }
  if (const std::size_t ids = source.ids(0, first.instances).size();
      ids != 0 && static_cast<Index>(ids) != first.instances) {
    not_sound(fmt::format("it has {} ids for {} instances", ids, first.instances));
  }
  if (!source.rewind()) return first.instances;
  const Reading second = read(source, schema, kSmall);
  if (second.instances != first.instances || second.fingerprint != first.fingerprint || second.order != first.order) {
    not_sound("read again, in smaller chunks, it delivers other data, or the same in another order");
  }
  source.rewind();
  return first.instances;
}

}  // namespace omvc
