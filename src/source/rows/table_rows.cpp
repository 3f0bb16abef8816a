#include "source/rows/table_rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "omvc/error.hpp"

#include "source/rows/column_views.hpp"
#include "source/rows/json_row.hpp"
#include "source/table/marks.hpp"
#include "source/table/records.hpp"

namespace omvc {
namespace {

// Whoever reads the answers knows the line.
const std::string& no_path() {
  static const std::string none;
  return none;
}

using Fields = std::vector<std::string_view>;

Fields fields_of(std::string_view line) {
  Fields fields;
  split_fields(line, shown_separator(line).value_or(Delimiter::blanks), fields);
  return fields;
}

std::ptrdiff_t filled(const Fields& fields) {
  return std::count_if(fields.begin(), fields.end(), [](std::string_view field) { return !field.empty(); });
}

// A view that the model lacks is a mistake in the header, not in the line.
std::optional<std::size_t> view_in(RowBuilder& row, const std::string& name) {
  try {
    return row.view(name, false);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, error.what());
  }
}

void check_line(std::string_view line, ErrorKind kind) {
  if (line.find('\r') != std::string_view::npos) {
    throw Error(kind,
                "there is a carriage return inside the line; if lines end with it, convert them with tr '\\r' '\\n'");
  }
  if (line.find('"') != std::string_view::npos && ends_in_quotes(line)) {
    throw Error(kind,
                "a field begins with a quote that is not closed; close it (a row of a stream is one line), or double "
                "the quote if it belongs to the text");
  }
}

}  // namespace

TableRows::TableRows(const RowsLike& like)
    : cells_(missing_words_of(like.text, like.schema)), row_(no_path(), layout_, cells_, columns_) {
  wishes_.path = "the stream";
  wishes_.id_column = like.id_column;
  wishes_.text = like.text;
  wishes_.text.header = "yes";
  wishes_.streamed = true;
}

// Whether the line has nothing but numbers and missing values in it, and the model does not call its features so. An
// empty field in the first place is the name that pandas gives to the ids.
bool TableRows::is_all_numbers(std::string_view line, const RowBuilder& row) const {
  const Fields fields = fields_of(line);
  if (fields.front().empty()) return false;
  const ColumnViews views(row.like());
  return std::all_of(fields.begin(), fields.end(), [&](std::string_view field) {
    return cells_.parse(field).has_value() && !views.knows(std::string(field));
  });
}

// Whether the line is the header, and the one that was taken for it a title: it has more fields, all of them words, and
// the title names no feature of the model.
bool TableRows::is_header_below(std::string_view line, const RowBuilder& row) const {
  const Fields fields = fields_of(line);
  const Fields above = fields_of(header_.text);
  const ColumnViews views(row.like());
  const auto known = [&](std::string_view field) { return views.knows(unescape_field(field)); };
  const auto is_word = [&](std::string_view field) { return !cells_.parse(field); };
  return shown_separator(line) && filled(fields) > filled(above) && std::none_of(above.begin(), above.end(), known) &&
         std::all_of(fields.begin() + (fields.front().empty() ? 1 : 0), fields.end(), is_word);
}

// Takes what comes before the data. Returns false if this is a line of data.
bool TableRows::is_prologue(std::string_view line, Index number, const RowBuilder& row) {
  if (decided_) return comment_ && line.starts_with('#');
  const bool first = header_.text.empty();
  if (line.starts_with('#') && (comment_ || first)) {
    comment_ = std::string(trim(line.substr(1)));
    return true;
  }
  if (first && number == 1 && line.size() == 5 && line.starts_with("sep=")) {
    if (wishes_.text.separator.empty()) wishes_.text.separator = std::string(1, line.back());
    return true;
  }
  // Spreadsheets fill up the lines around a title with separators.
  if (!first && filled(fields_of(header_.text)) == 1 && filled(fields_of(line)) == 0) return true;
  if (!first && !is_header_below(line, row)) return false;
  if (line.starts_with('[') || line.starts_with('<')) refuse_header();
  if (first && is_all_numbers(line, row)) {
    // numpy.savetxt and others write the names behind a #.
    if (!comment_ || fields_of(*comment_).size() != fields_of(line).size()) refuse_header();
    header_ = {number - 1, *comment_};
    return false;
  }
  header_ = {number, std::string(line)};
  return true;
}

