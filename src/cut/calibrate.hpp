// Learns what the votes and distances of a cut mean (cut/calibration.hpp), from the rows of its graphs: a model is made
// again from a half of the rows, prototypes and cuts, or from four fifths where clusters have few rows; the others are
// labelled by it.
#pragma once

#include "cut/cut.hpp"

namespace omvc {

// Sets cut.calibration, and cut.rows where there are votes. Where there are too few rows, no model of other rows is
// made: then calibration.models is 0, and there is no confidence.
void calibrate(Cut& cut, const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs,
               const BuildInput& input, const Recipe& recipe, Compute& compute);

}  // namespace omvc
