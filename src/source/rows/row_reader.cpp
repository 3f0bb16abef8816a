#include <utility>

#include "omvc/error.hpp"
#include "omvc/rows.hpp"

#include "source/rows/csv_row.hpp"
#include "source/rows/json_row.hpp"
#include "source/rows/row_builder.hpp"

namespace omvc {

struct RowReader::Impl {
  Impl(RowsLike like, RowFormat chosen) : row(std::move(like)), format(chosen) {}

  RowBuilder row;
  RowFormat format;
  JsonRows json;
  CsvRows csv;
  std::string id = "null";
  bool first = true;  // no line has come yet
};

RowReader::RowReader(RowsLike like, RowFormat format) : impl_(std::make_unique<Impl>(std::move(like), format)) {}
RowReader::~RowReader() = default;
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader& RowReader::operator=(RowReader&&) noexcept = default;

bool RowReader::add(std::string_view line) {
  Impl& own = *impl_;
  own.id = "null";
  if (std::exchange(own.first, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::string_view text = trim(line);
  if (text.empty()) return false;
  if (own.format == RowFormat::automatic) own.format = text[0] == '{' ? RowFormat::json : RowFormat::csv;
  if (own.format == RowFormat::csv && !own.csv.has_header()) {
    try {
      own.csv.read_header(line, own.row);
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, error.what());
    }
    return false;
  }
  own.row.begin();
  try {
    if (own.format == RowFormat::json) {
      own.json.read(line, own.row, own.id);
    } else {
      own.csv.read(line, own.row, own.id);
    }
  } catch (...) {
    own.row.abandon();
    throw;
  }
  own.row.end();
  return true;
}

const std::string& RowReader::id() const { return impl_->id; }
Index RowReader::size() const { return impl_->row.size(); }
Chunk RowReader::take() { return impl_->row.take(); }
const Schema& RowReader::schema() const { return impl_->row.like().schema; }
const std::vector<bool>& RowReader::sparse() const { return impl_->row.like().sparse; }
Index RowReader::growth() const { return impl_->row.growth(); }
void RowReader::freeze() { impl_->row.freeze(); }

}  // namespace omvc
