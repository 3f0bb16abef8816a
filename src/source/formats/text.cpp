// What a text file is: its layout, its columns, and which of them holds ids.
#include "source/formats/text.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <unordered_set>

#include "omvc/error.hpp"

#include "source/formats/text_reader.hpp"
#include "source/table/id_names.hpp"
#include "source/table/titles.hpp"

namespace omvc {

TextReader::TextReader(const std::string& path, const std::string& view_name, const InputOptions& options)
    : records_(path), missing_words_(missing_words_of(options.text, options.like)), cells_(missing_words_) {
  wishes_.path = records_.path();
  wishes_.id_column = options.id_column.empty() ? "" : options.id_column.back();
  wishes_.text = options.text;
  known_ = !options.like.views.empty();
  if (known_) like_ = options.like.views.front().feature_names;
  if (known_) known_left_out_ = options.like.views.front().left_out;
  told_no_ids_ = wishes_.id_column == "none";
  read_prologue();
  find_possible_id();
  follow_model();
  find_columns(options.transpose);
  if (!options.transpose) note_ids_among_features();
  schema_ = {view_name, static_cast<Index>(columns_.features), columns_.feature_names, left_out(), missing_words_};
}

// The columns that are neither features nor ids, where they have names.
std::vector<std::string> TextReader::left_out() const {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < layout_.names.size() && j < columns_.all.size(); ++j) {
    if (columns_.all[j].kind == Column::Kind::left_out && layout_.id_column != j) names.push_back(layout_.names[j]);
  }
  return names;
}

std::vector<std::string> TextReader::notes() const {
  std::vector<std::string> all = layout_.notes;
  if (titles_ > 0) all.insert(all.begin(), title_note_);
  all.insert(all.end(), columns_.notes.begin(), columns_.notes.end());
  return all;
}

void TextReader::read_prologue() {
  records_.look_ahead(known_);
  sample_ = records_.sample();
  if (wishes_.text.separator.empty()) wishes_.text.separator = records_.separator();
  wishes_.names_line = records_.last_comment();
  titles_ = count_titles(wishes_, sample_, cells_);
  records_.skip_titles(titles_);
  const Index last_title = titles_ > 0 ? sample_[titles_ - 1].number : 0;
  sample_ = records_.sample();
  if (!sample_.empty()) layout_ = detect_text_layout(wishes_, sample_, cells_);
  if (sample_.empty() || layout_.columns == 0) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there are no data in the file{}; a view has one instance a line", path(),
                            sample_.empty() ? "" : " below its first line, which names the columns"));
  }
  if (titles_ > 0) {
    title_note_ = fmt::format("{}: the lines up to {} stand above the table and are left out", path(), last_title);
  }
  cells_.set_decimal(layout_.separation.decimal);
  if (layout_.header) records_.skip_first();
  fresh_ = true;
}

// Whether lines that have changed since the first reading still say the same of the columns; other values do not
// matter.
bool TextReader::same_layout(std::vector<TextLine> lines) {
  sample_ = std::move(lines);
  return !sample_.empty() && detect_text_layout(wishes_, sample_, cells_) == layout_;
}

// Most files hold numbers only, which their first lines show. Where they leave a doubt the whole file is looked at, as
// far as it can be read twice.
void TextReader::find_columns(bool transposed) {
  if (transposed) {
    if (!wishes_.text.columns.empty() || !wishes_.text.drop.empty()) {
      throw Error(ErrorKind::usage, fmt::format("{}: --columns and --drop do not go with --transpose", path()));
    }
    columns_.all.resize(layout_.columns);
    columns_.features = layout_.columns - (has_ids() ? 1 : 0);
    if (has_ids()) columns_.all[*layout_.id_column].kind = Column::Kind::left_out;
    return;
  }
  ColumnFinder finder(wishes_, layout_, cells_, like_);
  std::vector<std::string_view> fields;
  const auto add_sample = [&] {
    for (std::size_t i = layout_.header ? 1 : 0; i < sample_.size(); ++i) {
      split_fields(sample_[i].text, layout_.separation.delimiter, fields);
      if (fields.size() >= layout_.columns) finder.add(fields);
    }
  };
  add_sample();
  if (finder.in_doubt()) {
    finder.look_closer();
    if (rewind()) {
      read_through(&finder);
    } else {
      add_sample();
    }
  }
  columns_ = finder.finish();
}

// A first column of whole numbers, each once, under a name: ids, if the other files have the same.
void TextReader::find_possible_id() {
  if (has_ids() || layout_.names.empty() || layout_.columns < 2 || !wishes_.id_column.empty()) return;
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> fields;
  for (std::size_t i = layout_.header ? 1 : 0; i < sample_.size(); ++i) {
    split_fields(sample_[i].text, layout_.separation.delimiter, fields);
    if (!parse_index(fields[0]) || !seen.insert(fields[0]).second) return;
  }
  if (seen.size() >= 2) possible_id_ = layout_.names[0];
}

