// All the data in memory: for methods that are not on-line. The first pass collects the chunks, in the order of the
// stream.
#pragma once

#include <memory>

#include "compare/method.hpp"

namespace omvc {

class MemoryTable {
 public:
  // Throws ErrorKind::usage where the data are known not to fit into memory, and where checkpoints are asked for, which
  // would have to hold all the data.
  explicit MemoryTable(const MethodContext& context);

  void add(const Chunk& chunk);
  // Everything collected, made ready once. Nothing can be added afterwards.
  const PreparedChunk& data();

 private:
  Schema schema_;
  Algorithm method_;
  double bytes_ = 0;
  Chunk table_;
  std::unique_ptr<PreparedChunk> prepared_;
};

}  // namespace omvc
