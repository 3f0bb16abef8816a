// Writing data as MuData: the format for data that do not fit into memory, since rows are read from it by ranges.
#pragma once

#include <functional>
#include <string>

#include "omvc/export.hpp"
#include "omvc/source.hpp"

namespace omvc {

struct ConvertOptions {
  // The class of an instance by its row number, written as the column `label_column` of obs; none: no such column.
  std::function<int(Index row)> label;
  std::string label_column = "truth";
  int compression = 0;  // gzip level 1 .. 9; 0: not compressed, which reads fastest
  // Called with the number of instances written so far; false stops, and nothing is left behind.
  std::function<bool(Index instances)> progress;
};

// Streams the source once into a new file: `.h5ad`, where the source has one view, else MuData (`.h5mu`). The k-th
// instance that the source delivers becomes row k; its name in obs is its sample id, else its row number. A modality
// holds the instances present in the view only (in `.h5ad` an absent one is a row of NaN). Where the source does not
// deliver in the order of its row numbers, the column `row` of obs holds them. Sparse views are written as CSR, and
// single precision stays. Memory does not grow with the number of instances. The file appears whole or not at all.
//
// Returns the number of instances. Throws ErrorKind::io if the file cannot be written, ErrorKind::data if there are no
// instances, and ErrorKind::interrupted if `progress` stopped it.
OMVC_API Index write_mudata(Source& source, const std::string& path, const ConvertOptions& options = {});

}  // namespace omvc
