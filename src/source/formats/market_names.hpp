// What the files beside a Matrix Market file say about it. 10x Genomics writes a folder of
//
//     matrix.mtx.gz      features x cells
//     barcodes.tsv.gz    the cells, one per line
//     features.tsv.gz    the features: id, name, type   (genes.tsv in older versions)
//
// and archives put a common prefix before the three names (sample1_matrix.mtx.gz, sample1_barcodes.tsv.gz). Text files
// (.txt) in the place of .tsv, and features in a file called as the last word of the matrix (protein_x_adt.mtx,
// adt.txt) are found, too. Which side of the matrix is as long as these files are decides whether instances are its
// rows or its columns (columns if both are, as 10x has it).
#pragma once

#include <string>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

struct MarketNames {
  bool instances_in_columns = false;
  std::vector<std::string> samples;   // one per instance, or none
  std::vector<std::string> features;  // one per feature, or none
};

// Of a matrix rows x cols. With `transpose` instances are the columns whatever is found. Throws ErrorKind::data if the
// files have the names of 10x Genomics and do not fit.
MarketNames find_market_names(const std::string& path, Index rows, Index cols, bool transpose);

}  // namespace omvc
