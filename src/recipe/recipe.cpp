#include "recipe/recipe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

#define OMVC_NUMBER(field) \
  RecipeNumber { #field, &Recipe::field }
constexpr std::array kNumbers = {
    OMVC_NUMBER(sample_rows),
    OMVC_NUMBER(piece_rows),
    OMVC_NUMBER(mixed_by_direction),
    OMVC_NUMBER(rank_per_cluster),
    OMVC_NUMBER(sparse_rank_per_cluster),
    OMVC_NUMBER(most_rank),
    OMVC_NUMBER(unknown_clusters),
    OMVC_NUMBER(dense_rows),
    OMVC_NUMBER(dense_rows_per_cluster),
    OMVC_NUMBER(sparse_rows),
    OMVC_NUMBER(sparse_rows_per_cluster),
    OMVC_NUMBER(factor_passes),
    OMVC_NUMBER(once_pieces),
    OMVC_NUMBER(dense_ridge),
    OMVC_NUMBER(latent_root),
    OMVC_NUMBER(fine_per_cluster),
    OMVC_NUMBER(coarse_per_cluster),
    OMVC_NUMBER(least_fine),
    OMVC_NUMBER(most_fine),
    OMVC_NUMBER(rows_per_fine),
    OMVC_NUMBER(fine_numbers),
    OMVC_NUMBER(dense_numbers),
    OMVC_NUMBER(least_per_cluster),
    OMVC_NUMBER(group_iterations),
    OMVC_NUMBER(fine_rounds),
    OMVC_NUMBER(prior_rows),
    OMVC_NUMBER(sum_bits),
    OMVC_NUMBER(near),
    OMVC_NUMBER(cut_starts),
    OMVC_NUMBER(graph_rows),
    OMVC_NUMBER(sparse_graph_rows),
    OMVC_NUMBER(exact_rows),
    OMVC_NUMBER(graph_probes),
    OMVC_NUMBER(least_neighbours),
    OMVC_NUMBER(most_neighbours),
    OMVC_NUMBER(most_text_neighbours),
    OMVC_NUMBER(edge_floor),
    OMVC_NUMBER(row_starts),
    OMVC_NUMBER(completed_rows),
    OMVC_NUMBER(weigh_edges),
    OMVC_NUMBER(weigh_views),
    OMVC_NUMBER(straighter),
    OMVC_NUMBER(next_to_nothing),
    OMVC_NUMBER(round_from),
    OMVC_NUMBER(unlike),
    OMVC_NUMBER(ragged),
    OMVC_NUMBER(round_rounds),
    OMVC_NUMBER(second_cut),
    OMVC_NUMBER(third_cut),
    OMVC_NUMBER(far_neighbours),
    OMVC_NUMBER(reader_vote),
    OMVC_NUMBER(row_vote),
    OMVC_NUMBER(prototype_vote),
    OMVC_NUMBER(calibrate),
    OMVC_NUMBER(compared_rows),
    OMVC_NUMBER(few_rows),
    OMVC_NUMBER(mean_rounds),
    OMVC_NUMBER(direction_rounds),
    OMVC_NUMBER(most_clusters),
    OMVC_NUMBER(by_chance),
    OMVC_NUMBER(by_chance_widest),
    OMVC_NUMBER(widest),
    OMVC_NUMBER(found_again),
    OMVC_NUMBER(stands_out),
    OMVC_NUMBER(first_rows),
    OMVC_NUMBER(first_per_cluster),
    OMVC_NUMBER(growth),
    OMVC_NUMBER(sampled_growth),
    OMVC_NUMBER(stranger_distance),
    OMVC_NUMBER(strangers),
    OMVC_NUMBER(stranger_share),
    OMVC_NUMBER(changed_rows),
    OMVC_NUMBER(changed_share),
};
#undef OMVC_NUMBER

// What it says, or nothing.
template <class T>
bool read(std::string_view text, T& value) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr double kMost = 1e12;
  if (problem != std::errc() || end != text.data() + text.size() || !(number >= 0 && number <= kMost)) return false;
  value = static_cast<T>(number);
  return static_cast<double>(value) == number;
}

}  // namespace

std::span<const RecipeNumber> recipe_numbers() { return kNumbers; }

Recipe parse_recipe(const std::vector<std::string>& changes) {
  Recipe recipe;
  for (const std::string& word : changes) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto found =
        std::find_if(kNumbers.begin(), kNumbers.end(), [&](const RecipeNumber& number) { return number.name == name; });
    if (equals == std::string::npos || found == kNumbers.end()) {
      throw Error(ErrorKind::usage,
                  fmt::format("the recipe has no number '{}': write name=value, as in src/recipe/recipe.hpp", word));
    }
    const std::string value = word.substr(equals + 1);
    const bool sound = std::visit([&](auto field) { return read(value, recipe.*field); }, found->field);
    // Work is cut into pieces, instances lie among prototypes, and rows have neighbours: none of them would be for
    // ever.
    const bool joined = recipe.graph_rows > 0 && recipe.sparse_graph_rows > 0 && recipe.graph_probes > 0 &&
                        recipe.least_neighbours > 0 && recipe.most_neighbours > 0 && recipe.most_text_neighbours > 0;
    const bool works =
        joined && recipe.piece_rows > 0 && recipe.near > 0 && recipe.near <= 16 && recipe.rows_per_fine > 0;
    if (!sound || !works) {
      throw Error(ErrorKind::usage, fmt::format("'{}' is no value for {} of the recipe", value, name));
    }
  }
  return recipe;
}

}  // namespace omvc
