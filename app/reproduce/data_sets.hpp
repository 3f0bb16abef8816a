// The data sets of the paper as they lie in a folder, or what stands in for them.
//
//     digit/mfeat-{fou,fac,kar,pix,zer}, digit/labels.txt     Digit
//     webkb/WebKB.mat                                         WebKB
//     reuters.h5mu                                            Reuters; else reuters-1200/, reuters-600/, or its shape
//     youtube.h5mu                                            YouTube; else its shape
//     masks/SET-cyclic-RATE-SEED.txt, masks/SET-order-SEED.txt
//
// A shape is planted data with the views of the real set and fewer instances.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/planted.hpp"
#include "omvc/source.hpp"

namespace omvc::app {

struct DataSet {
  std::string name;      // in keys, and of its masks
  std::string role;      // the set of the paper: webkb, digit, reuters or youtube
  std::string title;     // as tables and figures print it
  std::string stand_in;  // what stands in for the paper's set; empty where it is the set itself
  Index chunk = 50;      // chunk size in the figures
  bool large = false;    // the paper runs on-line methods only
  std::vector<std::string> files;
  std::string labels;                     // a file, or empty: the container has them
  std::optional<PlantedOptions> planted;  // in the place of files
  std::string stamp;                      // changes when the files do
};

struct FoundSets {
  std::vector<DataSet> sets;        // in the order WebKB, Digit, Reuters, YouTube
  std::vector<std::string> absent;  // a sentence for each that is absent or stood in for
};

// Throws ErrorKind::io if there is no such folder.
FoundSets find_data_sets(const std::string& folder);

struct LoadedSet {
  Schema schema;
  Chunk table;
  std::vector<int> truth;
  int clusters = 0;  // classes in the truth
};

// Reads a set into memory. Throws ErrorKind::data where it has no class label for every instance.
LoadedSet load_set(const DataSet& set);

// The set as a stream in the order of the seed, with `missing` per cent of the instances of each view left out under
// the cyclic protocol: by the folder's files where it has them, else by omvc's own protocol. At most `limit` instances,
// 0 for all.
std::unique_ptr<Source> stream_of(const DataSet& set, const LoadedSet& data, const std::string& folder, int missing,
                                  std::uint64_t seed, Index limit = 0);

// Throws ErrorKind::data or ErrorKind::io where a file that stream_of would read cannot be used.
void check_stream(const DataSet& set, const LoadedSet& data, const std::string& folder, int missing,
                  std::uint64_t seed);

}  // namespace omvc::app
