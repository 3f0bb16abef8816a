// What a model remembers of the rows that it has seen: what each view looks like (survey), a bounded sample of them
// (reservoir), and those that were set aside. All of them have the features of one schema, which may be wider than what
// prototypes are made of: a stream meets new features of its sparse views, by name, and they enter the prototypes when
// these are made again.
#pragma once

#include <string>
#include <vector>

#include "omvc/options.hpp"

#include "fine/reservoir.hpp"
#include "model/look.hpp"
#include "model/set_aside.hpp"
#include "scale/survey.hpp"

namespace omvc {

class Seen {
 public:
  Seen(const Schema& schema, const Options& options);

  const Schema& schema() const { return schema_; }
  const Survey& survey() const { return survey_; }
  const Reservoir& reservoir() const { return reservoir_; }
  const SetAside& aside() const { return aside_; }
  // Instances learned for each of so many rows of the sample.
  double stands_for(Index rows) const;

  void take(Look look, Compute& compute);  // at all rows of a file
  // Rows that a stream learns, after `clock` instances.
  void add(const Chunk& rows, double clock, Compute& compute);
  void decay(double factor) { survey_.decay(factor); }

  // Sets aside the rows of a chunk that are strange; `keep` gets which are not, appended.
  std::vector<StrangeRow> set_aside(const Chunk& chunk, const Ranges& ranges, double clock, std::vector<bool>& keep);
  // Before the first prototypes are made: the rows of the sample that lie far outside of most others. `compressed` as
  // for Ranges.
  std::vector<StrangeRow> set_first_aside(const std::vector<bool>& compressed, double clock, Compute& compute);
  // The rows that are to be learned after all (SetAside::release).
  Chunk release(const Ranges& ranges, double clock, const Recipe& recipe);

  void widen(const Schema& wider);  // begins with the views and features that there are
  void add_features(const std::vector<std::vector<std::string>>& names);  // of each view, behind those that there are
  void narrow(const Schema& known);  // forgets features of sparse views behind those of this schema

  void save(Archive& archive, const Schema& known) const;  // `known`: the schema without features that are new
  // Throws ErrorKind::data unless all of it makes sense together.
  static Seen load(const Archive& archive, const Options& options, const Schema& known);

 private:
  Schema schema_;
  Survey survey_;
  Reservoir reservoir_;
  SetAside aside_;
  double room_aside_ = 0;  // bytes of rows that are set aside
};

}  // namespace omvc