// A column that is a feature of the model holds no ids; a first one of possible ids that is none of its features does.
void TextReader::follow_model() {
  if (like_.empty() || layout_.names.empty() || !wishes_.id_column.empty()) return;
  const std::string& name = layout_.names[layout_.id_column.value_or(0)];
  const bool is_feature = std::any_of(like_.begin(), like_.end(), [&](const std::string& feature) {
    return feature == name || feature.starts_with(name + "=");
  });
  if (is_feature && has_ids()) {
    wishes_.id_column = "none";
  } else if (!is_feature && !possible_id_.empty()) {
    wishes_.id_column = possible_id_;
  } else {
    return;
  }
  layout_ = detect_text_layout(wishes_, sample_, cells_);
}

IdColumns TextReader::id_columns() const {
  IdColumns found;
  found.expected = !told_no_ids_;
  const auto is_known = [&](const std::string& name) {
    return std::find(like_.begin(), like_.end(), name) != like_.end() ||
           std::find(known_left_out_.begin(), known_left_out_.end(), name) != known_left_out_.end();
  };
  for (std::size_t j = 0; j < layout_.names.size(); ++j) {
    if (layout_.id_column == j) {
      found.used = layout_.names[j];
    } else if (!columns_.all[j].dropped && !is_known(layout_.names[j])) {
      if (means_ids(layout_.names[j])) found.unused.push_back(layout_.names[j]);
      if (columns_.all[j].words) found.words.push_back(layout_.names[j]);
    }
  }
  return found;
}

// Numbers that are called like ids are features, for nothing says that they name anything; whoever reads this knows.
void TextReader::note_ids_among_features() {
  if (!like_.empty() || told_no_ids_) return;
  std::vector<std::string_view> fields;
  for (std::size_t j = 0; j < layout_.names.size(); ++j) {
    const std::string& name = layout_.names[j];
    if (layout_.id_column == j || columns_.all[j].kind != Column::Kind::number || !means_ids(name)) continue;
    std::unordered_set<std::string_view> different;
    std::size_t values = 0;
    bool whole = true;
    for (std::size_t i = layout_.header ? 1 : 0; i < sample_.size(); ++i) {
      split_fields(sample_[i].text, layout_.separation.delimiter, fields);
      if (fields.size() <= j || cells_.is_missing(fields[j])) continue;
      ++values;
      whole = whole && parse_index(fields[j]).has_value();
      different.insert(fields[j]);
    }
    if (!whole || values < 2) continue;
    const bool once = 10 * different.size() >= 9 * values;
    const std::string text = omvc::quoted(name);
    columns_.notes.push_back(
        fmt::format("{}: column {} {} and is taken for a feature: leave it out with --drop {}{}", path(), text,
                    once ? "looks like sample ids" : "is called like sample ids, though its values come several times,",
                    text, once ? fmt::format(", or say that it holds the ids: --id-column {}", text) : ""));
  }
}

// The column becomes that of the ids without reading anything again, where nothing else follows from it.
bool TextReader::take_possible_ids() {
  if (has_ids()) return layout_.id_column == 0;
  if (possible_id_.empty() || titles_ > 0) return false;
  LayoutWishes wishes = wishes_;
  wishes.id_column = possible_id_;
  const CellFormat cells(missing_words_);
  if (count_titles(wishes, sample_, cells) > 0) return false;
  const TextLayout layout = detect_text_layout(wishes, sample_, cells);
  TextLayout rest = layout;
  rest.id_column.reset();
  Column& first = columns_.all[0];
  if (layout.id_column != 0 || rest != layout_ || first.kind == Column::Kind::category) return false;
  if (first.kind == Column::Kind::number && columns_.features == 1) return false;
  without_ids_ = {layout_, columns_, schema_};
  wishes_.id_column = possible_id_;
  layout_ = layout;
  if (first.kind == Column::Kind::number) {
    first.kind = Column::Kind::left_out;
    --columns_.features;
    columns_.feature_names.erase(columns_.feature_names.begin());
  }
  schema_ = {schema_.name, static_cast<Index>(columns_.features), columns_.feature_names, left_out(), missing_words_};
  return true;
}

void TextReader::drop_possible_ids() {
  if (!without_ids_) return;
  wishes_.id_column.clear();
  layout_ = std::move(without_ids_->layout);
  columns_ = std::move(without_ids_->columns);
  schema_ = std::move(without_ids_->schema);
  without_ids_.reset();
  ids_.reset();
}

std::unique_ptr<ViewReader> open_text(const std::string& path, const std::string& view_name,
                                      const InputOptions& options) {
  auto reader = std::make_unique<TextReader>(path, view_name, options);
  if (options.transpose) return reader->transposed();
  return reader;
}

}  // namespace omvc
