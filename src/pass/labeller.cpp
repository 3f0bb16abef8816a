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
    const Assignment found = labeller.label(std::move(items.front().chunk), sink.wants_embedding(), compute);
    const auto count = static_cast<Index>(found.labels.size());
    const Index width = found.embedding.empty() ? 0 : labeller.rank();
    sink.write({done, found.labels, {found.embedding.data(), count, width}, found.confidence, found.distance});
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
