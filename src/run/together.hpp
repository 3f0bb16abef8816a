// What several processes of one fit do together: agree that all went well, add up what each has counted, take over what
// the first one decided. Alone, all of it costs nothing.
//
// Sums go up a fixed tree of processes, and what is decided goes down the same tree. The values that are added have the
// same bits in whatever order they are added (model/look.hpp, model/counts.hpp), so the number of processes changes no
// result.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "omvc/exchange.hpp"

#include "file/row_store.hpp"

namespace omvc {

// Rows [first, first + count).
struct Rows {
  Index first = 0;
  Index count = 0;

  // The least range that also holds this row.
  Rows with(Index row) const {
    if (count == 0) return {row, 1};
    const Index begin = std::min(first, row);
    return {begin, std::max(first + count, row + 1) - begin};
  }
};

class Together {
 public:
  explicit Together(Exchange& exchange) : exchange_(exchange) {}

  bool alone() const { return exchange_.size() == 1; }
  bool first() const { return exchange_.rank() == 0; }
  int rank() const { return exchange_.rank(); }
  int size() const { return exchange_.size(); }
  // Threads for work that one process does while the others wait: those of all on this machine, as far as it has cores.
  int threads_of_all(int own) const;

  // Does the work of this process, and waits for the others. Where the work failed in some processes, every process
  // throws the error of the lowest of their ranks, and names that rank.
  void agree(const std::function<void()>& work);

  // Merges the values of all in the first process, two at a time: each process takes what others give it, then gives
  // on what it has.
  void reduce(const std::function<void(const std::string&)>& take, const std::function<std::string()>& give);
  // Everybody gets the value of the first process.
  std::string broadcast(std::string mine);
  // Everybody gets the (short) values of all, by rank.
  std::vector<std::string> gather(const std::string& mine);
  // The first process gets the values of all others, by rank; the others nothing.
  std::vector<std::string> gather_at_first(const std::string& mine);
  // Whether the rows of the processes, in the order of the ranks, are all rows one after the other.
  bool follow_each_other(Rows mine, Index instances);
  // What the first process says.
  bool says_first(bool mine) { return broadcast(mine ? "yes" : "no") == "yes"; }
  Exchange& exchange() { return exchange_; }
  // Called in every process, with the range of its own rows: the first process gets into its store what the others have
  // written of theirs.
  void gather_rows(RowStore& store, Rows rows);

 private:
  Exchange& exchange_;
};

// The part of a process: whole blocks of the survey, so that sums do not depend on the number of parts. Where there are
// any instances, the first process has some of them.
Rows part_of(Index instances, int rank, int size);

}  // namespace omvc
