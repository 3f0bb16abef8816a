// What a fit finds out before it learns: the data are read once, so that the scaling is right for all of them and bad
// data are found before time is spent.
#pragma once

#include "omvc/options.hpp"
#include "omvc/report.hpp"
#include "omvc/source.hpp"

#include "model/look.hpp"
#include "scale/survey.hpp"

namespace omvc {

struct FirstLook {
  Survey survey;
  std::uint64_t fingerprint = 0;  // of all the data
  std::uint64_t order = 0;        // of their instances
  Index instances = 0;
};

// Reads everything from where the source stands into a look. Throws ErrorKind::interrupted if the observer stops it.
void look_at(Source& source, Look& look, Observer& observer, Workers& workers);
// The same where no sample is wanted.
FirstLook look_at(Source& source, Observer& observer, Workers& workers);

// Throws ErrorKind::data for data that the options cannot work with.
void check_survey(const Survey& survey, const Schema& schema, const Options& options);

// Bytes that all the data would take in memory.
double bytes_of(const Survey& survey);

// Instances learned at a time: enough to hold every cluster several times, and no more than a chunk's memory allows.
// Without a survey, the usual number.
Index choose_chunk(const Survey* survey);
// The same for the living model, to which it makes no difference but in time: so small that several threads have work.
Index choose_living_chunk(const Survey& survey);

}  // namespace omvc
