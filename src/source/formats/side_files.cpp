#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <string_view>
#include <unordered_map>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/input.hpp"

#include "source/formats/content.hpp"
#include "source/formats/known_names.hpp"
#include "source/formats/mat.hpp"
#include "source/formats/npy.hpp"
#include "source/formats/npz.hpp"
#include "source/table/cell.hpp"
#include "source/table/id_names.hpp"
#include "source/table/labels.hpp"
#include "source/table/line_reader.hpp"
#include "source/table/presence.hpp"
#include "source/table/text_layout.hpp"

namespace omvc {
namespace {

constexpr std::size_t kManyLabels = 20;  // of which at least one in ten comes again, if they are classes

// Where the columns of a table of labels are.
struct LabelColumns {
  Delimiter delimiter = Delimiter::comma;
  std::size_t columns = 1;
  std::size_t label = 0;
  std::optional<std::size_t> ids = {};
  bool header = false;       // the first line is one for certain
  std::string guessed = {};  // the name of the second of more than two columns, if none is called after labels
};

struct LabelWordsTable {
  std::vector<std::string> ids;
  std::vector<std::string> words;
  Index unlabelled_line = 0;
  Index unlabelled = 0;  // lines that are not among the words
  std::string guessed_column = {};
  bool header = false;  // the first line is one for certain
};

// What the first line says of the columns. Blanks do not separate: a class may be called "B cells". Ids are in the
// first column; where it is called label, as in what the command writes without ids, another holds them or none.
LabelColumns find_label_columns(std::string_view line) {
  LabelColumns found;
  const Delimiter delimiter = detect_delimiter(line);
  if (delimiter != Delimiter::blanks) found.delimiter = delimiter;
  std::vector<std::string_view> fields;
  split_fields(line, found.delimiter, fields);
  found.columns = fields.size();
  found.label = std::min<std::size_t>(1, fields.size() - 1);
  constexpr std::array<std::string_view, 5> kNames{"label", "labels", "class", "classes", "truth"};
  const auto place = [&](std::string_view field) {
    return std::find(kNames.begin(), kNames.end(), lower_case(field)) - kNames.begin();
  };
  auto best = static_cast<std::ptrdiff_t>(kNames.size());
  for (std::size_t j = 1; j < fields.size(); ++j) {
    if (place(fields[j]) >= best) continue;
    best = place(fields[j]);
    found.label = j;
  }
  if (fields.size() > 1) found.ids = 0;
  if (best == static_cast<std::ptrdiff_t>(kNames.size()) && fields.size() > 1 && place(fields[0]) == 0) {
    const auto ids = std::find_if(fields.begin() + 1, fields.end(), means_ids);
    found.ids.reset();
    if (ids != fields.end()) found.ids = static_cast<std::size_t>(ids - fields.begin());
    found.label = 0;
    found.header = true;
    return found;
  }
  const bool guessed = best == static_cast<std::ptrdiff_t>(kNames.size()) && fields.size() > 2;
  if (guessed) found.guessed = unescape_field(fields[found.label]);
  return found;
}

LabelWordsTable read_words(LineReader& lines) {
  LabelWordsTable table;
  std::optional<LabelColumns> columns;
  std::vector<std::string_view> fields;
  std::unordered_map<std::string, Index> line_of_id;
  while (const auto line = lines.next()) {
    if (!columns && line->starts_with('#')) continue;
    if (!columns) {
      columns = find_label_columns(*line);
      table.guessed_column = columns->guessed;
      table.header = columns->header;
    }
    split_fields(*line, columns->delimiter, fields);
    if (fields.size() != columns->columns) {
      lines.fail(
          fmt::format("expected {} columns, found {}; a file of labels has one label a line, or a table of ids and "
                      "labels",
                      columns->columns, fields.size()));
    }
    if (fields[columns->label].empty()) {
      if (columns->ids) {  // an id without a class is not scored
        if (table.unlabelled_line == 0) table.unlabelled_line = lines.line_number();
        ++table.unlabelled;
        continue;
      }
      lines.fail("the label is missing; every instance needs one");
    }
    table.words.push_back(unescape_field(fields[columns->label]));
    if (!columns->ids) continue;
    std::string id = unescape_field(fields[*columns->ids]);
    const auto [known, is_new] = line_of_id.try_emplace(id, lines.line_number());
    if (!is_new) {
      lines.fail(fmt::format("the sample id {} was given before, in line {}; every id has one label", omvc::quoted(id),
                             known->second));
    }
    table.ids.push_back(std::move(id));
  }
  return table;
}

// Whether a word stands for a missing label as it does for a missing value of a table. Beside a + a - is a class.
class MissingLabels {
 public:
  explicit MissingLabels(const std::vector<std::string>& words)
      : signs_(std::find(words.begin(), words.end(), "+") != words.end()) {}

  bool contain(const std::string& word) const { return cells_.is_missing(word) && !(signs_ && word == "-"); }

