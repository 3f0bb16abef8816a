#include "methods/method.hpp"

#include <limits>

#include "omvc/error.hpp"

#include "methods/batch_kmeans.hpp"
#include "methods/mic.hpp"
#include "methods/multinmf.hpp"
#include "methods/offline_factors.hpp"
#include "methods/omvc_paper.hpp"
#include "methods/onmf.hpp"
#include "methods/stream_clusters.hpp"

namespace omvc {

std::unique_ptr<Method> make_method(const MethodContext& context) {
  switch (context.options.method) {
    case Algorithm::omvc:
      break;  // the living model is no method to compare with: run/living_fit.hpp
    case Algorithm::omvc_paper:
      return std::make_unique<OmvcPaper>(context);
    case Algorithm::onmf_i:
    case Algorithm::onmf_da:
      return std::make_unique<Onmf>(context);
    case Algorithm::multinmf:
      return std::make_unique<OfflineFactors>(context, update_multinmf);
    case Algorithm::mic:
      return std::make_unique<OfflineFactors>(context, update_mic);
    case Algorithm::opimc:
      return std::make_unique<StreamClusters>(context);
    case Algorithm::masked_kmeans:
      if (context.passes == 1) return std::make_unique<StreamClusters>(context);
      [[fallthrough]];
    case Algorithm::concat_kmeans:
      return std::make_unique<BatchKMeans>(context);
  }
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
