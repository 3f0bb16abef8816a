// Lines of a stream, JSON or a table, held against a known schema or one that grows: the first byte says which.
#include <simdjson.h>

#include "omvc/rows.hpp"

#include "fuzz.hpp"

namespace {

omvc::RowsLike like(unsigned char choice) {
  omvc::RowsLike out;
  out.grows = (choice & 1) != 0;
  out.ignore_extra = (choice & 2) != 0;
  if ((choice & 8) != 0) {
    out.schema.views = {{"clinic", 4, {"age", "eyes=blue", "eyes=brown", "height"}}};
  } else if ((choice & 4) == 0) {
    out.schema.views = {{"text", 3, {"goal", "match", "team"}}, {"image", 2, {}}};
    out.sparse = {true, false};
  }
  return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using omvc::fuzz::require;
  if (size == 0) return 0;
  omvc::RowReader reader(like(data[0]));
  std::string_view text = omvc::fuzz::as_text(data + 1, size - 1);
  omvc::Index rows = 0;
  simdjson::dom::parser parser;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const omvc::Schema before = reader.schema();
    bool usable = true;
    try {
      rows += reader.add(text.substr(0, end)) ? 1 : 0;
    } catch (const omvc::Error& error) {
      require(error.kind() == omvc::ErrorKind::data || error.kind() == omvc::ErrorKind::usage, "a line is to blame");
      usable = error.kind() == omvc::ErrorKind::data;
      require(!usable || reader.schema() == before, "a bad line teaches nothing");
    }
    if (!usable) return 0;
    require(reader.size() == rows, "every good line is one row, and no bad one is");
    simdjson::dom::element id;
    require(parser.parse(reader.id()).get(id) == simdjson::SUCCESS, "an id is JSON");
    if (rows % 3 == 2) reader.freeze();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const omvc::Chunk chunk = reader.take();
  require(chunk.size() == rows, "all rows are taken");
  omvc::check_chunk(chunk, reader.schema());  // what it throws is a finding
  return 0;
}
