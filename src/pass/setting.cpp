#include "pass/setting.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "scale/columns.hpp"

namespace omvc {
namespace {

void put_scaling(Archive& archive, const std::string& key, const ViewScaling& scaling, Index clipped) {
  std::vector<Index> flags{scaling.known, scaling.clip, scaling.refuse_negatives, scaling.unit_rows, clipped};
  // A program that knows of no log ratios refuses a model that needs them, and reads all others.
  if (scaling.log_ratios) flags.push_back(1);
  archive.put(key + "/flags", flags);
  archive.put(key + "/factor", scaling.factor);
  archive.put(key + "/shift", scaling.shift);
  archive.put(key + "/gain", scaling.gain);
  archive.put(key + "/fill", scaling.fill);
  archive.put(key + "/description", scaling.description);
  if (!scaling.reason.empty()) archive.put(key + "/reason", scaling.reason);
  if (!scaling.ceiling.empty()) archive.put(key + "/ceiling", scaling.ceiling);
  if (!scaling.missing_below.empty()) {
    archive.put(key + "/missing_below", scaling.missing_below);
    archive.put(key + "/missing_above", scaling.missing_above);
  }
  if (!scaling.unit.empty()) archive.put(key + "/unit", scaling.unit);
  std::vector<double> notes;
  for (const ColumnNote& note : scaling.notes) {
    notes.insert(notes.end(),
                 {static_cast<double>(note.kind), static_cast<double>(note.feature), note.cells, note.value});
  }
  if (!notes.empty()) archive.put(key + "/notes", std::move(notes));
}

// What was found in the columns. Throws ErrorKind::data for what cannot be.
std::vector<ColumnNote> get_notes(const Archive& archive, const std::string& key, Index features) {
  std::vector<ColumnNote> notes;
  if (!archive.has(key)) return notes;
  const std::vector<double>& numbers = archive.numbers(key, kFinite);
  bool sound = numbers.size() % 4 == 0;
  for (std::size_t at = 0; sound && at < numbers.size(); at += 4) {
    const double kind = numbers[at];
    const double feature = numbers[at + 1];
    sound = kind >= 0 && kind <= static_cast<double>(ColumnNote::Kind::heavy_tail) && feature >= 0 &&
            feature < static_cast<double>(features) && numbers[at + 2] >= 0 && numbers[at + 2] <= kCount.high;
    if (!sound) break;
    notes.push_back(
        {static_cast<ColumnNote::Kind>(kind), static_cast<std::size_t>(feature), numbers[at + 2], numbers[at + 3]});
  }
  if (!sound) throw Error(ErrorKind::data, fmt::format("what '{}' says of columns cannot be", key));
  return notes;
}

ViewScaling get_scaling(const Archive& archive, const std::string& key, Index features, Index& clipped) {
  const auto& flags = archive.integers(key + "/flags");
  ViewScaling scaling;
  scaling.shift = archive.numbers(key + "/shift", kSquarable);
  scaling.gain = archive.numbers(key + "/gain", kSquarable);
  scaling.fill = archive.numbers(key + "/fill", kSquarable);
  const auto fits = [&](const std::vector<double>& values) {
    return values.empty() || static_cast<Index>(values.size()) == features;
  };
  if (archive.has(key + "/ceiling")) scaling.ceiling = archive.numbers(key + "/ceiling", kSquarable);
  if (archive.has(key + "/unit")) scaling.unit = archive.numbers(key + "/unit", kSquarable);
  if (archive.has(key + "/missing_below")) {
    scaling.missing_below = archive.numbers(key + "/missing_below", kSquarable);
    scaling.missing_above = archive.numbers(key + "/missing_above", kSquarable);
  }
  scaling.notes = get_notes(archive, key + "/notes", features);
  const bool ratios = flags.size() == 6;
  if ((flags.size() != 5 && !ratios) || flags[4] < 0 || !fits(scaling.shift) || !fits(scaling.gain) ||
      !fits(scaling.fill) || !fits(scaling.ceiling) || !fits(scaling.unit) || !fits(scaling.missing_below) ||
      scaling.missing_above.size() != scaling.missing_below.size()) {
    throw Error(ErrorKind::data, fmt::format("the model's scaling '{}' does not fit its schema", key));
  }
  scaling.known = flags[0] != 0;
  scaling.clip = flags[1] != 0;
  scaling.refuse_negatives = flags[2] != 0;
  scaling.unit_rows = flags[3] != 0;
  clipped = flags[4];
  scaling.log_ratios = ratios;
  for (const std::vector<double>* values : {&scaling.shift, &scaling.gain, &scaling.fill}) {
    if (!ratios || static_cast<Index>(values->size()) == features) continue;
    throw Error(ErrorKind::data, fmt::format("the model's scaling '{}' does not fit its schema", key));
  }
  scaling.factor = archive.number(key + "/factor", kSquarable);
  scaling.description = archive.text(key + "/description");
  if (archive.has(key + "/reason")) scaling.reason = archive.text(key + "/reason");
  return scaling;
}

}  // namespace

std::vector<ColumnReport> column_reports(const ViewScaling& scaling, const ViewSchema& schema) {
  constexpr std::array kNames{"glitches", "missing_word", "heavy_tail"};
  std::vector<ColumnReport> out;
  for (const ColumnNote& note : scaling.notes) {
    out.push_back({.name = unit_name({note.feature, note.feature + 1}, schema),
                   .found = scaling.ceiling.empty() && note.kind == ColumnNote::Kind::glitches
                                ? "far"
                                : kNames[static_cast<std::size_t>(note.kind)],
                   .cells = static_cast<Index>(note.cells),
                   .value = note.value});
  }
  return out;
}

void Setting::put(Archive& archive) const {
  for_each_param([&](const auto& param) {
    if (!decides_result(param.name) || !is_told(options, param.name)) return;
    archive.put(fmt::format("option/{}", param.name), format_option(options, param.name));
  });
  std::vector<std::string> names;
  std::vector<Index> features;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    names.push_back(schema.views[v].name);
    features.push_back(schema.views[v].features);
    archive.put(fmt::format("view{}/feature_names", v), schema.views[v].feature_names);
    const ViewSchema& view = schema.views[v];
    if (!view.left_out.empty()) archive.put(fmt::format("view{}/left_out", v), view.left_out);
    if (!view.missing_words.empty()) archive.put(fmt::format("view{}/missing_words", v), view.missing_words);
    if (schema.views[v].first_number != 0) {
      archive.put(fmt::format("view{}/first_number", v), std::vector<Index>{schema.views[v].first_number});
    }
    put_scaling(archive, fmt::format("view{}/scaling", v), scaling[v], clipped[v]);
  }
  archive.put("schema/names", names);
  archive.put("schema/features", features);
}

