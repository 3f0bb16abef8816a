// A chunk that is built row by row. A row that turns out to be bad leaves no trace, neither in the numbers nor in a
// schema that grows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "omvc/rows.hpp"

namespace omvc {

class RowBuilder {
 public:
  using Entry = std::pair<std::int32_t, double>;

  explicit RowBuilder(RowsLike like);

  void begin();
  void end();      // the row is complete
  void abandon();  // there is no such row

  // The place of a view, in which the row has not been seen yet. `sparse` is how it would be stored if it were new.
  // Nothing if it is to be left out. Throws ErrorKind::data for one that is unknown or comes twice.
  std::optional<std::size_t> view(std::string_view name, bool sparse);
  // The place of a feature by its name or number. Nothing if it is to be left out. Throws ErrorKind::data.
  std::optional<std::size_t> feature(std::size_t view, std::string_view name);
  // The places of the columns of a table in a view, all of them: by name where both sides have names, else by place.
  // Throws ErrorKind::usage where they do not fit.
  std::vector<std::optional<std::size_t>> columns(std::size_t view, const std::vector<std::string>& names);

  bool knows(std::string_view view) const { return places_.contains(view); }
  // The values of all features, NaN where there is none. Throws ErrorKind::data if they are too few or too many.
  void add_dense(std::size_t view, std::span<const double> values);
  // Those of some features, in any order. Throws ErrorKind::data if one comes twice.
  void add_entries(std::size_t view, std::vector<Entry>& entries);

  Index size() const { return rows_; }
  Chunk take();
  const RowsLike& like() const { return like_; }
  Index growth() const { return growth_; }
  void freeze();
  Index left_out() const { return left_out_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Places = std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>>;

  struct View {
    Places places;           // of the features by name
    bool by_number = false;  // a number finds a feature, too
    std::vector<double> values;
    std::vector<std::int32_t> columns;
    std::vector<Index> offsets{0};
    std::vector<Index> present;
    Index seen = -1;  // the row in which it came last

    // Where the row began.
    std::size_t values_before = 0;
    std::size_t rows_before = 0;
    std::size_t features_before = 0;
  };

  void index(std::size_t view);
  void find_by_number(std::size_t view);
  void add_view(std::string_view name, bool sparse);
  void store_dense(std::size_t view, std::span<const double> values);
  void store_sparse(std::size_t view, const std::vector<Entry>& entries);
  std::string named(std::size_t view) const;
  std::string known_views() const;

  RowsLike like_;
  std::vector<View> views_;
  Places places_;  // of the views by name
  std::vector<double> dense_;
  std::vector<Entry> entries_;
  Index rows_ = 0;
  Index line_ = 0;
  Index growth_ = 0;
  Index growth_before_ = 0;
  Index left_out_ = 0;
  std::size_t views_before_ = 0;
};

}  // namespace omvc
