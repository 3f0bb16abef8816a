// Long fits that survive whatever ends the process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "omvc/export.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"

namespace omvc {

// Keeps a long fit safe. The complete state is written at chunk boundaries, and always at the end of a pass, to `file`
// and a folder FILE.rows beside it; each write replaces the last one atomically. However the process ends, a fit with
// `resume` goes on from there, and its model and labels have the same bits as those of a fit that was not disturbed.
struct Checkpointing {
  std::string file;     // none: no checkpoints
  bool resume = false;  // go on from the file, or from the start where there is none yet
  double seconds = 30;  // between two of them, about; 0: not by time
  Index chunks = 0;     // between two of them; 0: not by chunks
};

// Removes a checkpoint and its folder: for when the results of the run are safe.
OMVC_API void remove_checkpoint(const std::string& file);

// What a checkpoint says about its run.
struct CheckpointSummary {
  Options options;
  Schema schema;
  Index instances = 0;             // of the data
  int pass = 1;                    // the one that comes next or is under way
  bool labelling = false;          // all passes are done
  Index chunks = 0;                // of this pass, done
  Index pass_instances = 0;        // in them
  double seconds = 0;              // of the run so far
  std::vector<PassReport> passes;  // done
};

// Nothing if the file is a model. Throws ErrorKind::io or ErrorKind::data for a file that is neither.
OMVC_API std::optional<CheckpointSummary> read_checkpoint(const std::string& file);

}  // namespace omvc
