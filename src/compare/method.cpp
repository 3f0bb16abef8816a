#include "compare/method.hpp"

#include "omvc/error.hpp"

#include "compare/batch_kmeans.hpp"
#include "compare/mic.hpp"
#include "compare/multinmf.hpp"
#include "compare/offline_factors.hpp"
#include "compare/omvc_paper.hpp"
#include "compare/onmf.hpp"
#include "compare/stream_clusters.hpp"

namespace omvc {

std::unique_ptr<Method> make_method(const MethodContext& context) {
  switch (context.options.method) {
    case Algorithm::omvc:
      break;  // which is no method to compare with
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

}  // namespace omvc
