// Learns a stream chunk by chunk and labels new instances, some of which lack a view. The stream is made up, or that of
// the file which is named.
#include <exception>
#include <iostream>
#include <omvc/clusterer.hpp>
#include <omvc/input.hpp>
#include <omvc/planted.hpp>
#include <omvc/trial.hpp>

namespace {

void learn_and_label(omvc::Source& stream) {
  omvc::Options options;
  options.clusters = 4;
  omvc::Clusterer model(options);
  for (int i = 0; i < 6; ++i) model.partial_fit(stream.next(300).value());

  const omvc::Chunk fresh = stream.next(10).value();
  const omvc::Assignment found = model.assign(fresh);
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    std::cout << "instance " << fresh.rows[i] << " -> cluster " << found.labels[i] << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  // HDF5 files are tried before they are opened, by this program started again.
  if (const auto code = omvc::answer_trial(argc, argv)) return *code;
  try {
    // Any Source will do; this one makes its data up: two views, 30 % of the instances missing from each.
    const auto stream =
        argc > 1 ? omvc::open_input({argv[1]}).source
                 : omvc::make_planted_source({.instances = 2000, .features = {40, 60}, .clusters = 4, .missing = 0.3});
    learn_and_label(*stream);
  } catch (const std::exception& error) {
    std::cerr << "consumer: " << error.what() << '\n';
    return 1;
  }
}
