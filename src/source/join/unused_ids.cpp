#include "source/join/unused_ids.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <unordered_map>

#include "omvc/error.hpp"

#include "source/table/cell.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

using Readers = std::vector<std::unique_ptr<ViewReader>>;

// A column of one file that is called like the ids.
struct Candidate {
  std::string name;  // as this file writes it
  bool used = false;
};

std::optional<Candidate> find_candidate(const IdColumns& columns, const std::string& lower_name) {
  if (lower_case(columns.used) == lower_name) return Candidate{columns.used, true};
  for (const std::string& name : columns.unused) {
    if (lower_case(name) == lower_name) return Candidate{name, false};
  }
  return std::nullopt;
}

// The values of a column of ids, and the first that comes twice.
struct Values {
  bool are_ids = false;  // they (nearly) all differ
  struct Twice {
    std::string id;
    Index first = 0;
    Index again = 0;
  };
  std::optional<Twice> twice;
};

Values look_at(const std::vector<std::string>& cells) {
  Values found;
  std::unordered_map<std::string, Index> row_of;
  std::size_t values = 0;
  std::size_t fractions = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) continue;
    ++values;
    const auto number = parse_number(cells[i]);
    fractions += number && *number != std::floor(*number);
    const auto [known, is_new] = row_of.try_emplace(cells[i], static_cast<Index>(i));
    if (!is_new && !found.twice) found.twice = Values::Twice{cells[i], known->second, static_cast<Index>(i)};
  }
  found.are_ids = values >= 2 && 10 * fractions < values && 10 * row_of.size() >= 9 * values;
  return found;
}

[[noreturn]] void refuse_twice(ViewReader& reader, const std::string& name, const Values::Twice& twice) {
  const std::string first = reader.place(twice.first);
  throw Error(ErrorKind::data,
              fmt::format("{}: the sample id {} in column {} was given before, at {}; every id belongs to one instance "
                          "(if this is no column of ids, say --id-column {}, and the files are joined by row)",
                          reader.place(twice.again), omvc::quoted(twice.id), omvc::quoted(name), first,
                          omvc::quoted(reader.schema().name + "=none")));
}

// `how` says how the files would be joined otherwise: by row, or by numbers of rows, which `leave` leaves out.
[[noreturn]] void refuse(const Readers& readers, const std::vector<Candidate>& columns, const std::string& how,
                         const std::string& leave = "") {
  std::string files;
  bool same = true;
  for (std::size_t v = 0; v < readers.size(); ++v) {
    if (!columns[v].used) files += (files.empty() ? "" : ", ") + readers[v]->path();
    same = same && columns[v].name == columns[0].name;
  }
  std::string wish;
  std::string drop;
  for (std::size_t v = 0; v < (same ? 1 : readers.size()); ++v) {
    const std::string column =
        same ? omvc::quoted(columns[v].name) : omvc::quoted(readers[v]->schema().name + "=" + columns[v].name);
    wish += fmt::format("{}--id-column {}", v == 0 ? "" : " ", column);
    drop += fmt::format("{}--drop {}", v == 0 ? "" : " ", column);
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: column {} looks like sample ids, which every file has, but the files would be joined by "
                          "{}: say {} to join them by it, or {} to leave it out and join by {}",
                          files, omvc::quoted(columns[0].name), how, wish + leave, drop, how));
}

// Whether the ids only number rows, as pandas and R write them beside rows that have no names: whole numbers that
// ascend. Numbers are left out where rows were filtered. Under a name, they are 0, 1, 2, ... or 1, 2, 3, ...
bool only_number_rows(const std::vector<std::string>& ids, bool named) {
  if (ids.size() < 2) return false;
  Index before = -1;
  for (const std::string& id : ids) {
    const auto number = parse_index(id);
    if (!number || *number <= before) return false;
    before = *number;
  }
  return !named || ((ids.front() == "0" || ids.front() == "1") &&
                    before - *parse_index(ids.front()) + 1 == static_cast<Index>(ids.size()));
}

// A column of words in which values (nearly) all differ.
struct Words {
  Candidate column;
  std::unordered_map<std::string, std::size_t> row_of;
};

std::optional<Words> read_words(ViewReader& reader, const Candidate& column) {
  std::vector<std::string> cells = column.used ? reader.all_ids() : reader.cells_of(column.name);
  if (!look_at(cells).are_ids) return std::nullopt;
  Words words{column, {}};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].empty()) words.row_of.try_emplace(std::move(cells[i]), i);
  }
  return words;
}

// Whether two columns have most of their values in common, and some of these in rows that would not be joined. `keys`
// are what rows are joined by, for each file; none where they are joined by row.
bool would_part(const Words& a, const Words& b, const std::vector<std::string>* a_keys,
                const std::vector<std::string>* b_keys) {
  std::size_t shared = 0;
  bool parted = false;
  for (const auto& [value, row] : a.row_of) {
    const auto other = b.row_of.find(value);
    if (other == b.row_of.end()) continue;
    ++shared;
    parted = parted || (a_keys == nullptr ? row != other->second : (*a_keys)[row] != (*b_keys)[other->second]);
  }
  return parted && 2 * shared > std::min(a.row_of.size(), b.row_of.size());
}

