// The rows that votes know, in the data's own units, and which of their cells are missing.
#pragma once

#include <vector>

#include "chunk/matrix.hpp"
#include "model/model.hpp"

namespace omvc {

// The cells that are missing in rows that have a view: by view and instance, features ascending.
using Holes = std::vector<std::vector<std::vector<Index>>>;

// Of rows that were admitted and are not prepared yet (scale/intake.hpp), which fills them.
Holes holes_of(const Chunk& chunk, const std::vector<ViewScaling>& scaling);

class KnownRows {
 public:
  // The numbers of one view, and the holes of all.
  KnownRows(const Model& model, std::size_t view, Compute& compute);

  RowVector row(std::int32_t id) const;  // NaN in cells that are missing
  const std::vector<Index>& holes(std::size_t view, std::int32_t id) const {
    return holes_[view][static_cast<std::size_t>(id)];
  }

 private:
  void find_filled(const Chunk& rows, const Intake& intake);

  struct Place {
    std::size_t block;
    Index row;
  };
  const ViewScaling& scaling_;
  const ViewSurvey& survey_;
  std::size_t view_;
  std::vector<Block> blocks_;
  bool scaled_ = false;
  std::vector<Place> place_;
  Holes holes_;
};

}  // namespace omvc
