// The numbers of the default method, as data: how many prototypes, how they are made, how they are cut. Every one has
// the value that the experiments in docs/quality.md speak for; none is tuned with labels of a data set.
//
// Nobody needs to change them. Experiments do (experiments/ablation.py), through Options::recipe: near=2,fine_rounds=0.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

struct Recipe {
  // The sample
  Index sample_rows = 80'000;  // narrow rows: prototypes learn nothing from more of them
  Index piece_rows = 500;      // of the sample worked on at a time

  // Kinds of data
  bool mixed_by_direction = false;  // data with a view of unit rows are compared by direction; false: only if all are

  // Factorisation of the sample, in which prototypes begin
  Index rank_per_cluster = 5;
  Index sparse_rank_per_cluster = 2;  // where rows are compared by direction
  Index most_rank = 50;
  Index unknown_clusters = 10;  // that K counts for where it is not given
  Index dense_rows = 20'000;    // of the sample that are factorised, at least,
  Index dense_rows_per_cluster = 500;
  Index sparse_rows = 4'000;  // and where rows are compared by direction: wide rows, and one beginning among several
  Index sparse_rows_per_cluster = 100;
  Index factor_passes = 2;
  Index once_pieces = 8;     // so many pieces of sparse rows are enough to be seen once
  double dense_ridge = 0.3;  // dense latent rows are drawn further to zero
  bool latent_root = true;   // the length of a dense latent row counts by its root; false: not at all

  // Fine prototypes
  Index fine_per_cluster = 50;
  Index coarse_per_cluster = 10;  // where rows are compared by direction
  Index least_fine = 300;
  Index most_fine = 1'000;
  Index rows_per_fine = 4;               // of the sample, at least
  Index fine_numbers = Index{4} << 20;   // features x prototypes, at most, where views are wide,
  Index dense_numbers = Index{5} << 17;  // and dense features x prototypes, which every row is multiplied with, unless
  Index least_per_cluster = 10;          // prototypes per cluster would not be left
  Index group_iterations = 20;           // of k-means on the latent rows
  Index fine_rounds = 2;                 // of moving prototypes to the means of the rows that are nearest
  double prior_rows = 1;                 // that the factorisation counts for in a prototype; 0: it says nothing
  Index sum_bits = 24;                   // a sum holds values to 2^-24 of the largest
  Index near = 5;                        // prototypes among which an instance is placed

  Index cut_starts = 20;  // of k-means on eigenvectors of prototypes

  // Graphs of rows, and their cuts
  Index graph_rows = 10'000;        // of the sample, at most,
  Index sparse_graph_rows = 4'000;  // and where views are sparse
  Index exact_rows = 4'000;         // up to which all rows are compared
  Index graph_probes = 48;          // prototypes in whose lists neighbours are looked for, by each view and by all
  Index least_neighbours = 5;       // that a row is joined to: half of an average cluster, within bounds
  Index most_neighbours = 10;
  Index most_text_neighbours = 50;
  double edge_floor = 0.3;         // of an edge whose ends the last cut puts apart
  Index row_starts = 5;            // of k-means on eigenvectors of rows
  bool completed_rows = true;      // the first cut has neighbours among completed rows; false: in every view apart
  bool weigh_edges = true;         // edges count by what the last cut says
  bool weigh_views = true;         // views count by what their readers know
  double straighter = 3;           // times the edges that the cut before crosses, the third may cross, and
  double next_to_nothing = 0.002;  // so many more
  double round_from = 0.85;  // roundness of clusters (cut/round.hpp) that are told apart by means; above 1.5: none
  double unlike = 0.25;      // that the spread of one cluster may be more or less than that of all
  double ragged = 1.2;       // times the edges that the cut crosses, means may cross
  Index round_rounds = 30;   // of moving means
  bool second_cut = true;
  bool third_cut = true;
  Index far_neighbours = 15;  // the last of which tells how far a row lies from the others
  double reader_vote = 2;     // of a neighbour as readers see it, for each vote of a neighbour in a view
  double row_vote = 1;        // of a neighbour in a view
  double prototype_vote = 1;  // of the prototypes, for two of all neighbours

  // Confidence: models of other rows label those that are left out
  bool calibrate = true;
  Index compared_rows = 500;  // that are labelled by such models, at least, where there are so many
  Index few_rows = 100;       // of an average cluster, below which four fifths are learned, and not a half

  // Clusters by direction: assignments by mean, then by direction until they are at rest
  Index mean_rounds = 3;
  Index direction_rounds = 20;

  // The number of clusters, where it is left to the data
  Index most_clusters = 25;
  double by_chance = 0.75;         // agreement of the halves up to which a cut is one of chance
  double by_chance_widest = 0.55;  // the same where the gap is the widest of all,
  double widest = 1.15;            // so many times the next
  double found_again = 0.8;        // agreement of the halves below which K is not found again
  double stands_out = 1.5;         // a clear gap is so much larger than the next

  // A stream
  Index first_rows = 100;  // from which it has a model, at least,
  Index first_per_cluster = 10;
  double growth = 1.5;           // after which prototypes are made again,
  double sampled_growth = 4;     // and where the sample is full: what it holds hardly changes then
  double stranger_distance = 6;  // of an instance that is far from all that is known (cut/calibration.hpp);
  double strangers = 20;         // instances far from all prototypes that make it happen earlier, at least,
  double stranger_share = 0.02;  // and their share of what was learned since
  Index changed_rows = 100;      // that came while most lay outside of all that was shown, after which that is usual,
  double changed_share = 0.8;    // if they are so large a share of these
};

// An instance whose distance is larger is an outlier. Distances are brought to a scale (cut/calibration.hpp) where 1 is
// in the middle of the rows, and one row in a hundred is beyond this by chance.
inline constexpr double kOutlier = 3;

// One number of the recipe.
struct RecipeNumber {
  std::string_view name;
  std::variant<Index Recipe::*, double Recipe::*, bool Recipe::*> field;
};
std::span<const RecipeNumber> recipe_numbers();

// The default with changes, "name=value" each. Throws ErrorKind::usage for a name or a value that makes no sense.
Recipe parse_recipe(const std::vector<std::string>& changes);

}  // namespace omvc
