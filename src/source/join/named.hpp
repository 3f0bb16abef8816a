// Names for a source that has none of its own: of its samples, and of the features of its views.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "omvc/source.hpp"

namespace omvc {

// ids[i] is that of instance number i. Throws ErrorKind::data, naming `where`, if there are not as many as instances
// or one occurs twice.
std::unique_ptr<Source> make_named_source(std::unique_ptr<Source> source, std::vector<std::string> ids,
                                          const std::string& where);

// The features of some views under other names, by view; none: as they are.
std::unique_ptr<Source> make_feature_named_source(std::unique_ptr<Source> source,
                                                  std::vector<std::vector<std::string>> names);

}  // namespace omvc
