// The survey of data that may be looked at in parts. Instances form blocks by their place in the stream; each block is
// surveyed on its own, and the surveys of blocks are added in a fixed tree: two neighbours at a time, then two pairs of
// neighbours, and so on. So the sum of all has the same bits wherever the parts begin and end, as long as they do so
// between blocks, and in whatever order they are merged.
#pragma once

#include <map>
#include <utility>

#include "file/archive.hpp"
#include "scale/survey.hpp"

namespace omvc {

class SurveyBlocks {
 public:
  static constexpr Index kRows = 8192;  // instances of a block

  // `first` is the place of the first instance of the part, a multiple of kRows.
  SurveyBlocks(const Schema& schema, bool totals, Index first = 0);

  // The next instances of the part.
  void add(const Chunk& chunk, Workers& workers);
  // Takes the blocks of another part in. Both have come to their ends.
  void merge(const SurveyBlocks& other);

  // Of all blocks so far.
  Survey sum() const;

  void save(Archive& archive, const std::string& key) const;
  static SurveyBlocks load(const Archive& archive, const std::string& key, const Schema& schema, bool totals);

 private:
  using Node = std::pair<int, Index>;  // level, number: covers the blocks from number << level on, 1 << level of them

  void close();
  void insert(Node node, Survey survey);

  Schema schema_;
  bool totals_;
  Index next_;                    // place of the next instance
  Survey current_;                // of the block that is being added to
  std::map<Node, Survey> nodes_;  // whose neighbour is not there yet
};

// A survey as entries of an archive, and back. Throws ErrorKind::data for one that contradicts itself.
void put_survey(Archive& archive, const std::string& key, const Survey& survey);
Survey get_survey(const Archive& archive, const std::string& key, const Schema& schema);

}  // namespace omvc
