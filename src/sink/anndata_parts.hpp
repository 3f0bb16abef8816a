// The pieces that AnnData and MuData files are made of, in the encodings that anndata 0.8 and later reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/source.hpp"

#include "hdf5/object.hpp"

namespace omvc {

void set_encoding(h5::Object& object, std::string_view type, std::string_view version);

// A group that holds named things; the one that is there, if any.
h5::Group dictionary(h5::Group& owner, const std::string& name);

// An array that grows by rows. Small data sets get small chunks: `expected` is the number of rows to come, if known.
h5::Dataset array(h5::Group& owner, const std::string& name, h5::Store type, h5::Layout layout, Index expected);
h5::Dataset text_array(h5::Group& owner, const std::string& name, Index expected);

// A table (obs, var) without columns; finish_table names those that were added since. The index is the array `_index`.
h5::Group make_table(h5::Group& owner, const std::string& name);
void finish_table(h5::Group& table, const std::vector<std::string>& columns);

// The number of rows of a table that another program wrote, by its index; nothing if the index cannot be read.
std::optional<Index> table_rows(const h5::Group& table);

// What AnnData expects beside X, obs and var, where it is not there yet.
void add_empty_parts(h5::Group& owner, bool with_layers);

// The names of instances by row number: sample ids, or the numbers themselves where the source has none.
std::vector<std::string> instance_names(Source& source, const std::vector<Index>& rows);
std::vector<std::string> number_names(Index first, Index count);

}  // namespace omvc
