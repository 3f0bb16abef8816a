// Learns a stream chunk by chunk and labels new instances, some of which lack a view.
#include <iostream>
#include <omvc/clusterer.hpp>
#include <omvc/planted.hpp>

int main() {
  // Any Source will do; this one makes its data up: two views, 30 % of the instances missing from each.
  const auto stream =
      omvc::make_planted_source({.instances = 2000, .features = {40, 60}, .clusters = 4, .missing = 0.3});

  omvc::Options options;
  options.clusters = 4;
  omvc::Clusterer model(options);
  for (int i = 0; i < 6; ++i) model.partial_fit(*stream->next(300));

  const omvc::Chunk fresh = *stream->next(10);
  const omvc::Assignment found = model.assign(fresh);
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    std::cout << "instance " << fresh.rows[i] << " -> cluster " << found.labels[i] << '\n';
  }
}
