// One modality of a MuData file, or all of an AnnData file: its matrix, and which row of it each instance is.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/source.hpp"

#include "hdf5/file.hpp"
#include "source/formats/anndata_frame.hpp"
#include "source/formats/anndata_matrix.hpp"

namespace omvc {

inline constexpr Index kNamesAtOnce = 1 << 16;

struct Modality {
  std::string name;
  h5::Group group;
  Frame obs;
  std::string where;  // file and matrix, for messages
  std::unique_ptr<StoredMatrix> matrix;
  // Which row each instance is, from 1; 0: absent. In the file, in memory, or (neither) every instance in order.
  std::optional<h5::Dataset> stored_map;
  std::vector<Index> named_map;

  // Of instances [first, first + count).
  std::vector<Index> read_map(Index first, Index count) const;
  // Throws ErrorKind::data if a row belongs to two of so many instances, however far apart in the stream they are.
  void check_map(Index instances) const;
  // By several threads at once.
  ChunkView read_view(Index first, Index count) const;
};

// The view is X or a layer or, if it is named, an entry of obsm; `view` is told its name and features.
Modality open_modality(const std::string& name, h5::Group group, const std::string& layer, const std::string& obsm,
                       ViewSchema& view);

// Calls f(first, names) for the index, some names at a time.
template <class F>
void for_names(const Frame& frame, const F& f) {
  for (Index first = 0; first < frame.rows(); first += kNamesAtOnce) {
    f(first, frame.index(first, std::min(kNamesAtOnce, frame.rows() - first)));
  }
}

}  // namespace omvc