// The column of ids: a number from 1, or "none".
std::string TableRows::find_id(const std::string& separator, std::string_view line, const ColumnViews& views) const {
  Fields head;
  Fields fields;
  split_fields(header_.text, separator_by_name(separator), head);
  split_fields(line, separator_by_name(separator), fields);
  std::vector<std::string> names;
  for (const std::string_view field : head) names.push_back(unescape_field(field));
  const bool told = !wishes_.id_column.empty();
  const std::string found = told ? wishes_.id_column : views.id_column(names);
  // R's write.table does not name the ids, and there may be a separator behind the last field.
  const bool more = fields.size() > head.size() && !fields.back().empty();
  const bool unnamed = more && fields.size() == head.size() + 1 && found == "none" && !told;
  // Half a line, or one and a half, must not pass for another table.
  if (shown_separator(header_.text) && (fields.size() < head.size() || (more && !unnamed && !told))) {
    throw Error(ErrorKind::data,
                fmt::format("expected {} columns, found {}; every line must have as many as the first line names",
                            head.size(), fields.size()));
  }
  return unnamed ? "1" : found;
}

// The features of the model under the names that the columns have here.
std::vector<std::string> TableRows::features_of_model(const std::vector<ColumnPlace>& places,
                                                      const Schema& model) const {
  std::vector<std::string> like;
  for (const ViewSchema& view : model.views) {
    bool first = true;
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (places[j].view != view.name) continue;
      const std::string& title = layout_.names[j];
      const std::string start = title.substr(0, title.size() - places[j].feature.size());
      if (view.feature_names.empty()) like.push_back(title);  // they are matched by place
      if (!std::exchange(first, false)) continue;
      for (const std::string& feature : view.feature_names) like.push_back(start + feature);
    }
  }
  return like;
}

void TableRows::find_layout(std::string_view line, Index number, RowBuilder& row) {
  LayoutWishes wishes = wishes_;
  std::string& separator = wishes.text.separator;
  if (separator.empty()) {
    const auto shown = shown_separator(header_.text);
    const Separation found = find_separation({header_.text, line}, "", wishes.text.decimal, cells_);
    separator = static_cast<char>(shown.value_or(found.delimiter));
  }
  const ColumnViews views(row.like());
  wishes.id_column = find_id(separator, line, views);
  layout_ = detect_text_layout(wishes, {header_, {number, std::string(line)}}, cells_);
  cells_.set_decimal(wishes.text.decimal.empty() ? Decimal::open : layout_.separation.decimal);
  const std::vector<ColumnPlace> places = views.places(layout_.names, layout_.id_column);
  const std::vector<std::string> like = features_of_model(places, row.like().schema);
  row_.split(line, number);
  ColumnFinder finder(wishes, layout_, cells_, like);
  finder.add(row_.fields());
  finder.look_closer();
  finder.add(row_.fields());
  columns_ = finder.finish();
  leave_out_extra(places, views, row.like().ignore_extra);
  group(places);
  match(row);
  notes_ = layout_.notes;
  notes_.insert(notes_.end(), columns_.notes.begin(), columns_.notes.end());
}

// Columns of numbers that the model lacks: those that its fit left out are left out again, and others are refused,
// since a column of another name may be what the model learned.
void TableRows::leave_out_extra(const std::vector<ColumnPlace>& places, const ColumnViews& views, bool ignore_extra) {
  std::string again;
  std::string unknown;
  std::string list;
  for (std::size_t j = 0; j < places.size(); ++j) {
    Column& column = columns_.all[j];
    if (!places[j].extra || column.kind == Column::Kind::left_out) continue;
    column.kind = Column::Kind::left_out;
    const std::string& name = layout_.names[j];
    if (views.was_left_out(name)) {
      again += (again.empty() ? "" : ", ") + omvc::quoted(name);
    } else {
      unknown += (unknown.empty() ? "" : ", ") + omvc::quoted(name);
      list += (list.empty() ? "" : ",") + name;
    }
  }
  if (!unknown.empty() && !ignore_extra) {
    throw Error(ErrorKind::usage,
                fmt::format("the model has no feature {}; leave out what it does not know with --ignore-extra or "
                            "--drop {} (--id-column names the ids)",
                            unknown, omvc::quoted(list)));
  }
  const auto note = [&](const std::string& names, const char* why) {
    if (!names.empty()) columns_.notes.push_back(fmt::format("{}: left out, {}: {}", wishes_.path, why, names));
  };
  note(again, "as by the fit");
  note(unknown, "since the model has no such features");
}

