#include "source/table/text_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>
#include <unordered_set>

#include "omvc/error.hpp"

#include "source/table/id_names.hpp"
#include "source/table/marks.hpp"

namespace omvc {
namespace {

using Fields = std::vector<std::string_view>;

class Detection {
 public:
  Detection(const LayoutWishes& wishes, const std::vector<TextLine>& lines, const CellFormat& cells)
      : wishes_(wishes), lines_(lines), cells_(cells) {}

  TextLayout run() {
    std::vector<std::string_view> texts;
    for (const TextLine& line : lines_) texts.emplace_back(line.text);
    layout_.separation = find_separation(texts, wishes_.text.separator, wishes_.text.decimal, cells_);
    cells_.set_decimal(layout_.separation.decimal);
    for (const std::string_view text : texts) split_fields(text, layout_.separation.delimiter, rows_.emplace_back());
    head_ = rows_.front();
    const auto asked = asked_column();
    layout_.header = wishes_.may_have_header && decide_header(asked);
    if (layout_.header) rows_.erase(rows_.begin());
    if (rows_.empty()) return layout_;
    count_columns();
    if (!layout_.header) take_names_line();
    layout_.id_column = asked ? asked : wishes_.id_column == "none" ? std::nullopt : detected_id();
    if (asked && *asked >= layout_.columns) fail_no_column();
    if (layout_.id_column && layout_.columns < 2) {
      fail(lines_[layout_.header ? 1 : 0].number,
           "the only column holds the sample ids, so there are no features; for a feature say --id-column none");
    }
    if (layout_.header) name_columns();
    return layout_;
  }

 private:
  [[noreturn]] void fail(Index line, const std::string& message) const {
    throw Error(ErrorKind::data, fmt::format("{}:{}: {}", wishes_.path, line, message));
  }
  [[noreturn]] void fail_no_column() const {
    throw Error(ErrorKind::usage,
                fmt::format("{}: there is no column {} for the sample ids; give a name of the header, "
                            "a number from 1, or none",
                            wishes_.path, omvc::quoted(wishes_.id_column)));
  }

  std::optional<std::size_t> asked_column() {
    if (wishes_.id_column.empty() || wishes_.id_column == "none") return std::nullopt;
    for (std::size_t j = 0; j < head_.size() && wishes_.text.header != "no"; ++j) {
      if (unescape_field(head_[j]) != wishes_.id_column || is_number(head_[j])) continue;
      asked_by_name_ = true;
      return j;
    }
    const auto number = parse_index(wishes_.id_column);
    if (!number || *number < 1) fail_no_column();
    return static_cast<std::size_t>(*number - 1);
  }

  bool is_number(std::string_view cell) const { return cells_.parse(cell).has_value(); }
  bool is_value(std::string_view cell) const { return is_number(cell) && !cells_.is_missing(cell); }

  // What the lines below the first say of a column.
  struct Below {
    std::size_t values = 0;  // not missing
    std::size_t numbers = 0;
    std::size_t marked = 0;    // numbers with a percent sign or that of a currency
    bool whole = true;         // all are whole numbers
    bool first_again = false;  // what the first line has occurs again
    std::unordered_set<std::string_view> different;
    bool numeric() const { return 2 * numbers > values; }
  };
  Below below(std::size_t column, std::size_t first_row = 1) const {
    Below found;
    for (std::size_t i = first_row; i < rows_.size(); ++i) {
      if (column >= rows_[i].size() || cells_.is_missing(rows_[i][column])) continue;
      const auto number = cells_.parse(rows_[i][column]);
      ++found.values;
      found.numbers += number.has_value();
      if (!number) {
        const auto marked = split_mark(rows_[i][column]);
        found.marked += marked && is_value(marked->number);
      }
      found.whole &= number && *number == std::floor(*number);
      found.first_again |= column < head_.size() && rows_[i][column] == head_[column];
      found.different.insert(rows_[i][column]);
    }
    return found;
  }

