// Rows of a sample that others are compared with, and the search for the nearest of them: in every view apart, and over
// all views of an instance together.
//
// Rows lie in lists, one for some prototypes that are near to each other: a row is in the list of the prototype that is
// nearest to it. A search looks into the lists of those prototypes alone that are nearest to the instance, by each of
// its views and by all of them. One list holds all rows of a small table: then the search is exact.
//
// The distance over all views is the mean over the views that the instance has. A row that lacks one of them takes part
// with what its prototypes say of it: sum_p z_p P_p for its weights z, so that its product with x is sum_p z_p (x P_p),
// which needs no such row to be made.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/near.hpp"

namespace omvc {

struct RowTable {
  struct View {
    Index features = 0;
    bool sparse = false;
    std::vector<Index> begin;            // of each list, and the end: its members, the rows that have the view
    std::vector<std::int32_t> position;  // of each member
    std::vector<std::int32_t> member;    // of each row of the table; -1: it lacks the view
    std::vector<float> panels;           // dense: for each list features x members, row-major
    CsrBlock<float> features_of;         // sparse: a row per feature, a column per member
    std::vector<double> squares;         // of each member: ||y||^2
    std::vector<double> completed;       // by position: ||y||^2 of what stands for a row that lacks the view; else NaN
  };
  std::uint64_t id = 0;               // tables of the same id are equal; given when it is made
  std::vector<std::int32_t> list_of;  // of each prototype; none where there is one list
  std::vector<Index> begin;           // of each list, and the end: positions
  std::vector<std::int32_t> row;      // at each position
  std::vector<View> views;
  Index near = 0;                      // prototypes that stand for a row
  std::vector<std::int32_t> near_ids;  // positions x near
  std::vector<float> near_weights;

  Index size() const { return static_cast<Index>(row.size()); }
  Index lists() const { return static_cast<Index>(begin.size()) - 1; }
};

// The rows of some pieces. `near` tells where each lies among the prototypes; none is needed where there is one list
// and no row is completed.
struct RowTableParts {
  const std::vector<PreparedChunk>& pieces;
  const std::vector<Near>& near;
  const PrototypeTable& prototypes;
  std::vector<std::int32_t> list_of = {};  // of each prototype; none: all rows are in one list
  bool complete = false;                   // rows that lack views can be found by all views
};
RowTable make_row_table(const RowTableParts& parts, Compute& compute);

// Lists for a table of so many rows: prototypes that are nearest to the same one of some of them share a list, so that
// lists have about kListRows rows each. Short lists would be compared one by one for next to nothing.
inline constexpr Index kListRows = 48;
std::vector<std::int32_t> group_prototypes(const PrototypeTable& prototypes, Index rows, Compute& compute);

// Whether a row of a block has the values of a row of the table that has the view, but for rounding.
bool equals_row(const Block& block, Index row, const RowTable& table, std::size_t view, std::int32_t other);

// The rows as they are compared, by their numbers in the table; and the list of each.
Chunk rows_of(const RowTable& table);
std::vector<Index> lists_of(const RowTable& table);

// Among rows that are equally near to an instance, those that follow its own row come first, and then those from the
// first row on: were it always the lowest rows, a hundred equal rows would all be joined to the same few. An instance
// that is no row of the table has the own row -1.
inline std::int64_t turn_of(std::int32_t row, std::int32_t own) {
  return row > own ? row : row + (std::int64_t{1} << 32);
}

// The nearest rows of some instances, the nearest first; among equals by turn_of.
struct NearRows {
  Index count = 0;                // listed for each
  std::vector<std::int32_t> ids;  // -1 where there are fewer
  std::vector<double> distances;  // squared; infinite where there are fewer

  std::int32_t id(Index i, Index j) const { return ids[static_cast<std::size_t>(i * count + j)]; }
  double distance(Index i, Index j) const { return distances[static_cast<std::size_t>(i * count + j)]; }

  void forget() {
    std::fill(ids.begin(), ids.end(), -1);
    std::fill(distances.begin(), distances.end(), std::numeric_limits<double>::infinity());
  }
};

struct RowNeighbours {
  std::vector<NearRows> views;            // of each row of the view of the chunk
  NearRows whole;                         // of each instance; none where nobody asked
  std::vector<std::vector<Index>> lists;  // that each instance was compared with, ascending
};

inline constexpr Index kLeastProbes = 4;

struct RowSearch {
  Index count = 10;    // rows wanted
  Index probes = 6;    // prototypes whose lists are looked into: the nearest by all views of an instance,
  bool apart = false;  // or a share of them by each view and by all, at least kLeastProbes
  bool whole = false;  // neighbours over all views together, too
  Index own = -1;      // the row of the table that the first instance is, and so on: none is its own neighbour
  const std::vector<std::vector<Index>>* lists = nullptr;  // to look into; null: as said above
};

// `products`: those of the chunk with the prototypes of the lists (find_near); none are needed where there is one list,
// or lists are given, and no search over all views.
RowNeighbours find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                        const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search,
                        Compute& compute);

}  // namespace omvc
