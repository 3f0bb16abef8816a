// Clustering incomplete multi-view data as a stream.
//
//     omvc::Options options;
//     options.clusters = 10;
//     omvc::Clusterer model(options);
//     omvc::Report report = model.fit(source, sink);       // passes over a Source
//     omvc::Assignment found = model.assign(chunk);        // new instances, any views missing
//     model.save("digits.omvc");
//
// The model keeps a bounded sample of all rows seen, many fine prototypes in data space and how often instances lie
// between them; clusters are cut from these when somebody asks, for whatever number somebody asks (docs/algorithm.md).
// Memory does not grow with the number of instances.
//
// A Clusterer is changed by one thread at a time, and nobody else may use it meanwhile: readers have a snapshot() of
// it, which stays as it is. Const functions may be called from several threads at the same time, and run side by side.
// Same options and data, same bits: for any number of threads, any machine with the same build that fuses multiply-adds
// (AVX2 or later, Arm), through the command or the library. A process that was forked starts threads of its own when it
// first needs them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/assignment.hpp"
#include "omvc/borrowed.hpp"
#include "omvc/checkpointing.hpp"
#include "omvc/chunk.hpp"
#include "omvc/exchange.hpp"
#include "omvc/export.hpp"
#include "omvc/hooks.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"
#include "omvc/sink.hpp"
#include "omvc/snapshot.hpp"
#include "omvc/source.hpp"
#include "omvc/update.hpp"

namespace omvc {

class Archive;
struct StoredModel;

struct Feature {
  Index number = 0;   // 0-based
  std::string name;   // or its number as text where the view has no names
  double weight = 0;  // its mean in the cluster, in the data's own units (scaled, where the model keeps no rows)
  double lift = 0;    // the weight relative to the mean of the others; infinite where that is 0
  bool high = true;   // higher in the cluster than in the others, or lower
};

// What is to be expected of a view, instances x features, row-major, in the data's own units. NaN for an instance
// without any view.
struct Imputed {
  std::vector<double> values;
  std::vector<double> spread;  // the root of the mean square error seen where such values were hidden; 0 for a value
                               // that was observed; NaN where it is not known, as in a model saved for prediction
};

// A report, and what was found for every instance by its number.
struct Fitted {
  Report report;
  Assignment found;
};

enum class ModelKind { whole, prediction };

// What a model tells of itself.
struct ModelSummary {
  std::vector<double> cluster_sizes;    // instances of each cluster by number; empty where there are none
  std::optional<ClusterChoice> choice;  // where the number of clusters was left to the data
  std::string found_by;                 // how clusters were found, in words
  Index prototypes = 0;                 // fine prototypes; 0 where there are none
  Index set_aside = 0;                  // rows too far outside to be learned unless many agree with them
  double mean_distance = 0;             // of instances from their prototypes; 0 before there are any
  std::vector<ViewReport> views;        // observed counts and scaling
};

class OMVC_API Clusterer {
 public:
  // Throws ErrorKind::usage if the options cannot work.
  explicit Clusterer(Options options);
  ~Clusterer();
  Clusterer(Clusterer&&) noexcept;
  Clusterer& operator=(Clusterer&&) noexcept;

  // Learns from the source, then hands labels and embedding of all instances to the sink. A source that can be read
  // again is looked at first, for the scaling, a sample and to find bad data early; what does not fit in the sample is
  // read again, options.passes times. One that cannot is learned as it comes, and read no second time. Forgets what was
  // learned before. A failed fit leaves the model as it was.
  //
  // With checkpointing, a stop by the observer throws ErrorKind::interrupted once the checkpoint is written. Resuming
  // asks for the same options (threads aside) and the same data, and refuses others with ErrorKind::usage or
  // ErrorKind::data.
  Report fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing = {});
  // The same as one of several processes, all of which call it with the same options and data (docs/scaling.md). Each
  // reads its own rows; the first one gets the model, writes the checkpoint and hands all results to its sink, with the
  // same bits as if it were alone. The others get no model, and their sinks nothing. A process that fails makes all of
  // them throw what it threw. Method omvc only, and data that can be read again.
  Report fit(Source& source, Sink& sink, Observer& observer, const Checkpointing& checkpointing, Exchange& exchange);
  Report fit(Source& source, Sink& sink);
  // The same with the results in memory: of a source, or of arrays whose row i is instance i in every view.
  Fitted fit(Source& source);
  Fitted fit(std::vector<BorrowedView> views);

