// MuData (.h5mu) and AnnData (.h5ad) files. Every modality of a MuData file is a view, in the order of mod-order, else
// by name; an AnnData file is one view. The matrix is X, or the layer that InputOptions names. An instance is what the
// obs of the whole file names; obsmap says which row of a modality it is (from 1; 0: absent). Without obsmap, samples
// are joined by name, which takes memory for all names.
//
// Rows are read as they are asked for (CSC: whole). An instance whose row is wholly NaN is absent as well. The labels
// of InputOptions::label_column are searched in obs, then as "modality:column", then in the modalities in their order.
#pragma once

#include <string>

#include "omvc/input.hpp"

namespace omvc {

Input open_h5(const std::string& path, const InputOptions& options);

}  // namespace omvc
