// Clustering incomplete multi-view data as a stream.
//
//     omvc::Options options;
//     options.clusters = 10;
//     omvc::Clusterer model(options);
//     omvc::Report report = model.fit(source, sink);       // passes over a Source
//     omvc::Assignment found = model.assign(chunk);        // new instances, any views missing
//     model.save("digits.omvc");
//
// The model is a basis U_v of every view and a set of cluster centres in the latent space they share. Memory is
// O(chunk + sum of d_v r) whatever the number of instances; embedding rows wait in a temporary file for k-means.
//
// A Clusterer is used by one thread at a time. Same options and data, same bits: for any number of threads, any machine
// with the same build that fuses multiply-adds (AVX2 or later, Arm), through the command or the library.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"
#include "omvc/sink.hpp"
#include "omvc/source.hpp"

namespace omvc {

struct Assignment {
  std::vector<int> labels;        // of each instance; -1 without any view
  std::vector<double> embedding;  // instances x rank, row-major; NaN without any view
};

struct Feature {
  Index number = 0;   // 0-based
  std::string name;   // or its number as text where the view has no names
  double weight = 0;  // the feature in the cluster's profile
  double lift = 0;    // the weight relative to the mean over clusters
};

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
void remove_checkpoint(const std::string& file);

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
std::optional<CheckpointSummary> read_checkpoint(const std::string& file);

enum class ModelKind { whole, prediction };

class Clusterer {
 public:
  // Throws ErrorKind::usage if the options cannot work.
  explicit Clusterer(Options options);
  ~Clusterer();
  Clusterer(Clusterer&&) noexcept;
  Clusterer& operator=(Clusterer&&) noexcept;

  // Learns from the source in options.passes passes, then hands labels and embedding of all instances to the sink.
  // A source that can be read again is read once more before the first pass ("survey"), for the scaling and to find bad
  // data early. Forgets what was learned before. A failed fit leaves the model as it was.
  //
  // With checkpointing, a stop by the observer throws ErrorKind::interrupted once the checkpoint is written. Resuming
  // asks for the same options (threads aside) and the same data, and refuses others with ErrorKind::usage or
  // ErrorKind::data.
  Report fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing = {});
  Report fit(Source& source, Sink& sink);

  // Learns one more chunk of new instances; Chunk::rows tells them apart, so number on from those already learned. The
  // first one decides the schema and, since nothing else is known then, the scaling: the totals of a view are those of
  // the first chunk in which it is present.
  ChunkReport partial_fit(Chunk chunk);

  // Embeds and labels instances with the model as it is. After partial_fit the centres are computed here, from a
  // bounded sample of the embedding rows seen.
  // Throws ErrorKind::data if the model does not fit the chunk or has learned fewer instances than clusters.
  Assignment assign(Chunk chunk);

  // The same for a whole source, from where it stands, read ahead while it is labelled. Results go to the sink in the
  // order of the stream, numbered from 0. Returns the number of instances. The observer may stop it after any chunk,
  // which throws ErrorKind::interrupted.
  Index assign(Source& source, Sink& sink, Observer& observer);

  // The whole state, or what assigning needs. A model saved whole and loaded assigns and goes on learning exactly as
  // the saved one would have; one saved for prediction is smaller and only assigns.
  void save(const std::string& path, ModelKind kind = ModelKind::whole) const;
  static Clusterer load(const std::string& path);

  const Options& options() const;
  const Schema& schema() const;
  Index instances() const;  // learned from
  int rank() const;
  std::span<const double> basis(std::size_t view) const;  // U_v, features x rank, row-major
  std::span<const double> centres();                      // clusters x rank, row-major
  std::vector<ViewReport> views() const;                  // observed counts and scaling

  // The features that tell a cluster from the others in a view, at most `count` of them, the most telling first: those
  // that weigh much in it and more than in the mean over clusters.
  std::vector<Feature> top_features(std::size_t view, int cluster, int count);

 private:
  struct Impl;
  explicit Clusterer(std::unique_ptr<Impl> impl);
  static std::unique_ptr<Impl> restore(const std::string& path);
  std::unique_ptr<Impl> impl_;
};

}  // namespace omvc
