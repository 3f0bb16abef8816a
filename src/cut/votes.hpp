// The label of any row, in the sample or not: a third of the vote is that of the prototypes it lies among, each of
// which votes as its rows of the sample are labelled; two thirds are that of its neighbours among the rows of the
// sample, in every view apart, those in what the readers say counting double. Views count by what their readers know.
//
// A row that is one of the sample, equal in all its views, is taken as its reader has read it without having seen it.
// It helps to decide on its own label, but the votes that are told of it are those of the others, so that a vote means
// the same for every row. Without rows, as in a model that was saved for prediction, readers vote themselves.
//
// The neighbours over all views tell how far a row lies from what is known: the distance d of the last of them, over
// the fourth root of what is usual around them, so that the rows of a loose cluster are not all far.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cut/row_cut.hpp"
#include "file/archive.hpp"

namespace omvc {

// What was voted for the instances of a chunk.
struct Voted {
  std::vector<int> clusters;     // -1 without any view
  Matrix shares;                 // instances x clusters, rows of sum 1 (0 for an instance without any view)
  std::vector<double> distance;  // from its neighbours; NaN where there are none, or nobody asked
};

class Votes {
 public:
  Votes() = default;
  // For the rows of the graphs, as they were cut.
  Votes(const RowGraphs& graphs, const RowCut& cut, int clusters, const Recipe& recipe);

  int clusters() const { return static_cast<int>(prototypes_.cols()); }
  const std::vector<double>& worth() const { return worth_; }  // of each view, 0 .. 1
  bool has_rows() const { return rows_ != nullptr; }

  // The cluster that most of the members of each prototype are in, and the share of each prototype in each cluster.
  std::vector<int> group() const;
  const Matrix& prototypes() const { return prototypes_; }

  // `near` tells where the chunk lies among the prototypes; neighbours are looked for in their lists. Distances are
  // told where there are `products` of the chunk with the prototypes (find_near); they may be empty unless
  // wants_products.
  Voted ask(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>* products,
            Compute& compute) const;
  // The same distances alone, which take less.
  std::vector<double> distances(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>& products,
                                Compute& compute) const;
  bool wants_products() const;  // some rows are completed through prototypes
  Matrix of(const PreparedChunk& chunk, const Near& near, Compute& compute) const {
    return ask(chunk, near, nullptr, compute).shares;
  }
  // Of the rows of the table: what the others vote, the clusters that they and the row itself decide on, and distances.
  const NarrowMatrix& of_rows() const { return own_; }
  const std::vector<int>& clusters_of_rows() const { return own_clusters_; }
  const std::vector<double>& distances_of_rows() const { return own_distance_; }
  // The votes of the rows of the graphs as they are without any rows: by prototypes and readers.
  Matrix alone(const RowGraphs& graphs) const;
  // For each instance up to `count` rows of the table that have a view (none: any) and are nearest to it by all views
  // that it has, and their weights; an instance that is a row of the table is not among them: one that is equal, or
  // that of `own`, where given. None where there are no rows.
  struct Donors {
    std::vector<std::int32_t> rows;
    std::vector<double> weights;  // of sum 1
  };
  std::vector<Donors> donors(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>& products,
                             std::optional<std::size_t> view, Index count, Compute& compute,
                             const std::vector<std::int32_t>* own = nullptr) const;
  // The rows of the table that are nearest to each instance by all views that it has; it may be one of them itself.
  NearRows nearest(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>& products, Index count,
                   Compute& compute) const;
  const RowTable& table() const { return *rows_; }
  // What the prototypes alone say of one instance.
  RowVector of(const Near& near, Index instance) const;

  // Without `rows`, prototypes and readers alone.
  void save(Archive& archive, const std::string& key, bool rows) const;
  // Throws ErrorKind::data where they do not fit the prototypes, or make no sense.
  static Votes load(const Archive& archive, const std::string& key, const Schema& schema,
                    const PrototypeTable& prototypes, int clusters, const Recipe& recipe, Compute& compute);

 private:
  // The rows of the table near the instances of a chunk, and which of them an instance is; -1: none.
  struct Around {
    RowNeighbours found;
    std::vector<std::int32_t> known;
  };
  Around around(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>* products,
                Compute& compute) const;
  double distance(const Around& around, std::size_t instance) const;
  Matrix vote_of_rows(const RowGraphs& graphs, const RowCut& cut, bool itself) const;
  void measure(const RowGraphs& graphs);
  double far(const std::int32_t* ids, const double* distances, Index count) const;
  void save_near(Archive& archive, const std::string& key) const;
  void take(const Recipe& recipe);
  void learn_names(const std::vector<int>& before);
  double counts(std::size_t view) const { return worth_[view] * worth_[view]; }
  void keep_said(const Chunk& said);
  void load_rows(const Archive& archive, const std::string& key, const Schema& schema, const PrototypeTable& prototypes,
                 Compute& compute);
  std::vector<std::int32_t> known_rows(const PreparedChunk& chunk, const RowNeighbours& found) const;
  std::int32_t known_row(const PreparedChunk& chunk, const std::vector<Index>& own, const RowNeighbours& found) const;
  std::vector<NarrowMatrix> said_of(const PreparedChunk& chunk, const std::vector<std::int32_t>& known,
                                    Compute& compute) const;
  void add_neighbours(std::size_t view, const NearRows& near, const std::vector<Index>& instances, double vote,
                      Matrix& out, Vector& seen) const;
  Matrix of(const std::function<RowVector(Index)>& prototypes, const Matrix& neighbours, const Vector& seen) const;
  RowNeighbours find_said(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& said,
                          const std::vector<std::vector<Index>>& lists, Compute& compute) const;
  void add_reader(std::size_t view, const std::vector<Index>& instances, const NarrowMatrix& said, Matrix& out,
                  Vector& seen) const;

  Matrix prototypes_;  // prototypes x clusters
  std::vector<double> worth_;
  std::vector<Reader> readers_;
  RowVector prior_;   // share of each label that the readers name, those of the cut before
  Matrix became_;     // of each of them, the shares of the clusters that its rows are in now
  NarrowMatrix own_;  // votes of the rows of the table; none where there are no rows
  std::vector<int> own_clusters_;
  std::vector<double> own_distance_;
  std::vector<double> width_;  // of each row: the distance of its last neighbour over all views
  Index far_neighbours_ = 15;
  Index neighbours_ = 0;
  double row_vote_ = 1;
  double reader_vote_ = 2;
  double prototype_vote_ = 1;

  std::shared_ptr<const RowTable> rows_;          // none: readers vote themselves
  std::shared_ptr<const RowTable> said_;          // the same rows as the readers see them, in the same lists
  std::vector<NarrowMatrix> said_rows_;           // of each view
  std::vector<std::vector<std::int32_t>> place_;  // in these of each row of the table; -1: it lacks the view
  std::vector<int> labels_;
};

}  // namespace omvc
