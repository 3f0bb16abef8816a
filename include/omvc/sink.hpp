// Where results go, a block of rows at a time and in the row order of the source, whatever the order of the stream was.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "omvc/assignment.hpp"
#include "omvc/chunk.hpp"
#include "omvc/exchange.hpp"
#include "omvc/export.hpp"
#include "omvc/kmeans.hpp"
#include "omvc/source.hpp"

namespace omvc {

struct ResultRows {
  Index first_row = 0;          // the row number of the first of them
  std::span<const int> labels;  // cluster 0 .. K-1, or -1 for an instance without any view
  RowsView embedding;           // rows of V*; NaN for an instance without any view. None where nobody wants them
  std::span<const double> confidence = {};  // chance that other rows agree; NaN: not known. None: no such method
  std::span<const double> distance = {};    // relative to what is usual: 1; likewise
  RowsView membership = {};                 // chances of all clusters (Assignment); likewise, or nobody wants them
  std::span<const int> clusters = {};       // the numbers of its columns, ascending
};

class OMVC_API Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(const ResultRows& rows) = 0;
  // Embedding rows and chances of all clusters cost time and disk: they are made where a sink wants them.
  virtual bool wants_embedding() const { return true; }
  virtual bool wants_membership() const { return false; }
  // In a fit of several processes, where the sink of the first one says so, each process writes its own rows alone, all
  // of them in the order of the ranks, and join() is called in all of them after the last block: it brings together
  // what they have, in the first one, which goes on alone. Otherwise the first one is given all rows, and the others
  // none.
  virtual bool joins() const { return false; }
  virtual void join(Exchange& /*exchange*/) {}
  // Writes everything out and makes it durable, without giving any file its name yet. A list of sinks asks all of them
  // for this before it finishes the first, so that an output that fails leaves the files of all others as they were.
  virtual void prepare() {}
  // Called once after the last block, does what prepare() does where that has not been called. A file appears under its
  // name only now, and whole.
  virtual void finish() {}
};

// Keeps results in memory: labels, confidence and distance of all instances by number, and what else is asked for.
class OMVC_API MemorySink final : public Sink {
 public:
  explicit MemorySink(Extras wanted = {}) : wanted_(wanted) {}
  void write(const ResultRows& rows) override;
  bool wants_embedding() const override { return wanted_.embedding; }
  bool wants_membership() const override { return wanted_.membership; }
  Assignment take() { return std::move(found_); }

 private:
  Extras wanted_;
  Assignment found_;
};

// One label per line. A `.csv` or `.tsv` file has more columns, under a header: the sample ids if `source` has any (it
// must outlive the sink), label, and confidence and distance where the method has them. The sinks of processes of one
// fit other than the first (`rank` 0) write no file of their own: what they have is joined to that of the first.
OMVC_API std::unique_ptr<Sink> make_label_sink(const std::string& path, Source* source = nullptr, int rank = 0);

// Embedding rows as NPY (`.npy`, float64), else as text with the separator that the name asks for (`.csv`, `.tsv`,
// blanks otherwise). `.csv` and `.tsv` have a header, e1, e2, ..., and the sample ids before it if `source` has any; it
// must outlive the sink.
OMVC_API std::unique_ptr<Sink> make_embedding_sink(const std::string& path, Source* source = nullptr, int rank = 0);

// The chances of all clusters in the same forms; the columns of a header are cluster_0, cluster_1, ..., by number.
OMVC_API std::unique_ptr<Sink> make_membership_sink(const std::string& path, Source* source = nullptr, int rank = 0);

// Results in the form of AnnData: the column `omvc` of obs holds the labels as categories, obsm/X_omvc the embedding
// where there is one, and obsm/omvc_membership the chances of all clusters, by number. If the input was a MuData or
// AnnData file (`input_path`; empty otherwise) the output is a copy of it with these added, else a new file whose obs
// has the sample ids of the source, or row numbers. The source must outlive the sink.
OMVC_API std::unique_ptr<Sink> make_h5_sink(const std::string& path, const std::string& input_path, Source& source);

// Hands every block to each of the sinks.
OMVC_API std::unique_ptr<Sink> make_sink_list(std::vector<std::unique_ptr<Sink>> sinks);

// Writes N x views of 0 and 1, one line an instance: the form that read_presence reads.
OMVC_API void write_presence(const std::string& path, const std::vector<bool>& present, Index views);

// Throws ErrorKind::io if a file cannot be created at this path: asked before a long run rather than after it.
OMVC_API void check_writable(const std::string& path);

}  // namespace omvc
