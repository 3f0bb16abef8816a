#include "pass/first_look.hpp"

#include <algorithm>
#include <optional>

#include "omvc/error.hpp"

namespace omvc {
namespace {

constexpr Index kRows = 256;  // instances read at a time

}  // namespace

// Reading is a third of the work. Where many threads share the rest and wait for each other, there are no more of them
// than are left: one that has to give way to a reader would keep all others waiting.
Progress look_at(
    Source& source, DataPart part, Observer& observer, Compute& compute,
    const std::function<void(std::span<const Chunk* const>, std::uint64_t fingerprint, Compute& compute)>& use) {
  constexpr int kMany = 8;
  const Schema schema = source.schema();
  const int readers = compute.executor() ? 0 : std::clamp(compute.threads() / 3, 1, kMostReaders);
  std::optional<Compute> left;
  if (readers > 0 && compute.threads() >= kMany) left.emplace(compute.threads() - readers);
  const double all = static_cast<double>(source.size().value_or(0));
  compute.tell(Phase::reading, 0);
  Pass pass(source, schema,
            {.rows = kRows,
             .ahead = {.readers = readers, .grow = true},
             .together = true,
             .first = part.first,
             .whole = part.whole});
  pass.each([&](std::vector<StreamedChunk>& items) {
    std::vector<const Chunk*> chunks;
    std::uint64_t fingerprint = 0;
    for (const StreamedChunk& item : items) {
      chunks.push_back(&item.chunk);
      fingerprint += item.fingerprint;
    }
    use(chunks, fingerprint, left ? *left : compute);
    const auto done = static_cast<double>(pass.progress().instances);
    compute.tell(Phase::reading, all > 0 ? std::min(1.0, done / all) : 0);
    if (observer.on_survey(pass.progress().instances) && !compute.asked_to_stop()) return true;
    throw Error(ErrorKind::interrupted, "interrupted while the data were read for the first time; nothing was learned");
  });
  compute.tell(Phase::reading, 1);
  return pass.progress();
}

}  // namespace omvc
