// Rows without end: each is labelled when it comes, learned beside that, and what happens to the clusters is told. The
// model is saved from time to time; a program that is started again goes on from there.
#include <iostream>
#include <omvc/error.hpp>
#include <omvc/planted.hpp>
#include <omvc/stream.hpp>

namespace {

void tell(const omvc::StreamEvent& event) {
  switch (event.kind) {
    case omvc::StreamEvent::Kind::cluster:
      std::cout << "cluster " << event.cluster.cluster << ": " << omvc::name_of(event.cluster.kind);
      if (event.cluster.other >= 0) std::cout << " (" << event.cluster.other << ")";
      std::cout << '\n';
      break;
    case omvc::StreamEvent::Kind::saved:
      std::cout << "saved with " << event.instances << " rows, the last of them " << event.text << '\n';
      break;
    case omvc::StreamEvent::Kind::strange:
      std::cout << "row " << event.text << " is far outside of view " << event.view << '\n';
      break;
    case omvc::StreamEvent::Kind::accepted:
      std::cout << event.instances << " rows that were strange are learned now\n";
      break;
    case omvc::StreamEvent::Kind::not_saved:
    case omvc::StreamEvent::Kind::not_rebuilt:
      std::cout << "something went wrong, and the stream goes on: " << event.text << '\n';
      break;
  }
}

void follow() {
  omvc::Options options;
  options.clusters = 4;
  omvc::Stream stream({.file = "events.omvc", .model = options});
  if (stream.resumed_after()) std::cout << "going on after row " << *stream.resumed_after() << '\n';

  const std::unique_ptr<omvc::Source> rows =
      omvc::make_planted_source({.instances = 1500, .features = {10, 16}, .clusters = 4, .missing = 0.3});
  // Names of views and features; without them the views are called view1 and view2.
  if (stream.schema().views.empty()) stream.widen(rows->schema());
  long labelled = 0;
  while (std::optional<omvc::Chunk> chunk = rows->next(25)) {
    const omvc::StreamLabels found = stream.push(std::move(*chunk));
    for (const int label : found.labels) labelled += label >= 0 ? 1 : 0;
    stream.tick();  // also where no rows come: learns what has waited for long, and saves where it is time
    for (const omvc::StreamEvent& event : stream.events()) tell(event);
  }
  stream.finish();
  for (const omvc::StreamEvent& event : stream.events()) tell(event);
  std::cout << (labelled > 0 ? "rows were labelled as they came\n" : "no row was labelled\n");
}

}  // namespace

int main() {
  try {
    follow();
  } catch (const omvc::Error& error) {
    std::cerr << "events: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
