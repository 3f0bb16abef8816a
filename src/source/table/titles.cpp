#include "source/table/titles.hpp"

#include <algorithm>

namespace omvc {
namespace {

constexpr std::size_t kMostTitles = 10;

using Fields = std::vector<std::string_view>;

std::size_t filled(const Fields& fields) {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(), [](auto field) { return !field.empty(); }));
}

// Whether the first line has as many fields as the last, by whatever separates them: most files begin so.
bool begins_with_the_table(const std::vector<TextLine>& lines) {
  Fields first;
  Fields last;
  for (const Delimiter delimiter : {Delimiter::comma, Delimiter::tab, Delimiter::semicolon, Delimiter::pipe}) {
    split_fields(lines.front().text, delimiter, first);
    if (filled(first) < 2) continue;
    split_fields(lines.back().text, delimiter, last);
    if (first.size() == last.size()) return true;
  }
  return false;
}

}  // namespace

std::size_t count_titles(const LayoutWishes& wishes, const std::vector<TextLine>& lines, const CellFormat& cells) {
  if (!wishes.may_have_header || wishes.text.header == "no" || lines.size() < 3) return 0;
  if (begins_with_the_table(lines)) return 0;
  // What separates fields is told by the lines below; in a title a comma is a comma.
  const std::size_t below = std::min(kMostTitles + 1, lines.size() - 1);
  std::vector<std::string_view> texts;
  for (std::size_t i = std::min(below, lines.size() / 2); i < lines.size(); ++i) texts.emplace_back(lines[i].text);
  const Separation separation = find_separation(texts, wishes.text.separator, wishes.text.decimal, cells);
  if (separation.delimiter == Delimiter::blanks) return 0;
  CellFormat format = cells;
  format.set_decimal(separation.decimal);
  const auto is_number = [&](std::string_view field) { return format.parse(field) && !format.is_missing(field); };
  Fields fields;
  split_fields(lines.back().text, separation.delimiter, fields);
  const std::size_t columns = fields.size();
  std::size_t titles = 0;
  for (; titles < below; ++titles) {
    split_fields(lines[titles].text, separation.delimiter, fields);
    // Spreadsheets fill lines up with separators, empty lines too.
    const bool short_one = filled(fields) == 1 || fields.size() < columns;
    const bool title = short_one && !fields[0].empty() && std::none_of(fields.begin(), fields.end(), is_number);
    if (!title && (filled(fields) > 0 || titles == 0)) break;
  }
  if (titles == 0 || titles == below) return 0;
  const bool header =
      fields.size() + 1 >= columns && filled(fields) > 1 && std::none_of(fields.begin(), fields.end(), is_number);
  split_fields(lines[titles + 1 < lines.size() ? titles + 1 : titles].text, separation.delimiter, fields);
  const bool data = fields.size() == columns && std::any_of(fields.begin(), fields.end(), is_number);
  return header && data ? titles : 0;
}

}  // namespace omvc
