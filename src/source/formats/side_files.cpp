#include <algorithm>
#include <fmt/core.h>

#include "omvc/error.hpp"
#include "omvc/input.hpp"

#include "source/formats/content.hpp"
#include "source/formats/mat.hpp"
#include "source/formats/npy.hpp"
#include "source/formats/npz.hpp"
#include "source/table/labels.hpp"
#include "source/table/line_reader.hpp"
#include "source/table/presence.hpp"

namespace omvc {
namespace {

// Files with the header id,label are those of make_label_sink: the ids are left out.
std::vector<std::string> read_words(LineReader& lines) {
  std::optional<Delimiter> ids_before;  // what separates the ids from the labels
  std::vector<std::string> words;
  std::vector<std::string_view> fields;
  while (const auto line = lines.next()) {
    if (words.empty() && line->starts_with('#')) continue;
    // Blanks do not separate: a class may be called "B cells".
    const Delimiter delimiter = ids_before.value_or(detect_delimiter(*line));
    split_fields(*line, delimiter == Delimiter::blanks ? Delimiter::comma : delimiter, fields);
    if (words.empty() && !ids_before && fields.size() == 2 && fields[0] == "id" && fields[1] == "label") {
      ids_before = delimiter;
      continue;
    }
    if (ids_before && fields.size() == 2) fields.erase(fields.begin());
    if (fields.size() != 1) {
      lines.fail(
          fmt::format("expected one label, found {} columns; keep the column with the labels only", fields.size()));
    }
    if (fields.front().empty()) lines.fail("the label is missing; every instance needs one");
    words.emplace_back(fields.front());
  }
  return words;
}

[[noreturn]] void fail_empty(const std::string& path) {
  throw Error(ErrorKind::data, fmt::format("{}: the file is empty; it needs one line for every instance", path));
}

Index read_row_number(LineReader& lines, std::string_view text) {
  const auto number = parse_index(trim(text));
  if (!number) lines.fail(fmt::format("{} is not a row number", quoted(text)));
  if (*number < 0) lines.fail(fmt::format("row {} cannot be; rows are numbered from 0", *number));
  return *number;
}

}  // namespace

std::vector<int> read_labels(const std::string& path) {
  LineReader lines(path);
  std::vector<std::string> words = read_words(lines);
  // A word above nothing but numbers is the name of the column.
  const auto is_label = [](const std::string& word) { return parse_label(word).has_value(); };
  if (words.size() > 1 && !is_label(words.front()) && std::all_of(words.begin() + 1, words.end(), is_label)) {
    words.erase(words.begin());
  }
  if (words.empty()) fail_empty(path);
  return number_labels(words);
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
        lines.fail(fmt::format("column {}: {} is neither 0 nor 1", v + 1, quoted(fields[v])));
      }
      present.push_back(*value == 1.0);
    }
  }
  if (present.empty()) fail_empty(path);
  return present;
}

}  // namespace omvc
