// Carrying out one run of the evaluation.
#pragma once

#include "reproduce/jobs.hpp"

namespace omvc::app {

// Fits, and scores every pass. A method that cannot do it gives a result with the reason; what concerns the machine or
// the files is thrown.
Result run_job(const Job& job, const LoadedSet& data, const std::string& folder, int threads);

// Runs a method on a few instances of a set, so that what cannot work is found before hours are spent on the rest.
// Throws ErrorKind::usage or ErrorKind::data with the reason.
void try_job(const Job& job, const LoadedSet& data, const std::string& folder);

// About how many seconds a job takes on one core. Good to a factor of three.
double estimate_seconds(const Job& job, const LoadedSet& data);

}  // namespace omvc::app
