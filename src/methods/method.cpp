#include "methods/method.hpp"

#include <limits>

#include "omvc/error.hpp"

#include "methods/ensemble.hpp"

namespace omvc {

std::unique_ptr<Method> make_method(const MethodContext& context) {
  if (context.options.method == Algorithm::omvc) return std::make_unique<Ensemble>(context);
  throw Error(ErrorKind::usage, "there is no such method");
}

void put_position(Archive& archive, const std::string& key, const RowStore& store) {
  const RowStore::Position position = store.position();
  archive.put(key, std::vector<Index>{position.generation, position.rows});
}

void restore_position(const Archive& archive, const std::string& key, RowStore& store) {
  const std::vector<Index>& position = archive.integers(key);
  constexpr Index kMostGenerations = std::numeric_limits<std::int32_t>::max();
  if (position.size() != 2 || position[0] < 1 || position[0] > kMostGenerations || position[1] < 0) {
    throw Error(ErrorKind::data, "the checkpoint's entry '" + key + "' makes no sense");
  }
  store.go_to({position[0], position[1]});
}

}  // namespace omvc
