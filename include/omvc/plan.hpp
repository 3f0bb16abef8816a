// A fit that is divided among whoever can hold a part of the data: processes, machines, the workers of a scheduler.
//
//     omvc::Plan plan(options, schema);
//
//     every part       look  = plan.look(part, first, observer)          bytes
//     two at a time    look  = plan.merge_looks(look, look)
//     once             state = plan.make(look)                           the model, from a sample of all
//
//     while (plan.wants_pass(state))
//       once             task   = plan.task(state)                       what parts need to know
//       every part       counts = plan.count(task, part, first, observer)
//       two at a time    counts = plan.merge_counts(counts, counts)
//       once             state  = plan.end_pass(state, counts)
//
//     once             task  = plan.task(state)
//     every part       tally = plan.label(task, part, first, sink, observer)
//     two at a time    tally = plan.merge_tallies(tally, tally)
//     once             model and report = plan.finish(state, tally)
//
// Everything that travels is a value in bytes: an archive with a checksum, the same on every machine. Whoever does a
// step twice gets the same bytes twice, so what is lost with a machine is done again by another. Looks, counts and
// tallies only add: they are merged in any order and any tree. The result has the bits of Clusterer::fit on all the
// data with the same options, however the rows are divided.
//
// A part holds rows [first, first + its size) of the data, numbered from 0 by its source, in their order; parts are of
// any size, and every row is in one of them. A look keeps at most Options::memory of sampled rows, and the rows of its
// part before the first place that is a multiple of 8,192, until it is merged with the look before it.
//
// Functions are const and may be called from several threads; each starts as many as Options::threads. Bytes that are
// damaged, that belong to another step, or that were made with other options or another schema are refused with
// ErrorKind::data. An observer that stops a step makes it throw ErrorKind::interrupted.
#pragma once

#include <string>
#include <utility>

#include "omvc/clusterer.hpp"
#include "omvc/export.hpp"

namespace omvc {

class OMVC_API Plan {
 public:
  // Throws ErrorKind::usage for options that cannot work with a plan: method omvc, no half-life.
  Plan(Options options, Schema schema);

  const Options& options() const { return options_; }
  const Schema& schema() const { return schema_; }

  // Looks at a part, from where its source stands. The source has the plan's schema (make_matched_source).
  std::string look(Source& part, Index first, Observer& observer) const;
  std::string merge_looks(const std::string& one, const std::string& other) const;

  // Rows of a look that have no place in the sample of all need not travel. Optional, between look and merge_looks:
  // the ranks of all looks, merged, tell what to leave out of each.
  std::string ranks(const std::string& look) const;  // 16 bytes for each row of its sample
  std::string merge_ranks(const std::string& one, const std::string& other) const;
  std::string trim(const std::string& look, const std::string& ranks) const;

  // Makes the model from the look at all the data. The state is for whoever does this step, make and end_pass and
  // finish; parts get its task. Throws ErrorKind::data for data that the options cannot work with.
  std::string make(const std::string& look, Observer& observer) const;
  // Whether every part is to be counted, and end_pass to follow. No pass is needed where all data are in the sample.
  bool wants_pass(const std::string& state) const;
  // The state without its sample and sums.
  std::string task(const std::string& state) const;

  std::string count(const std::string& task, Source& part, Index first, Observer& observer) const;
  std::string merge_counts(const std::string& one, const std::string& other) const;
  // Throws ErrorKind::data unless all the data that were looked at have been counted.
  std::string end_pass(const std::string& state, const std::string& counts) const;

  // Labels a part and hands the results to the sink, numbered from 0 and in the order of its source. With the task of
  // the last state.
  std::string label(const std::string& task, Source& part, Index first, Sink& sink, Observer& observer) const;
  std::string merge_tallies(const std::string& one, const std::string& other) const;

  // The model as Clusterer::from_bytes reads it, whole, and the report of the fit without times. Throws ErrorKind::data
  // unless all the data that were looked at have been labelled.
  std::pair<std::string, Report> finish(const std::string& state, const std::string& tally) const;

 private:
  Options options_;
  Schema schema_;
};

}  // namespace omvc
