#include "pass/labeller.hpp"

#include <fmt/format.h>

#include "omvc/error.hpp"

#include "pass/pass.hpp"

namespace omvc {

Index label_source(const Labeller& labeller, Source& source, Sink& sink, Observer& observer, Index rows,
                   Compute& compute) {
  Pass pass(source, labeller.schema(), {.rows = rows});
  Index done = 0;
  pass.each([&](std::vector<StreamedChunk>& items) {
    const Extras extras{.embedding = sink.wants_embedding(), .membership = sink.wants_membership()};
    const Assignment found = labeller.label(std::move(items.front().chunk), extras, compute);
    const auto count = static_cast<Index>(found.labels.size());
    const Index width = found.embedding.empty() ? 0 : labeller.rank();
    sink.write({done,
                found.labels,
                {found.embedding.data(), count, width},
                found.confidence,
                found.distance,
                {found.membership.data(), count, std::ssize(found.clusters)},
                found.clusters});
    done += count;
    if (observer.on_chunk({.pass = 1, .chunk = pass.progress().chunks, .instances = done, .labelling = true})) {
      return true;
    }
    throw Error(ErrorKind::interrupted, fmt::format("interrupted after {} instances; no output was written", done));
  });
  sink.finish();
  return done;
}

}  // namespace omvc
