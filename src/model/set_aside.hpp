// Rows of a stream that lie far outside of what it has shown (scale/ranges.hpp): they are labelled, but not learned
// until many agree with them. A few of them are kept, the newest.
#pragma once

#include <string>
#include <vector>

#include "file/archive.hpp"
#include "recipe/recipe.hpp"
#include "scale/ranges.hpp"

namespace omvc {

// A row that was set aside.
struct StrangeRow {
  Index row = 0;  // its number
  Ranges::Outside outside;
};

class SetAside {
 public:
  Index size() const { return static_cast<Index>(rows_.size()); }
  const std::vector<Chunk>& rows() const { return rows_; }  // one in each
  double ever() const { return ever_; }                     // rows that were set aside and not learned later

  // Each instance of `rows` came at `clock`, in instances; `bytes` is the room that all rows may take.
  void add(const Chunk& rows, double clock, double bytes);

  // Takes the rows out that are to be learned after all: those that lie outside no longer, and those that at least
  // `strangers` rows, and `stranger_share` of what came since, agree with; and most of them where next to nothing else
  // has come of late. None: a chunk of no rows.
  Chunk release(const Ranges& ranges, double clock, const Recipe& recipe, const Schema& schema);

  void widen(const Schema& wider);
  void narrow(const Schema& schema);
  void save(Archive& archive, const std::string& key) const;
  // Throws ErrorKind::data unless they are rows of this schema.
  static SetAside load(const Archive& archive, const std::string& key, const Schema& schema);

 private:
  void free_most(const std::vector<double>& reach, double clock, const Recipe& recipe, std::vector<bool>& free);

  std::vector<Chunk> rows_;  // of one instance each, in double precision, in the order in which they came
  std::vector<double> came_;
  double ever_ = 0;
  double late_ = 0;  // rows that were set aside since this time, while they are most of all that came
  double late_since_ = 0;
};

}  // namespace omvc
