// A fit that takes no time and still has everything: a dense and a sparse view, missing rows, several passes, and more
// data than the sample holds.
#pragma once

#include "omvc/options.hpp"
#include "omvc/planted.hpp"

namespace omvc::test {

inline PlantedOptions small_planted() {
  return {.instances = 120, .features = {12, 60}, .density = {1, 0.1}, .clusters = 3, .missing = 0.4, .seed = 5};
}

inline Options small_options(Preset preset) {
  Options options = preset_options(preset);
  options.clusters = 3;
  options.chunk = 60;
  options.passes = 5;
  if (preset == Preset::standard) options.memory = 0.004;
  options.threads = 1;
  return options;
}

}  // namespace omvc::test
