// A view whose ids come from another array than its rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "source/view_reader.hpp"

namespace omvc {

// The reader with one id for each of its instances, in their order. Throws ErrorKind::data, naming `where`, if there
// are more or fewer ids than instances. The reader must know its number of instances.
std::unique_ptr<ViewReader> make_identified_reader(std::unique_ptr<ViewReader> reader, std::vector<std::string> ids,
                                                   const std::string& where);

}  // namespace omvc
