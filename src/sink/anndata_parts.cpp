#include "sink/anndata_parts.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace omvc {

void set_encoding(h5::Object& object, std::string_view type, std::string_view version) {
  object.set_attribute("encoding-type", type);
  object.set_attribute("encoding-version", version);
}

h5::Group dictionary(h5::Group& owner, const std::string& name) {
  if (owner.has_group(name)) return owner.group(name);
  h5::Group group = owner.create_group(name);
  set_encoding(group, "dict", "0.1.0");
  return group;
}

h5::Dataset array(h5::Group& owner, const std::string& name, h5::Store type, h5::Layout layout, Index expected) {
  if (layout.chunk_rows == 0 && expected > 0) layout.chunk_rows = expected;
  h5::Dataset dataset = owner.create(name, type, layout);
  set_encoding(dataset, type == h5::Store::text ? "string-array" : "array", "0.2.0");
  return dataset;
}

h5::Dataset text_array(h5::Group& owner, const std::string& name, Index expected) {
  // Small chunks, because names are looked up one by one where the order of the rows is not that of the names.
  constexpr Index kTogether = 4096;
  return array(owner, name, h5::Store::text, {.chunk_rows = expected > 0 ? std::min(expected, kTogether) : kTogether},
               expected);
}

h5::Group make_table(h5::Group& owner, const std::string& name) {
  h5::Group table = owner.create_group(name);
  set_encoding(table, "dataframe", "0.2.0");
  table.set_attribute("_index", "_index");
  return table;
}

void finish_table(h5::Group& table, const std::vector<std::string>& columns) {
  table.set_attribute("column-order", columns);
}

std::optional<Index> table_rows(const h5::Group& table) {
  const std::string index = table.text_attribute("_index", "_index");
  for (const std::string& name : {index, index + "/values", index + "/codes"}) {
    if (table.has_dataset(name)) return table.dataset(name).rows();
  }
  return std::nullopt;
}

void add_empty_parts(h5::Group& owner, bool with_layers) {
  for (const char* name : {"obsm", "obsp", "uns", "varm", "varp"}) dictionary(owner, name);
  if (with_layers) dictionary(owner, "layers");
}

std::vector<std::string> number_names(Index first, Index count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) names.push_back(fmt::format("{}", first + i));
  return names;
}

std::vector<std::string> instance_names(Source& source, const std::vector<Index>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    const auto count = static_cast<Index>(end - begin);
    std::vector<std::string> run = source.ids(rows[begin], count);
    if (run.size() != end - begin) run = number_names(rows[begin], count);
    std::move(run.begin(), run.end(), std::back_inserter(names));
    begin = end;
  }
  return names;
}

}  // namespace omvc
