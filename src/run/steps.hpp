// The steps of a fit of the living model, over parts of the data: values that add up, and what is made of their sums.
//
//     every part    look   -> Look     merge       once    take_look, make    the model, from the sample
//     every part    count  -> Counts   merge       once    end_pass           prototypes move; after the last, clusters
//     every part    label  -> Tally    merge       once    describe_labels    the report
//
// A part is all the data, the share of one rank, or a partition of a scheduler: run/fit.cpp goes through the steps in
// one process or in several ranks, where labels follow from KeptRows; run/plan.cpp hands the values on as bytes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/model.hpp"
#include "pass/checkpoint.hpp"
#include "pass/first_look.hpp"
#include "run/kept_rows.hpp"
#include "tally/label_counts.hpp"

namespace omvc {

inline constexpr Index kLabelRows = 256;  // instances labelled at a time, at least

// A fit between two steps.
struct Fitting {
  Setting setting;
  FitState state;
  int passes = 1;  // 0 where the sample holds all the data, so that no pass is needed
  std::optional<Model> model;

  // `whole`: all that is needed to go on with the fit; otherwise what counting and labelling need.
  void put(Archive& archive, bool whole) const;
  // For a Fitting whose setting has options and schema. Throws ErrorKind::data where the archive does not fit them.
  void get(const Archive& archive);
};

// What a part labelled.
struct Tally {
  LabelCounts counts;
  Progress progress;

  void merge(const Tally& other);
  void put(Archive& archive) const;
  static Tally get(const Archive& archive, std::size_t views);
};

// Looks at all rows from where the source stands; its first one has the place `first` in all the data.
Look look(Source& source, DataPart part, const Setting& setting, Observer& observer, Compute& compute);

// Takes the look at all the data. Throws ErrorKind::data for data that the options cannot work with.
void take_look(Fitting& fit, Look look, Compute& compute);
// Makes prototypes and clusters from the sample; where the sample holds all the data, it is counted as the only pass.
void make(Fitting& fit, Compute& compute);

// Counts all rows from where the source stands, and goes on from what `counts` holds already. `kept` may be null;
// otherwise it keeps what labels follow from. `told` is called after every few chunks, and ends the pass where it
// returns false.
using Told = std::function<bool(const Pass& pass, const std::vector<StreamedChunk>& chunks)>;
bool count(const Fitting& fit, Source& source, Index first, Counts& counts, KeptRows* kept, LossCurve* curve,
           const Told& told, Compute& compute);

// Takes what all parts of a pass have counted. After the last pass (`last`) clusters are made from it.
void end_pass(Fitting& fit, Counts counts, bool last, Compute& compute);

// Labels all rows from where the source stands, numbered from 0 for the sink. `single` matters where the sample holds
// all the data: it says of each view whether the sample has it in single precision.
Tally label(const Fitting& fit, Source& source, Index first, const std::vector<Index>& single, Sink& sink,
            const Told& told, Compute& compute);

// Once all clusters are known: what the model says of itself and of the views.
void describe_model(Fitting& fit);
// Once all rows are labelled.
void describe_labels(Fitting& fit, const LabelCounts& counts);

// What options and data must have in common where several work on one fit; the number of threads changes nothing.
std::string common_ground(const Options& options, const Schema& schema);

}  // namespace omvc
