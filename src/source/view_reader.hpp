// One view in one file. A new format of one file a view is a class derived from ViewReader and one line in the table of
// open.cpp; joining views, numbering rows and rewinding are done elsewhere (join.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "omvc/chunk.hpp"

namespace omvc {

// Some consecutive instances of one view. Positions in view.present count from the first of them.
struct ViewRows {
  ChunkView view;
  Index instances = 0;  // consumed, whether present or not
};

class ViewReader {
 public:
  virtual ~ViewReader() = default;

  virtual const std::string& path() const = 0;
  virtual const ViewSchema& schema() const = 0;

  // The number of instances, where it is known without reading them all.
  virtual std::optional<Index> rows() const { return std::nullopt; }

  // The next instances: max_rows >= 1 of them, fewer only at the end of the file, none after it.
  virtual ViewRows read(Index max_rows) = 0;

  // Goes back to the first instance. Returns false where the file cannot be read again (a pipe).
  virtual bool rewind() = 0;
};

}  // namespace omvc
