// A model that labels rows at once and learns them beside that, for as long as rows come.
//
//     omvc::Stream stream({.file = "pages.omvc", .model = options});
//     stream.widen(schema);                                        // names of views and features, where there are any
//     omvc::StreamLabels found = stream.push(chunk);               // labels by the newest clusters
//     stream.tick();                                               // now and then, also where no rows come
//     for (const omvc::StreamEvent& event : stream.events()) ...   // born, split, merged, gone, saved
//     stream.finish();                                             // all is learned and saved
//
// Rows are labelled by the thread that brings them, with the prototypes and clusters that the last learned chunk left;
// they are learned in chunks by a thread of its own. So a label never waits for learning, not even while prototypes are
// made again, unless rows come faster than they can be learned for so long that more of them wait than Options::memory
// allows. In step (StreamOptions::in_step) everything is done by the calling thread, and labels and model depend on the
// rows alone: same rows, same bits.
//
// The file is replaced atomically. However the process ends, the next Stream with this file goes on from the last save,
// and resumed_after() says from which row on. No other process can open the file for learning meanwhile.
//
// A Stream is for one thread at a time, all of its functions; a second one that comes meanwhile is refused with
// ErrorKind::usage. Its hooks may be called by the thread that learns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"
#include "omvc/hooks.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"

namespace omvc {

struct StreamOptions {
  std::string file;          // the model: goes on from it where it is there, and saves it
  Options model;             // of a model that starts from nothing; from one that is there only `threads` are taken
  Index rows = 500;          // learned at a time,
  double seconds = 1;        // or fewer after so long
  double save_seconds = 30;  // between two saves, where something was learned
  bool learn = true;         // otherwise rows are labelled only, and nothing is saved
  bool in_step = false;      // see above; `seconds` count for nothing then
  bool membership = false;   // the chance of every cluster is told, too
  // Called from any thread, also two at the same time. Once `stopping` says true, prototypes are not made again before
  // the next start, so that finish() takes no longer than learning and saving the rows do; nothing else ends.
  Hooks hooks = {};
};

inline constexpr int kNotYet = -2;  // the label of a row that comes before there are clusters

struct StreamLabels {
  std::vector<int> labels;         // cluster number of each row; -1 without any view; kNotYet
  std::vector<double> confidence;  // chance that a model of other rows agrees; NaN: not known
  std::vector<double> distance;    // from the nearest prototype, relative to what is usual there; likewise
  // Where StreamOptions::membership asks for it: of each row, clusters by number and the chance of each
  // (Assignment::membership); none where they are not known.
  std::vector<std::vector<std::pair<int, double>>> membership;
  std::vector<std::pair<Index, std::string>> refused;  // rows that the model cannot take (label -1), and why
};

struct StreamEvent {
  // strange: a row lies so far outside of what a view has shown that it is not learned until many agree with it;
  // accepted: they do. not_rebuilt: prototypes could not be made again, and those that there were stay. warning: what
  // was found in the columns of a view when prototypes were made, and was not told before.
  enum class Kind { cluster, saved, not_saved, strange, accepted, not_rebuilt, warning };
  Kind kind = Kind::cluster;
  ClusterEvent cluster = {};
  std::string text = {};  // saved: the id of the last row that the file knows; not_saved, not_rebuilt: why; strange:
                          // id; warning: what was found
  Index instances = 0;    // saved: that the file knows; accepted: learned now
  std::string view = {};  // strange: where,
  double widths = 0;      // and how many widths of the range of its features beyond that range, in the mean
};

// Rows that were labelled and learned, and whose labels nobody has read.
struct UndeliveredRows {
  std::string from;  // the id of the first, as JSON
  Index rows = 0;
};

// Keeps other processes from learning a model file meanwhile. Throws ErrorKind::usage if one does already.
class OMVC_API ModelLock {
 public:
  explicit ModelLock(const std::string& file);
  ~ModelLock();
  ModelLock(ModelLock&&) noexcept;

 private:
  struct OMVC_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

class OMVC_API Stream {
 public:
  // Throws ErrorKind::usage where the options cannot work, the model does not learn, or another process learns it;
  // ErrorKind::io and ErrorKind::data for a file that is no sound model.
  explicit Stream(StreamOptions options);
  ~Stream();  // gives up what was not saved
  Stream(Stream&&) noexcept;

  // Where the file was saved by a stream: the id of the last row that it had learned.
  const std::optional<std::string>& resumed_after() const;
  // And the rows before it of which the stream that saved it could not deliver the labels.
  const std::optional<UndeliveredRows>& undelivered() const;

  const Options& options() const;    // of the model
  const Schema& schema() const;      // no views where nothing came yet
  std::vector<bool> sparse() const;  // how each view is stored
  bool has_clusters() const;         // until then the schema may grow:
  void widen(const Schema& wider);   // begins with the views and features that there are; those of sparse views grow
  Index instances() const;           // pushed and learned, with those of the model before

  // Labels the rows and takes them in for learning. `ids` are their ids, as JSON, one per row; without them rows go by
  // their numbers in the stream, from 0. Where no schema was given, the views of the first row are called view1, view2
  // and so on. Before there are clusters, push one row at a time to see its label as soon as there are: the first that
  // makes clusters possible ends the time in which the schema grows. Throws ErrorKind::data for a chunk that is not
  // well formed, and what learning threw.
  StreamLabels push(Chunk chunk, const std::vector<std::string>& ids = {});

  // Seconds until rows that wait have to be learned; nothing if none do.
  std::optional<double> due() const;
  void tick();                        // learns what is due, and saves where it is time; throws what learning threw
  bool busy() const;                  // rows are being learned, so that events may come
  std::vector<StreamEvent> events();  // since this was asked last

  void save();    // soon, with all rows pushed so far (in step: with those of whole chunks)
  void finish();  // learns and saves everything; no row can be pushed any more
  // After finish(): saves once more, so that the next stream knows of these rows.
  void note_undelivered(UndeliveredRows rows);

 private:
  struct OMVC_HIDDEN Impl;
  OMVC_HIDDEN Impl& impl() const;  // throws ErrorKind::usage where this was moved from
  std::unique_ptr<Impl> impl_;
};

}  // namespace omvc