// Brings the columns together that belong to a view.
void TableRows::group(const std::vector<ColumnPlace>& places) {
  views_.clear();
  for (std::size_t j = 0; j < places.size(); ++j) {
    Column& column = columns_.all[j];
    const std::string& name = places[j].view;
    const std::string& feature = places[j].feature;
    if (name.empty()) column.kind = Column::Kind::left_out;
    if (column.kind == Column::Kind::left_out) continue;
    auto view = std::find_if(views_.begin(), views_.end(), [&](const View& one) { return one.name == name; });
    if (view == views_.end()) view = views_.insert(views_.end(), {.name = name});
    if (column.kind == Column::Kind::number) view->features.push_back(feature);
    for (const std::string& value : column.values) view->features.push_back(feature + "=" + value);
    view->columns.resize(view->features.size(), j);
  }
}

// Finds the views and their features in the model, or adds them to it.
void TableRows::match(RowBuilder& row) {
  std::vector<std::vector<Target>> targets(columns_.all.size());
  for (std::size_t v = 0; v < views_.size(); ++v) {
    View& view = views_[v];
    std::vector<std::optional<std::size_t>> to(view.features.size());
    if (const auto place = view_in(row, view.name)) {
      view.place = *place;
      to = row.columns(*place, view.features);
      view.values.resize(static_cast<std::size_t>(row.like().schema.views[*place].features));
    }
    for (std::size_t k = 0; k < to.size(); ++k) {
      if (to[k]) targets[view.columns[k]].push_back({v, *to[k]});
    }
  }
  targets_.clear();
  for (std::size_t j = 0; j < targets.size(); ++j) {
    if (targets[j].empty()) columns_.all[j].kind = Column::Kind::left_out;  // the model lacks it
    targets_.insert(targets_.end(), targets[j].begin(), targets[j].end());
  }
}

// The decimal mark that most of the numbers of this line show, if any does. In a table of commas a point is one.
void TableRows::find_decimal() {
  Index points = 0;
  Index commas = 0;
  for (std::size_t j = 0; j < columns_.all.size(); ++j) {
    if (columns_.all[j].kind != Column::Kind::number) continue;
    const auto marked = split_mark(row_.fields()[j]);
    const std::string_view cell = marked ? std::string_view(marked->number) : row_.fields()[j];
    const Decimal shown = decimal_of(cell);
    const bool point = layout_.separation.delimiter == Delimiter::comma && cell.find('.') != std::string_view::npos &&
                       cell.find(',') == std::string_view::npos && parse_grouped_number(cell, Decimal::point);
    points += shown == Decimal::point || point;
    commas += shown == Decimal::comma;
  }
  if (points + commas > 0) cells_.set_decimal(commas > points ? Decimal::comma : Decimal::point);
}

void TableRows::add(RowBuilder& row) {
  if (cells_.decimal() == Decimal::open) find_decimal();
  values_.clear();
  row_.append_values(values_);
  for (View& view : views_) view.values.assign(view.values.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < values_.size(); ++k) views_[targets_[k].view].values[targets_[k].feature] = values_[k];
  for (const View& view : views_) {
    if (!view.values.empty()) row.add_dense(view.place, view.values);
  }
}

bool TableRows::read(std::string_view line, Index number, RowBuilder& row, std::string& id) {
  check_line(line, header_.text.empty() ? ErrorKind::usage : ErrorKind::data);
  if (is_prologue(line, number, row)) return false;
  const Decimal decimal = cells_.decimal();
  try {
    if (!decided_) find_layout(line, number, row);
    const auto remember_id = [&] {
      const Fields& fields = row_.fields();
      const auto column = layout_.id_column;
      if (column && *column < fields.size()) id = json_string(unescape_field(fields[*column]));
    };
    try {
      row_.split(line, number);
    } catch (const Error&) {
      remember_id();
      throw;
    }
    remember_id();
    add(row);
  } catch (...) {
    cells_.set_decimal(decimal);
    throw;
  }
  decided_ = true;
  return true;
}

}  // namespace omvc
