// The ids of the rows of a stream that its model still holds, by row number, so that a row can be named when something
// is found out about it later. As JSON, just as they came.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace omvc {

class RowIds {
 public:
  void add(const std::vector<Index>& rows, const std::vector<std::string>& ids);
  bool empty() const { return ids_.empty(); }
  std::string of(Index row) const;  // the number of the row where its id is not known
  // Those of the rows [first, first + count) as people read them; empty where one is not known.
  std::vector<std::string> texts(Index first, Index count) const;
  // Forgets those of rows that the model holds no longer; not with every call, unless `all` of them are to go.
  void follow(const Model& model, bool all);

  void save(Archive& archive, const std::string& key) const;
  // Throws ErrorKind::data unless there is an id for every row.
  static RowIds load(const Archive& archive, const std::string& key);

 private:
  std::map<Index, std::string> ids_;
};

}  // namespace omvc
