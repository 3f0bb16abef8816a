// Whether one column of the user's table alone is what the clusters are.
#pragma once

#include <optional>

#include "omvc/report.hpp"

#include "model/model.hpp"

namespace omvc {

// The column (a category is one) with the largest share of the variance between clusters, over all views as they are
// scaled, where this share is above one half. None where there are few columns, of which one may well tell most.
std::optional<LeadingColumn> leading_column(const Model& model);

}  // namespace omvc
