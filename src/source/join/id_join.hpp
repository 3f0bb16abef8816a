// Joining views by sample id; the part of join.hpp for files that all have ids and can be read twice.
#pragma once

#include <memory>
#include <vector>

#include "omvc/input.hpp"

#include "source/view_reader.hpp"

namespace omvc {

Input make_id_joined_input(std::vector<std::unique_ptr<ViewReader>> readers, bool allow_disjoint);

}  // namespace omvc
