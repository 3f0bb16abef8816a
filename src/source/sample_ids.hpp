// The sample ids of a data set, each once, numbered as they are added.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

class SampleIds {
 public:
  struct Added {
    Index number = 0;
    bool is_new = false;
  };
  // The number of the id, which is added if it is new.
  Added add(std::string id) {
    const auto found = numbers_.find(id);
    if (found != numbers_.end()) return {found->second, false};
    ids_.push_back(std::move(id));
    numbers_.emplace(ids_.back(), size() - 1);
    return {size() - 1, true};
  }

  Index size() const { return static_cast<Index>(ids_.size()); }
  const std::string& operator[](Index number) const { return ids_[static_cast<std::size_t>(number)]; }

  // Ids [first, first + count), as far as there are.
  std::vector<std::string> range(Index first, Index count) const {
    std::vector<std::string> out;
    for (Index i = first; i < first + count && i < size(); ++i) out.push_back((*this)[i]);
    return out;
  }

 private:
  std::deque<std::string> ids_;  // a deque, since the map refers to the strings in it
  std::unordered_map<std::string_view, Index> numbers_;
};

}  // namespace omvc
