// What is done to rows before they meet a prototype, once and in this order:
//
//     check     the shape, no infinite values (check_chunk), no value that is too large to be squared, no negative one
//               where the scaling that was asked for takes none
//     match     a view that was learned dense comes dense, one that was learned sparse comes sparse
//     drop      views that were never seen, and words that a stream has met since the model was made
//     scale     as the model was made (scale/scaling.hpp)
//     clamp     values so far out that single precision cannot square them come back to kNarrowValue
//
// Every verb takes its rows in here, so that a row means the same to all of them: fit, a pass, update, partial_fit,
// stream, assign, impute, a rank, a task of a scheduler, a comparison method. Names of views and features are matched
// before, where the names are (make_matched_source). An Intake does not change; threads share it.
#pragma once

#include <vector>

#include "file/archive.hpp"
#include "scale/scaling.hpp"
#include "scale/survey.hpp"

namespace omvc {

class Intake {
 public:
  enum class Kind : unsigned char { unseen, dense, sparse };  // how a view was learned

  Intake() = default;
  // `asked` is the scaling that the options ask for, one or one per view; none: negative values are left to `prepare`.
  Intake(Schema schema, std::vector<ViewScaling> scaling, std::vector<Kind> kinds, std::vector<Scaling> asked = {})
      : schema_(std::move(schema)), scaling_(std::move(scaling)), kinds_(std::move(kinds)), asked_(std::move(asked)) {}

  const Schema& schema() const { return schema_; }
  const std::vector<ViewScaling>& scaling() const { return scaling_; }
  const std::vector<Kind>& kinds() const { return kinds_; }

  // The first step alone, for rows of which nothing is known yet. Throws ErrorKind::data, naming view and row.
  static void check(const Chunk& chunk, const Schema& schema);

  // The second step, for rows that were checked.
  void match(Chunk& chunk) const;
  // The first two steps: rows as a survey and a sample take them.
  void admit(Chunk& chunk) const { admit(chunk, schema_); }
  // The same for rows with more features in sparse views than the intake knows yet.
  void admit(Chunk& chunk, const Schema& wider) const {
    check(chunk, wider);
    match(chunk);
    if (!asked_.empty()) check_negatives(chunk, wider, asked_);
  }
  // The other three, for rows that were admitted. Returns the negative entries that were set to 0, by view. Throws
  // ErrorKind::data, naming view and row, for a negative value where the scaling refuses them.
  std::vector<Index> prepare(Chunk& chunk) const;
  // All five.
  std::vector<Index> take(Chunk& chunk) const {
    admit(chunk);
    return prepare(chunk);
  }

 private:
  Schema schema_;
  std::vector<ViewScaling> scaling_;
  std::vector<Kind> kinds_;
  std::vector<Scaling> asked_;
};

// How the views of a survey were delivered.
std::vector<Intake::Kind> kinds_of(const Survey& survey);

// Kinds as an entry of an archive, and back: unseen where it does not say. Throws ErrorKind::data unless there is one
// for each of `views` views.
void put_kinds(Archive& archive, const std::string& key, const std::vector<Intake::Kind>& kinds);
std::vector<Intake::Kind> get_kinds(const Archive& archive, const std::string& key, std::size_t views);

}  // namespace omvc