  bool decide_header(std::optional<std::size_t> asked) const {
    if (wishes_.text.header == "yes") return true;
    if (wishes_.text.header == "no") return false;
    if (!wishes_.text.header.empty() && wishes_.text.header != "auto") {
      throw Error(ErrorKind::usage,
                  fmt::format("--header is yes, no or auto, not {}", omvc::quoted(wishes_.text.header)));
    }
    if (asked_by_name_) return true;
    const std::size_t id = wishes_.id_column == "none" ? head_.size() : asked.value_or(0);
    if (rows_.size() == 1) return words_alone(id);
    if (head_.size() + 1 == rows_[1].size()) {
      return !std::all_of(head_.begin(), head_.end(), [&](auto field) { return is_number(field); });
    }
    return words_above_numbers(id) || counts_up(id);
  }

  // A file of one line has nothing but names in it if none but the id is a number.
  bool words_alone(std::size_t id) const {
    for (std::size_t j = 0; j < head_.size(); ++j) {
      if ((j != id || head_.size() == 1) && !is_number(head_[j])) return true;
    }
    return id < head_.size() && head_.size() > 1 && !head_[id].empty() && is_usual_id_name(head_[id]);
  }

  bool words_above_numbers(std::size_t id) const {
    bool number_above_numbers = false;
    bool new_words = false;
    bool old_words = false;
    for (std::size_t j = 0; j < head_.size(); ++j) {
      const Below under = below(j);
      const bool is_word = !is_number(head_[j]);
      if (j == id && head_.size() > 1) {
        if (head_[j].empty() && under.values > 0) return partly_empty();
        if (is_word && (is_usual_id_name(head_[j]) || under.numeric())) return true;
        continue;
      }
      if (under.values > 0 && !under.numeric()) {
        (under.first_again ? old_words : new_words) |= is_word;
      } else if (is_word) {
        return true;
      } else {
        number_above_numbers |= is_value(head_[j]);
      }
    }
    return new_words && !old_words && !number_above_numbers;
  }

  // A line that is missing in part with an empty first field names columns; one that is missing throughout is an
  // instance that is absent.
  bool partly_empty() const {
    return std::any_of(head_.begin(), head_.end(), [&](auto field) { return !is_number(field) || is_value(field); });
  }

  // 0, 1, 2, ... as pandas writes for columns without names: beyond doubt above numbers that are not whole, or if there
  // are several.
  bool counts_up(std::size_t id) const {
    const bool skip = id == 0 && head_.size() > 1 && !is_number(head_[0]);
    const std::size_t first = skip ? 1 : 0;
    if (lines_[0].text == lines_[1].text) return false;
    bool all_whole = true;
    for (std::size_t j = first; j < head_.size(); ++j) {
      const auto number = parse_index(head_[j]);
      if (!number || *number != static_cast<Index>(j - first)) return false;
      all_whole &= below(j).whole;
    }
    return head_.size() - first >= (all_whole ? 4 : 2);
  }

  void count_columns() {
    std::map<std::size_t, std::size_t> uses;
    for (const Fields& row : rows_) ++uses[row.size()];
    layout_.columns = rows_.front().size();
    for (const auto& [columns, count] : uses) {
      if (count > uses[layout_.columns]) layout_.columns = columns;
    }
    const bool named = layout_.header && head_.size() == layout_.columns && !head_.back().empty();
    if (layout_.columns < 3 || named || layout_.separation.delimiter == Delimiter::blanks) return;
    if (!layout_.header && rows_.size() < 2) return;
    layout_.trailing = std::all_of(rows_.begin(), rows_.end(), [&](const Fields& row) {
      return row.size() != layout_.columns || row.back().empty();
    });
    // Without a header, a last column that is empty throughout may as well be a feature that nobody observed.
    if (!layout_.trailing) return;
    --layout_.columns;
    if (layout_.header && head_.size() == layout_.columns + 1) head_.pop_back();
  }

  // numpy.savetxt and others write the names behind a #.
  void take_names_line() {
    if (!wishes_.names_line || layout_.columns < 2 || wishes_.text.header == "no") return;
    split_fields(*wishes_.names_line, layout_.separation.delimiter, head_);
    const bool names = head_.size() == layout_.columns &&
                       std::none_of(head_.begin(), head_.end(), [&](auto field) { return is_number(field); });
    if (!names) return;
    for (const std::string_view field : head_) layout_.names.push_back(unescape_field(field));
  }