  // Learns one more chunk of new instances; Chunk::rows tells them apart, so number on from those already learned. The
  // first one decides the schema. A model that was fitted or loaded goes on from where it stands. Prototypes and
  // clusters are made again each time the stream has grown by half or has changed; clusters that are still there keep
  // their numbers. Method omvc only. Returns the labels of these instances; nothing before there are clusters.
  Assignment partial_fit(Chunk chunk);
  // The same, with names for the views of a model that has learned nothing yet; another one must have this schema.
  Assignment partial_fit(Chunk chunk, const Schema& schema);
  // Makes them again now, from all that was learned.
  void refresh();
  // Goes on learning from where the model stands with all instances of a source, which has the model's schema
  // (make_matched_source), then makes prototypes and clusters again. A source that fails, or an observer that stops it
  // (ErrorKind::interrupted), leaves the model between two chunks: load it again.
  UpdateReport update(Source& source, Observer& observer);
  // Other clusters from the same model, without the data: K of them, or as many as the data show (0). Clusters that are
  // still there keep their numbers.
  void cut(int clusters);
  // How clusters split as their number grows from 2 to `most`.
  std::vector<CutLevel> tree(int most);
  // What happened to the clusters since this was asked last, by partial_fit, refresh and cut.
  std::vector<ClusterEvent> events();

  // Labels instances with the model as it is; their embedding and the chances of all clusters are made where they are
  // asked for. Throws ErrorKind::data if the model does not fit the chunk, and ErrorKind::usage if it has learned too
  // few instances to have clusters.
  Assignment assign(Chunk chunk, Extras extras = {}) const;

  // What labels instances as this model does now, for other threads: cheap, and not changed by what this model learns.
  Snapshot snapshot() const;

  // The same for a whole source, from where it stands, `chunk` instances at a time (0: as the model was learned, 256 or
  // more), read ahead while it is labelled. Results go to the sink in the order of the stream, numbered from 0. Returns
  // the number of instances. The observer may stop it after any chunk, which throws ErrorKind::interrupted.
  Index assign(Source& source, Sink& sink, Observer& observer, Index chunk = 0) const;

  // What the model expects of the instances in a view: a mixture of what the nearest rows of the sample, the clusters
  // and regressions on the other views say, by how well each of them does where values are hidden; where it keeps no
  // sample, the mean of the prototypes. Values that were observed are given back as they are. Method omvc only.
  Imputed impute(Chunk chunk, std::size_t view) const;

  // The whole state, or what assigning needs. A model saved whole and loaded assigns and goes on learning exactly as
  // the saved one would have; one saved for prediction is smaller and only assigns.
  void save(const std::string& path, ModelKind kind = ModelKind::whole) const;
  static Clusterer load(const std::string& path);
  // The same through memory. `name` stands for the file in messages.
  std::string to_bytes(ModelKind kind = ModelKind::whole) const;
  static Clusterer from_bytes(std::string_view bytes, const std::string& name = "model");

  const Options& options() const;
  const Schema& schema() const;
  Index instances() const;                                // learned from
  int rank() const;                                       // columns of the embedding
  std::span<const double> basis(std::size_t view) const;  // U_v, features x rank, row-major; none where there is none
  std::vector<int> clusters() const;                      // their numbers, ascending
  bool learns() const;                                    // partial_fit and cut can be called
  void set_threads(int threads);                          // changes no result
  void set_hooks(Hooks hooks);                            // omvc/hooks.hpp; likewise
  ModelSummary summary() const;                           // what a model tells of itself

  // The features that tell a cluster from the others in a view, at most `count` of them, the most telling first, by the
  // difference of the means over the deviation within; only what chance does not explain.
  std::vector<Feature> top_features(std::size_t view, int cluster, int count) const;

 private:
  struct OMVC_HIDDEN Impl;
  friend struct PageMaker;  // omvc/page.hpp looks inside,
  friend struct Explainer;  // and so does omvc/explain.hpp
  explicit Clusterer(StoredModel stored);
  Archive archive(ModelKind kind) const;
  Impl& impl() const;           // throws ErrorKind::usage where this was moved from
  std::unique_ptr<Impl> impl_;  // const functions guard what they share
};

}  // namespace omvc