void Setting::get(const Archive& archive) {
  Options read = options;
  for_each_param([&](const auto& param) {
    const std::string key = fmt::format("option/{}", param.name);
    // An option that is younger than the file has the value that it had no name for: its default.
    if (decides_result(param.name) && archive.has(key)) parse_option(read, param.name, archive.text(key));
  });
  if (read.half_life > 0)
    read.half_life = std::max(read.half_life, 1.0);  // it could be less when older files were made
  check_options(read);
  options = read;
  const std::vector<std::string> names = archive.lines("schema/names");
  const std::vector<Index>& features = archive.integers("schema/features");
  if (names.size() != features.size()) throw Error(ErrorKind::data, "the schema contradicts itself");
  Schema stored;
  for (std::size_t v = 0; v < names.size(); ++v) {
    stored.views.push_back({names[v], features[v], archive.lines(fmt::format("view{}/feature_names", v))});
    const auto named = static_cast<Index>(stored.views[v].feature_names.size());
    if (const std::string key = fmt::format("view{}/left_out", v); archive.has(key)) {
      stored.views[v].left_out = archive.lines(key);
    }
    if (const std::string key = fmt::format("view{}/missing_words", v); archive.has(key)) {
      stored.views[v].missing_words = archive.lines(key);
    }
    if (const std::string key = fmt::format("view{}/first_number", v); archive.has(key)) {
      stored.views[v].first_number = archive.integers(key) == std::vector<Index>{1} ? 1 : 0;
    }
    if (features[v] < 1 || (named != 0 && named != features[v])) {
      throw Error(ErrorKind::data, fmt::format("view {} contradicts itself", names[v]));
    }
  }
  start(stored);
  for (std::size_t v = 0; v < names.size(); ++v) {
    scaling[v] = get_scaling(archive, fmt::format("view{}/scaling", v), features[v], clipped[v]);
  }
}

void Setting::start(const Schema& data) {
  schema = data;
  const std::size_t views = schema.views.size();
  if (views == 0) throw Error(ErrorKind::data, "the data have no views");
  for (const auto& [name, values] :
       {std::pair{"alpha", options.alpha.size()}, {"beta", options.beta.size()}, {"scaling", options.scaling.size()}}) {
    if (values == 1 || values == views) continue;
    throw Error(ErrorKind::usage,
                fmt::format("option {} has {} values, and the data have {} views; give one value or one per view", name,
                            values, views));
  }
  scaling.assign(views, {});
  clipped.assign(views, 0);
}

std::vector<ViewReport> Setting::views(const std::vector<Index>& observed) const {
  std::vector<ViewReport> reports;
  // A stream that has only begun says nothing of any view yet.
  const bool begun = std::any_of(scaling.begin(), scaling.end(), [](const ViewScaling& view) { return view.known; });
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    reports.push_back({.name = schema.views[v].name,
                       .features = schema.views[v].features,
                       .table_columns = schema.views[v].features,
                       .observed = v < observed.size() ? observed[v] : 0,
                       .negatives = clipped[v],
                       .scaling = scaling[v].known ? scaling[v].description
                                  : begun          ? "never seen"
                                                   : "scaled as the rows come",
                       .reason = scaling[v].reason,
                       .columns = column_reports(scaling[v], schema.views[v])});
  }
  return reports;
}

}  // namespace omvc
