// The survey of data that may be looked at in parts. Instances form blocks by their place in the stream; each block is
// surveyed on its own, row after row, and the surveys of blocks are added in a fixed tree: two neighbours at a time,
// then two pairs of neighbours, and so on. So the sum of all has the same bits wherever the parts begin and end, and in
// whatever order they are merged.
//
// A part that begins within a block cannot add its first rows to anything yet: it keeps them, at most kRows - 1 of
// them, until it is merged with the part before it. Parts that begin between blocks keep no rows.
#pragma once

#include <map>
#include <utility>

#include "file/archive.hpp"
#include "scale/survey.hpp"

namespace omvc {

class SurveyBlocks {
 public:
  static constexpr Index kRows = 8192;  // instances of a block

  // `first` is the place of the first instance of the part.
  SurveyBlocks(const Schema& schema, bool totals, Index first = 0);

  // The next instances of the part, in one chunk or in several that follow each other.
  void add(const Chunk& chunk, Compute& compute);
  void add(std::span<const Chunk* const> chunks, Compute& compute);
  // Takes in the blocks of another part. Nothing may be added to either part any more. Throws ErrorKind::data where
  // both have seen the same block.
  void merge(const SurveyBlocks& other);

  // Of all blocks so far.
  Survey sum() const;
  // Whether these are the rows from the first one on, without a gap and each once.
  bool gapless() const;

  void save(Archive& archive, const std::string& key) const;
  static SurveyBlocks load(const Archive& archive, const std::string& key, const Schema& schema, bool totals);

 private:
  using Node = std::pair<int, Index>;  // level, number: covers the blocks from number << level on, 1 << level of them
  struct Begun {
    Survey survey;
    Index rows = 0;
  };

  void add_within(std::span<const Chunk* const> chunks, Compute& compute);  // a block
  void go_on(Index block, Compute& compute);
  void insert(Node node, Survey survey);
  std::map<Node, Survey> closed() const;

  Schema schema_;
  bool totals_;
  Index next_;                    // place of the next instance
  bool loose_;                    // the part began within the block that is being added to
  std::map<Node, Survey> nodes_;  // whose neighbour is not there yet
  std::map<Index, Begun> begun_;  // blocks of which the first rows were added, by number
  std::map<Index, Chunk> rows_;   // rows kept until those before them in their block are added, by place
};

// A survey as entries of an archive, and back. Throws ErrorKind::data for one that contradicts itself.
void put_survey(Archive& archive, const std::string& key, const Survey& survey);
Survey get_survey(const Archive& archive, const std::string& key, const Schema& schema);

}  // namespace omvc