  // A later column whose name is "id", if nearly all of its values differ and they are words or whole numbers.
  std::optional<std::size_t> column_called_id() const {
    const std::size_t named = layout_.header ? std::min(head_.size(), layout_.columns) : layout_.names.size();
    for (std::size_t j = 1; j < named; ++j) {
      if (lower_case(layout_.header ? unescape_field(head_[j]) : layout_.names[j]) != "id") continue;
      const Below found = below(j, 0);
      const bool fractions = found.numbers == found.values && !found.whole;
      if (found.values > 0 && !fractions && 10 * found.different.size() >= 9 * found.values) return j;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> detected_id() {
    if (layout_.columns < 2) return std::nullopt;
    const Below first = below(0, 0);
    if (layout_.header && head_.size() + 1 == layout_.columns) return 0;
    const std::string name = layout_.header ? unescape_field(head_[0]) : layout_.names.empty() ? "" : layout_.names[0];
    const bool named = layout_.header || !layout_.names.empty();
    if (named && is_usual_id_name(name)) return 0;
    if (const auto called_id = column_called_id()) return called_id;
    if (first.values == 0) return std::nullopt;
    const bool all_different = first.different.size() == first.values;
    if (first.numbers == first.values) {
      if (!named || !first.whole || !all_different || first.values < 2 || !is_likely_id_name(name)) return std::nullopt;
      layout_.notes.push_back(
          fmt::format("{}: column {} is taken for sample ids, not for a feature (for a feature say "
                      "--id-column none)",
                      wishes_.path, omvc::quoted(name)));
      return 0;
    }
    if (10 * first.marked >= 9 * first.values) return std::nullopt;
    // Words that come again and again are categories.
    const bool first_is_word = !is_number(rows_.front()[0]);
    return first_is_word && 10 * first.different.size() >= 9 * first.values ? std::optional<std::size_t>(0)
                                                                            : std::nullopt;
  }

  void name_columns() {
    // One column has no separator to show, so its name may contain blanks.
    if (layout_.columns == 1) head_ = {trim(lines_.front().text)};
    if (layout_.columns == 1 && head_[0].size() > 1 && head_[0].front() == '"' && head_[0].back() == '"') {
      head_[0] = head_[0].substr(1, head_[0].size() - 2);
    }
    const bool shorter = layout_.id_column == 0 && !asked_by_name_ && head_.size() + 1 == layout_.columns;
    if (!shorter && head_.size() != layout_.columns) {
      fail(lines_[0].number, fmt::format("the header names {} columns but line {} has {}; every column needs one name",
                                         head_.size(), lines_[1].number, layout_.columns));
    }
    if (shorter) head_.insert(head_.begin(), std::string_view());
    std::set<std::string> taken;
    for (std::size_t j = 0; j < head_.size(); ++j) {
      std::string name = unescape_field(head_[j]);
      if (name.empty() && layout_.id_column != j) name = fmt::format("column {}", j + 1);
      const std::string wanted = name;
      for (int again = 1; !taken.insert(name).second; ++again) name = fmt::format("{}.{}", wanted, again);
      if (name != wanted) {
        layout_.notes.push_back(fmt::format("{}: column {} has the name {} of another and is called {}", wishes_.path,
                                            j + 1, omvc::quoted(wanted), omvc::quoted(name)));
      }
      layout_.names.push_back(std::move(name));
    }
  }

  const LayoutWishes& wishes_;
  const std::vector<TextLine>& lines_;
  CellFormat cells_;
  bool asked_by_name_ = false;
  Fields head_;               // of the first line
  std::vector<Fields> rows_;  // of the lines, without the header once it is known
  TextLayout layout_;
};

}  // namespace

TextLayout detect_text_layout(const LayoutWishes& wishes, const std::vector<TextLine>& lines, const CellFormat& cells) {
  return Detection(wishes, lines, cells).run();
}

std::string unescape_field(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return text;
}

}  // namespace omvc
