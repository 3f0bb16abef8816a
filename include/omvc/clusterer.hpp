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

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// What a fit learns: a source, which is lent, or arrays whose row i is instance i in every view.
class OMVC_API FitData {
 public:
  FitData(Source& source) : source_(&source) {}
  FitData(std::vector<BorrowedView> views) : own_(make_borrowed_source(std::move(views))), source_(own_.get()) {}
  FitData(std::initializer_list<BorrowedView> views) : FitData(std::vector<BorrowedView>(views)) {}

  Source& source() const { return *source_; }

 private:
  std::unique_ptr<Source> own_;
  Source* source_;
};

// Who watches a fit, what keeps it safe, and the processes that take part in it. None is needed.
struct FitWith {
  Observer* observer = nullptr;
  Checkpointing checkpointing = {};
  Exchange* exchange = nullptr;
};

enum class ModelKind { whole, prediction };

// What a model tells of itself.
struct ModelSummary {
  Index instances = 0;                  // learned from
  int rank = 0;                         // columns of the embedding
  bool learns = false;                  // partial_fit and cut can be called
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
  //
  // With an exchange, this is one of several processes, all of which call it with the same options and data
  // (docs/scaling.md). Each reads its own rows; the first one gets the model, writes the checkpoint and hands all
  // results to its sink, with the same bits as if it were alone. The others get no model, and their sinks nothing. A
  // process that fails makes all of them throw what it threw. Method omvc only, and data that can be read again.
  Report fit(const FitData& data, Sink& sink, const FitWith& with = {});
  // The same with the results in memory: fit(source), or fit({a, b}) for two arrays.
  Fitted fit(const FitData& data);

  // Learns one more chunk of new instances; Chunk::rows tells them apart, so number on from those already learned. The
  // first one decides the schema. A model that was fitted or loaded goes on from where it stands. Prototypes and
  // clusters are made again each time the stream has grown by half or has changed; clusters that are still there keep
  // their numbers. Method omvc only. Returns the labels of these instances; nothing before there are clusters.
  //
  // A schema names the views of a model that has learned nothing yet, view1, view2, ... without one; a model that has
  // learned must have the one that is given.
  Assignment partial_fit(Chunk chunk, const std::optional<Schema>& schema = std::nullopt);
  // Makes them again now, from all that was learned.
  void refresh();
  // Goes on learning from where the model stands with all instances of a source, which has the model's schema
  // (make_matched_source), then makes prototypes and clusters again. A source that fails, or an observer that stops it
  // (ErrorKind::interrupted), leaves the model between two chunks: load it again.
  UpdateReport update(Source& source, Observer& observer);
  // Other clusters from the same model, without the data: K of them, or as many as the data show (0). Clusters that are
  // still there keep their numbers.
  void cut(int clusters);
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
  std::vector<int> clusters() const;  // their numbers, ascending
  ModelSummary summary() const;       // what a model tells of itself; omvc/explain.hpp tells more
  // Where it computes, as Options::threads and Options::device say; no device: as before. Changes no result.
  void set_threads(int threads, const std::string& device = {});
  void set_hooks(Hooks hooks);  // omvc/hooks.hpp; likewise

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
