// The map of a model and its eigenvalues, as text for a terminal.
#pragma once

#include <string>

#include "omvc/page.hpp"

namespace omvc::app {

// A picture of some 20 lines, in which every letter or digit is a prototype of the cluster below, and the first
// eigenvalues as bars. Empty where there is no map.
std::string describe_map(const PrototypeMap& map);

// The picture alone, where the eigenvalues that K was chosen by are shown beside it.
std::string draw_map(const PrototypeMap& map);

// The same for a model, where standard error (or output) is a terminal; nothing otherwise.
bool is_terminal(int descriptor);

}  // namespace omvc::app
