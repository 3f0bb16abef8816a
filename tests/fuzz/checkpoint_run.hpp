// The run whose checkpoints are fuzzed: seeds.cpp stops it at several moments, checkpoint.cpp resumes it.
#pragma once

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/planted.hpp"
#include "omvc/sink.hpp"

namespace omvc::fuzz {

class StopAfter final : public Observer {
 public:
  explicit StopAfter(int chunks) : left_(chunks) {}
  bool on_chunk(const ChunkReport&) override { return --left_ > 0; }

 private:
  int left_;
};

// Fits three chunks in each of two passes, or until `chunks` of them are done. Throws what fit throws, except that it
// was stopped.
inline void run_checkpointed(const std::string& file, bool resume, int chunks) {
  Options options;
  options.clusters = 2;
  options.rank = 2;
  options.chunk = 14;
  options.passes = 2;
  options.memory = 0.001;  // fewer than all rows
  options.threads = 1;
  const auto source = make_planted_source({.instances = 40, .features = {3, 4}, .clusters = 2, .missing = 0.3});
  const auto nowhere = make_sink_list({});
  StopAfter observer(chunks);
  Clusterer model(options);
  try {
    model.fit(*source, *nowhere,
              {.observer = &observer, .checkpointing = {.file = file, .resume = resume, .seconds = 0, .chunks = 1}});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
  }
}

}  // namespace omvc::fuzz
