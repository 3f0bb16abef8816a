#include <fmt/format.h>
#include <utility>

#include "omvc/error.hpp"
#include "omvc/rows.hpp"

#include "source/rows/json_row.hpp"
#include "source/rows/row_builder.hpp"
#include "source/rows/table_rows.hpp"

namespace omvc {
namespace {

constexpr std::size_t kLongestId = 4096;  // bytes: a model keeps the ids of its sample

}  // namespace

struct RowReader::Impl {
  Impl(RowsLike like, RowFormat chosen) : row(std::move(like)), format(chosen), table(row.like()) {}

  RowBuilder row;
  RowFormat format;
  JsonRows json;
  TableRows table;
  std::string id = "null";
  Index line = 0;                  // how many have come
  bool guessed = false;            // the format is that of a single line, which was taken for a header
  std::vector<std::string> notes;  // beside those of the table

  void find_format(std::string_view text);
};

// A first line that is broken, or a title, must not make a table of what is JSON: the line below it tells.
void RowReader::Impl::find_format(std::string_view text) {
  const bool json_line = text[0] == '{';
  if (format == RowFormat::automatic) {
    format = json_line ? RowFormat::json : RowFormat::csv;
    guessed = !json_line;
  } else if (guessed) {
    guessed = false;
    if (!json_line) return;
    format = RowFormat::json;
    notes.emplace_back("the first line is no JSON although the next one is: it was left out");
  }
}

RowReader::RowReader(RowsLike like, RowFormat format) : impl_(std::make_unique<Impl>(std::move(like), format)) {}
RowReader::~RowReader() = default;
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader& RowReader::operator=(RowReader&&) noexcept = default;

bool RowReader::add(std::string_view line) {
  Impl& own = *impl_;
  own.id = "null";
  if (++own.line == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  while (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view text = trim(line);
  if (text.empty()) return false;
  own.find_format(text);
  own.row.begin();
  bool added = true;
  try {
    if (own.format == RowFormat::json) {
      own.json.read(line, own.row, own.id);
    } else {
      added = own.table.read(line, own.line, own.row, own.id);
    }
    if (own.id.size() > kLongestId) {
      const std::size_t bytes = std::exchange(own.id, "null").size();
      throw Error(ErrorKind::data,
                  fmt::format("the id has {} bytes, and a model remembers ids of up to {}", bytes, kLongestId));
    }
  } catch (...) {
    own.row.abandon();
    throw;
  }
  if (added) {
    own.row.end();
  } else {
    own.row.abandon();
  }
  return added;
}

const std::string& RowReader::id() const { return impl_->id; }
const std::vector<std::string>& RowReader::notes() const {
  return impl_->notes.empty() ? impl_->table.notes() : impl_->notes;
}
Index RowReader::size() const { return impl_->row.size(); }
Chunk RowReader::take() { return impl_->row.take(); }
const Schema& RowReader::schema() const { return impl_->row.like().schema; }
const std::vector<bool>& RowReader::sparse() const { return impl_->row.like().sparse; }
Index RowReader::growth() const { return impl_->row.growth(); }
void RowReader::freeze() { impl_->row.freeze(); }
Index RowReader::left_out() const { return impl_->row.left_out(); }

}  // namespace omvc
