// The sample ids of a data set, each once, numbered as they are added. One thread may add while another looks up what
// was added before.
#pragma once

#include <deque>
#include <mutex>
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
    const std::lock_guard lock(mutex_);
    const auto found = numbers_.find(id);
    if (found != numbers_.end()) return {found->second, false};
    ids_.push_back(std::move(id));
    const auto number = static_cast<Index>(ids_.size()) - 1;
    numbers_.emplace(ids_.back(), number);
    return {number, true};
  }

  Index size() const {
    const std::lock_guard lock(mutex_);
    return static_cast<Index>(ids_.size());
  }
  const std::string& operator[](Index number) const {
    const std::lock_guard lock(mutex_);
    return ids_[static_cast<std::size_t>(number)];
  }

  // Ids [first, first + count), as far as there are.
  std::vector<std::string> range(Index first, Index count) const {
    std::vector<std::string> out;
    for (Index i = first; i < first + count && i < size(); ++i) out.push_back((*this)[i]);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> ids_;  // a deque, since the map refers to the strings in it
  std::unordered_map<std::string_view, Index> numbers_;
};

}  // namespace omvc
