// A line of JSON as a row. Lines are parsed whole and strictly (simdjson): what is not JSON never becomes a row.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "source/rows/row_builder.hpp"

namespace omvc {

class JsonRows {
 public:
  JsonRows();
  ~JsonRows();

  // Adds the row to the builder, between begin() and end(). `id` becomes its id as JSON as soon as it is known. Throws
  // ErrorKind::data.
  void read(std::string_view line, RowBuilder& row, std::string& id);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// A text as JSON: in quotes, with what JSON does not allow escaped and what is not UTF-8 replaced.
std::string json_string(std::string_view text);

}  // namespace omvc