// The columns that hold most of the values of one of the first file's, one in every file, where files would be joined
// so that a value meets another; none where there are no such columns. Without `keys` they would be joined by row.
std::vector<Candidate> find_shared_words(const Readers& readers, const std::vector<IdColumns>& columns,
                                         const std::vector<std::vector<std::string>>& keys) {
  std::vector<std::vector<Words>> words(readers.size());
  const auto candidates = [&](const IdColumns& one) { return one.words.size() + (keys.empty() && !one.used.empty()); };
  if (!std::all_of(columns.begin(), columns.end(), [&](const auto& one) { return candidates(one) > 0; })) return {};
  for (std::size_t v = 0; v < readers.size(); ++v) {
    std::vector<Candidate> own;
    if (keys.empty() && !columns[v].used.empty()) own.push_back({columns[v].used, true});
    for (const std::string& name : columns[v].words) own.push_back({name, false});
    for (const Candidate& one : own) {
      if (auto found = read_words(*readers[v], one)) words[v].push_back(std::move(*found));
    }
  }
  for (const Words& first : words[0]) {
    std::vector<Candidate> found{first.column};
    for (std::size_t v = 1; v < readers.size(); ++v) {
      const auto same = std::find_if(words[v].begin(), words[v].end(), [&](const Words& other) {
        return would_part(first, other, keys.empty() ? nullptr : &keys[0], keys.empty() ? nullptr : &keys[v]);
      });
      if (same != words[v].end()) found.push_back(same->column);
    }
    const bool used = std::all_of(found.begin(), found.end(), [](const Candidate& one) { return one.used; });
    if (found.size() == readers.size() && !used) return found;
  }
  return {};
}

}  // namespace

void check_unused_ids(const Readers& readers) {
  if (readers.size() < 2) return;
  std::vector<IdColumns> columns;
  for (const auto& reader : readers) {
    columns.push_back(reader->id_columns());
    if (!columns.back().expected || !reader->rewind()) return;
  }
  std::vector<std::string> names = columns.front().unused;
  if (!columns.front().used.empty()) names.insert(names.begin(), columns.front().used);
  for (const std::string& name : names) {
    std::vector<Candidate> own;
    for (const IdColumns& one : columns) {
      if (const auto found = find_candidate(one, lower_case(name))) own.push_back(*found);
    }
    if (own.size() < readers.size()) continue;
    bool all = true;
    bool used = false;
    std::vector<Values> values;
    for (std::size_t v = 0; v < readers.size(); ++v) {
      values.push_back(look_at(own[v].used ? readers[v]->all_ids() : readers[v]->cells_of(own[v].name)));
      all = all && values[v].are_ids;
      used = used || (own[v].used && values[v].are_ids);
    }
    if (!all && !used) continue;
    for (std::size_t v = 0; v < readers.size(); ++v) {
      if (values[v].twice) refuse_twice(*readers[v], own[v].name, *values[v].twice);
    }
    refuse(readers, own, "row");
  }
  const std::vector<Candidate> words = find_shared_words(readers, columns, {});
  if (!words.empty()) refuse(readers, words, "row");
}

void check_numbered_rows(const Readers& readers) {
  if (readers.size() < 2) return;
  std::vector<IdColumns> columns;
  for (const auto& reader : readers) {
    columns.push_back(reader->id_columns());
    const std::string used = lower_case(columns.back().used);
    if (columns.back().unused.empty() && columns.back().words.empty()) return;
    if (!(used.empty() || used == "unnamed: 0" || used == "index")) return;
  }
  std::vector<std::vector<std::string>> numbers;
  for (std::size_t v = 0; v < readers.size(); ++v) {
    numbers.push_back(readers[v]->all_ids());
    if (!only_number_rows(numbers.back(), lower_case(columns[v].used) == "index")) return;
  }
  const std::string& title = columns.front().used;
  const std::string leave = " --drop " + (title.empty() ? "1" : omvc::quoted(title));
  const std::string how = "the numbers of their rows";
  for (const std::string& name : columns.front().unused) {
    std::vector<Candidate> own;
    for (const IdColumns& one : columns) {
      if (const auto found = find_candidate(one, lower_case(name)); found && !found->used) own.push_back(*found);
    }
    if (own.size() < readers.size()) continue;
    bool all = true;
    for (std::size_t v = 0; v < readers.size() && all; ++v) {
      all = look_at(readers[v]->cells_of(own[v].name)).are_ids;
    }
    if (all) refuse(readers, own, how, leave);
  }
  const std::vector<Candidate> words = find_shared_words(readers, columns, numbers);
  if (!words.empty()) refuse(readers, words, how, leave);
}

std::optional<std::string> note_by_row(const Readers& readers) {
  if (readers.size() < 2) return std::nullopt;
  std::vector<std::string> tables;
  for (const auto& reader : readers) {
    if (reader->has_ids()) return std::nullopt;
    if (reader->id_columns().expected) tables.push_back(reader->path());
  }
  if (tables.empty()) return std::nullopt;
  return fmt::format(
      "{}{}: without sample ids, so the files are joined by row: a row of each is one instance (--id-column "
      "names a column of ids; none says that there is none)",
      tables.front(), tables.size() > 1 ? fmt::format(" and {} more", tables.size() - 1) : "");
}

}  // namespace omvc
