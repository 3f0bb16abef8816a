// What can be told of a model: functions of what it knows.
#pragma once

#include <vector>

#include "omvc/report.hpp"

#include "model/model.hpp"

namespace omvc {

// Instances of each cluster, in the order of the cluster numbers: as the fit labelled them, or where it did not an
// estimate, by the nearest prototype.
std::vector<double> cluster_sizes(const Model& model);

// Mean of each cluster in a view, d x clusters, in scaled units.
Matrix cluster_profiles(const Model& model, std::size_t view);

// Share of each view's variance about its mean that the clusters explain, over the rows that the sums cover.
std::vector<double> explained(const Model& model);

std::vector<ViewReport> view_reports(const Model& model);

// Latent rows of the prototypes that place instances.
Matrix embed_prototypes(const Model& model, Compute& compute);

// Fills the part of a report that describes the model. The model has clusters.
void describe(const Model& model, Report& report);

// How clusters split as their number grows from 2 to `most`. Throws ErrorKind::usage where there is nothing to cut.
std::vector<CutLevel> cluster_tree(Model& model, int most, Compute& compute);

}  // namespace omvc
