// What several processes of one fit do together: agree that all went well, add up what each has counted, take over what
// the first one decided. Alone, all of it costs nothing.
//
// Sums go up a fixed tree of processes, and what is decided goes down the same tree. The values that are added have the
// same bits in whatever order they are added (model/look.hpp, fine/fine_prototypes.hpp), so the number of processes
// changes no result.
#pragma once

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

  // Does the work of this process. Where it failed in some process, every one throws what the first of those threw,
  // with its rank.
  void agree(const std::function<void()>& work);

  // What all have comes to the first process, two at a time: each takes in what others give it, then gives its own.
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
  // The first process gets what every other has written of these rows, each of its own, into its own store.
  void gather_rows(RowStore& store, Rows rows);

 private:
  Exchange& exchange_;
};

// The part of a process: whole blocks of the survey, so that sums do not depend on the number of parts. The first one
// has some wherever there are any.
Rows part_of(Index instances, int rank, int size);

}  // namespace omvc
