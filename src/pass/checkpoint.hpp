// Checkpoints of a fit: the complete state at a chunk boundary, so that a run that is killed at any moment and resumed
// ends with the same bits as one that was not.
//
// A checkpoint is one archive (file/archive.hpp specifies its bytes: magic, version, entries, CRC-32) and a folder of
// row stores beside it, FILE.rows (file/row_store.hpp specifies theirs). The archive is replaced atomically; the row
// stores keep the generation that the archive refers to while the next one is written. The entries:
//
//     checkpoint/version      int64     3
//     checkpoint/identity     int64     that of the run, which its rows carry too (file/row_store.hpp)
//     checkpoint/position     int64[5]  pass, labelling, chunks done, their instances and rounds
//     checkpoint/fingerprint  int64[4]  of this pass so far, of all the data; the same of the order of the instances
//     checkpoint/times        f64[3]    seconds of the run, of this pass, waited in this pass
//     checkpoint/loss         f64       of this pass so far
//     checkpoint/curve        f64[]     LossCurve::state of this pass
//     checkpoint/counts       int64[5]  StreamCounts: instances, observed; Report: instances, unobserved, chunk
//     checkpoint/squares      f64[]     StreamCounts::squares
//     checkpoint/present      int64[]   StreamCounts::present
//     checkpoint/missing      int64[]   StreamCounts::missing
//     checkpoint/reports      f64[n,7]  passes done: pass, instances, loss, error, seconds, waited, rounds
//     checkpoint/curveN       f64[]     loss curve of the N-th of them
//     checkpoint/chunks       int64[n]  chunks of each of them
//     checkpoint/products     int64[]   ProductCount of this pass so far: columns, times, transpose_times, and so on
//     checkpoint/productsN    int64[]   the same of the N-th of the passes done
//     checkpoint/profile      f64[]     FitState::step_seconds
//     option/..., schema/..., viewN/scaling/...      as in a model
//     what the fit itself saves    run/fit.hpp, compare/fit.hpp
//
// A pass must not begin before the last one is in a checkpoint: see RowStore.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "omvc/checkpointing.hpp"

#include "file/row_store.hpp"
#include "pass/loss_curve.hpp"
#include "pass/pass.hpp"
#include "pass/setting.hpp"

namespace omvc {

// Where a fit stands.
struct FitPosition {
  int pass = 1;
  bool labelling = false;  // all passes are done, and instances are being labelled once more
  Progress progress;       // of this pass
  PassReport report;       // of this pass so far
  LossCurve curve;
  double seconds = 0;  // of the run so far
};

// What has been counted of the stream in the first pass, up to and including the chunk that is being learned.
struct StreamCounts {
  std::vector<Index> present;   // instances of each view
  Index instances = 0;          // one more than the largest row number
  Index observed = 0;           // instances with some view
  std::vector<double> squares;  // ||X||^2 of each view
  std::vector<Index> missing;   // of each view: cells that are missing in rows that are present
};

// What a fit knows at a chunk boundary, beside its setting, method and row stores.
struct FitState {
  FitPosition position;
  Report report;  // of the passes done
  StreamCounts counts;
  std::uint64_t fingerprint = 0;     // of all the data, where they can be read again
  std::uint64_t order = 0;           // of their instances
  std::vector<double> step_seconds;  // Profile::seconds of the run so far
};

void put_fit_state(Archive& archive, const Setting& setting, const FitState& state);

// Throws ErrorKind::usage if the setting has other options, ErrorKind::data if it has another schema or the archive is
// no checkpoint. The setting takes the scaling of the archive.
void get_fit_state(const Archive& archive, Setting& setting, FitState& state);

// Throws ErrorKind::data unless a pass has found the data that the first look saw.
void check_same_data(const FitState& state, const Progress& found);

// When to write the next checkpoint.
class CheckpointClock {
 public:
  explicit CheckpointClock(const Checkpointing& wanted) : wanted_(wanted) {}

  // Whether one is due, asked after every chunk.
  bool due();
  // One was written, and that took this long. Writing never takes more than a twentieth of the time.
  void written(double seconds);

 private:
  using Time = std::chrono::steady_clock::time_point;

  Checkpointing wanted_;
  Index chunks_ = 0;
  Time last_ = std::chrono::steady_clock::now();
  double least_ = 0;  // seconds until the next one, at least, unless chunks are counted
};

// Takes the folder of rows, FILE.rows, for this run, and gives the checkpoint to go on from, where one is wanted and
// there is one. Throws ErrorKind::usage if another run has the folder, if the folder does not belong to a checkpoint,
// or if the file exists but is no checkpoint, so that a run must not replace it; ErrorKind::data if file and folder do
// not belong together.
std::optional<Archive> open_checkpoint(const Checkpointing& wanted, RowFolder& rows);

// Removes what an older run left.
void start_checkpoint(const Checkpointing& wanted, RowFolder& rows);

void put_identity(Archive& archive, const RowFolder& rows);

// The place of a row store in an archive.
void put_position(Archive& archive, const std::string& key, const RowStore& store);
void restore_position(const Archive& archive, const std::string& key, RowStore& store);

}  // namespace omvc
