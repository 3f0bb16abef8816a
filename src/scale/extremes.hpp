// The smallest and the largest value of a feature, as a survey knows them.
#pragma once

#include <algorithm>

#include "scale/survey.hpp"

namespace omvc {

struct Extremes {
  double low = 0;
  double high = 0;
};

// A feature that is stored for some instances only is zero for the others.
inline Extremes extremes_of(const ViewSurvey& survey, std::size_t j) {
  const bool zeros = survey.nonzeros[j] < survey.known(j);
  return {zeros ? std::min(survey.minimum[j], 0.0) : survey.minimum[j],
          zeros ? std::max(survey.maximum[j], 0.0) : survey.maximum[j]};
}

}  // namespace omvc