 private:
  CellFormat cells_;
  bool signs_;
};

bool has_digit(const std::string& text) { return text.find_first_of("0123456789") != std::string::npos; }

// A first line such as "bottle,cultivar": its word is no class of another line, and its id lacks the digits that all
// other ids have.
bool stands_above(const LabelWordsTable& table) {
  const auto word = std::find(table.words.begin() + 1, table.words.end(), table.words.front());
  return word == table.words.end() && !has_digit(table.ids.front()) &&
         std::all_of(table.ids.begin() + 1, table.ids.end(), has_digit);
}

// A word above nothing but numbers is the name of the column, and so is what stands above ids and labels: "label", or
// "class" beside a usual name of ids.
bool starts_with_header(const LabelWordsTable& table, const MissingLabels& missing) {
  if (table.header) return true;
  const auto is_label = [&](const std::string& word) { return parse_label(word).has_value() || missing.contain(word); };
  if (table.words.size() < 2 || is_label(table.words.front())) return false;
  if (std::all_of(table.words.begin() + 1, table.words.end(), is_label)) return true;
  if (table.ids.empty()) return false;
  constexpr std::array<std::string_view, 9> kLabelNames{"label",   "labels", "class",     "classes", "truth",
                                                        "cluster", "group",  "cell_type", "type"};
  const std::string& id = table.ids.front();
  return is_one_of(kLabelNames, lower_case(table.words.front())) || id.empty() || means_ids(id) || stands_above(table);
}

[[noreturn]] void fail_empty(const std::string& path) {
  throw Error(ErrorKind::data, fmt::format("{}: the file is empty; it needs one line for every instance", path));
}

Index read_row_number(LineReader& lines, std::string_view text) {
  const auto number = parse_index(trim(text));
  if (!number) lines.fail(fmt::format("{} is not a row number", omvc::quoted(text)));
  if (*number < 0) lines.fail(fmt::format("row {} cannot be; rows are numbered from 0", *number));
  return *number;
}

}  // namespace

LabelTable read_label_table(const std::string& path) {
  LineReader lines(path);
  LabelWordsTable table = read_words(lines);
  const MissingLabels missing(table.words);
  if (starts_with_header(table, missing)) {
    table.words.erase(table.words.begin());
    if (!table.ids.empty()) table.ids.erase(table.ids.begin());
  } else {
    table.guessed_column.clear();  // what stands there is no name
  }
  if (table.words.empty()) fail_empty(path);
  LabelWords labels;
  std::size_t labelled = 0;
  for (const std::string& word : table.words) {
    if (missing.contain(word)) {
      labels.add_none(kNoClass);
      ++table.unlabelled;
    } else {
      labels.add(word);
      ++labelled;
    }
  }
  if (labelled == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: no line has a label; all are missing", path));
  }
  if (labelled >= kManyLabels && 10 * labels.names().size() > 9 * labelled) {
    throw Error(ErrorKind::data, fmt::format("{}: {} lines have {} different labels, so these are no classes; call the "
                                             "column that has them label",
                                             path, labelled, labels.names().size()));
  }
  return {std::move(table.ids),  labels.labels(),  labels.names(),
          table.unlabelled_line, table.unlabelled, std::move(table.guessed_column)};
}

std::vector<int> read_labels(const std::string& path) { return read_label_table(path).labels; }

std::vector<int> labels_of_ids(const LabelTable& table, const std::vector<std::string>& ids, const std::string& where) {
  std::unordered_map<std::string_view, int> label_of;
  for (std::size_t i = 0; i < table.ids.size(); ++i) label_of.emplace(table.ids[i], table.labels[i]);
  std::vector<int> labels;
  std::size_t found = 0;
  for (const std::string& id : ids) {
    const auto at = label_of.find(id);
    labels.push_back(at == label_of.end() ? kNoClass : at->second);
    found += at != label_of.end();
  }
  if (2 * found < std::min(table.ids.size(), ids.size())) {
    throw Error(ErrorKind::data,
                fmt::format("{}: has labels for {} of {} sample ids; ids are {} here and {} in the data: write them in "
                            "the same way",
                            where, found, ids.size(), table.ids.empty() ? "not there" : omvc::quoted(table.ids.front()),
                            omvc::quoted(ids.front())));
  }
  return labels;
}

std::vector<Index> read_order(const std::string& path) {
  LineReader lines(path);
  std::vector<Index> order;
  std::vector<Index> line_numbers;
  while (const auto line = lines.next()) {
    if (order.empty() && line->starts_with('#')) continue;
    order.push_back(read_row_number(lines, *line));
    line_numbers.push_back(lines.line_number());
  }
  if (order.empty()) fail_empty(path);
  const Index size = static_cast<Index>(order.size());
  std::vector<bool> seen(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= size) {
      throw Error(ErrorKind::data,
                  fmt::format("{}:{}: row {} cannot be: there are {} lines, so rows are 0 .. {} (numbered from 0)",
                              path, line_numbers[i], order[i], size, size - 1));
    }
    if (seen[static_cast<std::size_t>(order[i])]) {
      throw Error(ErrorKind::data, fmt::format("{}:{}: row {} was listed before; an order lists every row once", path,
                                               line_numbers[i], order[i]));
    }
    seen[static_cast<std::size_t>(order[i])] = true;
  }
  return order;
}

std::vector<bool> read_presence(const std::string& path, Index views) {
  const std::string start = first_bytes(split_fold(path).path);
  if (start.starts_with("MATLAB ")) return read_mat_mask(path, views);
  if (start.starts_with("\x93NUMPY")) return presence_from_matrix(read_npy_matrix(path), views, path);
  if (start.starts_with("PK\x03\x04")) return presence_from_matrix(read_npz_mask(path), views, path);
  LineReader lines(path);
  std::vector<bool> present;
  std::vector<std::string_view> fields;
  while (const auto line = lines.next()) {
    if (present.empty() && line->starts_with('#')) continue;
    split_fields(*line, detect_delimiter(*line), fields);
    if (static_cast<Index>(fields.size()) != views) {
      lines.fail(fmt::format("expected {} columns, one for each view, found {}", views, fields.size()));
    }
    for (std::size_t v = 0; v < fields.size(); ++v) {
      const auto value = parse_number(fields[v]);
      if (!value || (*value != 0.0 && *value != 1.0)) {
        lines.fail(fmt::format("column {}: {} is neither 0 nor 1", v + 1, omvc::quoted(fields[v])));
      }
      present.push_back(*value == 1.0);
    }
  }
  if (present.empty()) fail_empty(path);
  return present;
}

}  // namespace omvc
