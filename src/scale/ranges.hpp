// How far rows lie outside of what the views have shown. One absurd value in a stream, such as that of a sensor that
// fails, must not set the range that every other row is scaled by; a cluster that appears far away has many rows.
//
// Of a row, and in each view: by how many widths of a feature's range its values lie beyond that range, as the root
// mean square over the features of the view. A row is strange in a view where this is more than the view's reach.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "file/archive.hpp"
#include "scale/scaling.hpp"
#include "scale/survey.hpp"

namespace omvc {

// Widths beyond its range at which a row is strange; and in views whose rows are brought to length 1, or to log ratios,
// which takes most of the force from a large number.
inline constexpr double kReach = 10;
inline constexpr double kCompressedReach = 1e6;
// Rows that a view must have shown before anything is said of others.
inline constexpr double kLeastShown = 20;

class Ranges {
 public:
  // Of all rows that a survey has seen. `compressed` says of each view whether kCompressedReach is its reach.
  Ranges(const Survey& survey, const std::vector<bool>& compressed);
  // Of most of these rows: a twentieth of the values of each feature at either end is left out, and up to a third of
  // them at either end where an absurd gap lies before them. For rows among which strange ones may be.
  Ranges(std::span<const Chunk> rows, const Schema& schema, const std::vector<bool>& compressed);

  struct Outside {
    double reach = 0;      // how far outside of its worst view, in reaches of that view: strange if more than 1
    std::size_t view = 0;  // that view
    double widths = 0;     // the same in widths of a range
  };
  std::vector<Outside> outside(const Chunk& chunk) const;  // of each row

  // Where an instance lies outside: (feature, widths beyond its range with their sign), features of all views counted
  // through, ascending. Scaled so that the sum of their squares is the square of Outside::widths, added over views.
  using Excess = std::vector<std::pair<Index, double>>;
  Excess excess(const Chunk& chunk, Index instance) const;

  void save(Archive& archive, const std::string& key) const;
  // Throws ErrorKind::data unless these are ranges of the features of this schema.
  static Ranges load(const Archive& archive, const std::string& key, const Schema& schema);

 private:
  Ranges() = default;
  struct View {
    bool judged = false;
    double reach = kReach;
    Index first = 0;  // the number of its first feature among those of all views
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> width;
  };
  template <class F>
  static void for_outside(const View& view, const Block& block, Index row, const F& f);
  static void set_widths(View& view, double otherwise);

  std::vector<View> views_;
};

// Whether two rows lie outside in the same place: they differ by less than half of what either lies outside.
bool agree(const Ranges::Excess& a, const Ranges::Excess& b);

}  // namespace omvc
