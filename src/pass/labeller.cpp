#include "pass/labeller.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "pass/pass.hpp"

namespace omvc {

Index label_source(const Labeller& labeller, Source& source, Sink& sink, Observer& observer, Index rows,
                   Compute& compute) {
  Pass pass(source, labeller.schema(), {.rows = rows, .ahead = {.readers = compute.executor() ? 0 : 1}});
  const double all = static_cast<double>(source.size().value_or(0));
  compute.tell(Phase::labelling, 0);
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
    compute.tell(Phase::labelling, all > 0 ? std::min(1.0, static_cast<double>(done) / all) : 0);
    if (!compute.asked_to_stop() &&
        observer.on_chunk({.pass = 1, .chunk = pass.progress().chunks, .instances = done, .labelling = true})) {
      return true;
    }
    throw Error(ErrorKind::interrupted, fmt::format("interrupted after {} instances; no output was written", done));
  });
  sink.finish();
  compute.tell(Phase::labelling, 1);
  return done;
}

}  // namespace omvc
