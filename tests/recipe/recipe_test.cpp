#include "recipe/recipe.hpp"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "support/chunks.hpp"

namespace omvc {
namespace {

// Counts the fields of an aggregate by the longest list of initialisers that it accepts.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class T, class... Fields>
constexpr std::size_t field_count(Fields... fields) {
  if constexpr (requires { T{fields..., Anything{}}; }) {
    return field_count<T>(fields..., Anything{});
  } else {
    return sizeof...(Fields);
  }
}

double value_of(const Recipe& recipe, const RecipeNumber& number) {
  return std::visit([&](auto field) { return static_cast<double>(recipe.*field); }, number.field);
}

TEST(Recipe, EveryFieldHasItsNumber) {
  EXPECT_EQ(recipe_numbers().size(), field_count<Recipe>());
  const Recipe recipe;
  std::set<std::string_view> names;
  std::set<const void*> places;
  for (const RecipeNumber& number : recipe_numbers()) {
    names.insert(number.name);
    places.insert(std::visit([&](auto field) -> const void* { return &(recipe.*field); }, number.field));
  }
  EXPECT_EQ(names.size(), recipe_numbers().size());
  EXPECT_EQ(places.size(), recipe_numbers().size()) << "no two names are of one field";
}

TEST(Recipe, AChangeChangesThatNumberAlone) {
  const Recipe usual;
  EXPECT_EQ(value_of(parse_recipe({}), recipe_numbers()[0]), value_of(usual, recipe_numbers()[0]));
  for (const RecipeNumber& number : recipe_numbers()) {
    const bool is_bool = std::holds_alternative<bool Recipe::*>(number.field);
    const double wanted = is_bool ? 1 - value_of(usual, number) : value_of(usual, number) + 2;
    const Recipe changed = parse_recipe({fmt::format("{}={}", number.name, wanted)});
    for (const RecipeNumber& other : recipe_numbers()) {
      EXPECT_EQ(value_of(changed, other), other.name == number.name ? wanted : value_of(usual, other)) << number.name;
    }
  }
}

TEST(Recipe, TheLastOfSeveralChangesCounts) {
  const Recipe recipe = parse_recipe({"near=2", "prior_rows=0.25", "near=7", "growth=1e1"});
  EXPECT_EQ(recipe.near, 7);
  EXPECT_EQ(recipe.prior_rows, 0.25);
  EXPECT_EQ(recipe.growth, 10);
}

TEST(Recipe, RefusesWhatMakesNoSense) {
  for (const char* word : {"", "=", "=3", "near", "far=3", "Near=3", " near=3", "near =3"}) {
    test::expect_error(ErrorKind::usage, {"the recipe has no number", word}, [&] { parse_recipe({word}); });
  }
  for (const char* word : {"near=",        "near=two",     "near=2.5",      "near=-1",          "near=0",
                           "near=17",      "near=3 ",      "near= 3",       "near=3,4",         "near=nan",
                           "near=inf",     "near=1e13",    "piece_rows=0",  "rows_per_fine=0",  "growth=-1",
                           "growth=nan",   "growth=1e400", "latent_root=2", "latent_root=true", "latent_root=0.5",
                           "sum_bits=0x10"}) {
    const std::string name(word, std::strchr(word, '='));
    test::expect_error(ErrorKind::usage, {name, "of the recipe"}, [&] { parse_recipe({word}); });
    test::expect_error(ErrorKind::usage, {name}, [&] { parse_recipe({"fine_rounds=1", word}); });
  }
  EXPECT_EQ(parse_recipe({"latent_root=0"}).latent_root, false);
  EXPECT_EQ(parse_recipe({"near=16"}).near, 16);
  EXPECT_EQ(parse_recipe({"sample_rows=1e12"}).sample_rows, 1'000'000'000'000);
}

}  // namespace
}  // namespace omvc
