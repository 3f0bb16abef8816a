#include "source/rows/csv_row.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/rows/json_row.hpp"
#include "source/table/text_layout.hpp"

namespace omvc {
namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

// Where the name of the view ends: at the first mark that all these columns have.
std::optional<char> mark_of(const std::vector<std::string>& names, std::size_t first) {
  for (const char mark : {':', '.', '/', '_'}) {
    const auto has = [&](const std::string& name) {
      const std::size_t at = name.find(mark);
      return at != std::string::npos && at > 0 && at + 1 < name.size();
    };
    if (names.size() > first && std::all_of(names.begin() + static_cast<std::ptrdiff_t>(first), names.end(), has)) {
      return mark;
    }
  }
  return std::nullopt;
}

}  // namespace

void CsvRows::read_header(std::string_view line, RowBuilder& row) {
  delimiter_ = detect_delimiter(line);
  split_fields(line, delimiter_, fields_);
  std::vector<std::string> names;
  for (const std::string_view field : fields_) names.push_back(unescape_field(field));
  group(names);
  // The views must be known before rows come, so that a column that does not fit is found at once.
  row.begin();
  for (View& view : views_) {
    const std::optional<std::size_t> place = row.view(view.name, false);
    view.left_out = !place;
    if (place) match(view, *place, row);
  }
  columns_ = names.size();
}

void CsvRows::group(const std::vector<std::string>& names) {
  const auto is_id = [](const std::string& name) { return name.empty() || lower_case(name) == "id"; };
  const auto found = std::find_if(names.begin(), names.end(), is_id);
  std::vector<std::string> rest = names;
  if (found != names.end()) {
    id_ = static_cast<std::size_t>(found - names.begin());
  } else if (!mark_of(names, 0) && mark_of(names, 1)) {
    id_ = 0;
  }
  if (id_) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*id_));
  const std::optional<char> mark = mark_of(rest, 0);
  if (!mark) {
    throw Error(
        ErrorKind::usage,
        "the first line names no columns such as id,text:goal,image:1 (VIEW:FEATURE, or with a point, a slash or "
        "an underscore in the place of the colon, in all of them), and JSON Lines would begin with {");
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (c == id_) continue;
    const std::size_t at = names[c].find(*mark);
    const std::string name = names[c].substr(0, at);
    auto view = std::find_if(views_.begin(), views_.end(), [&](const View& v) { return v.name == name; });
    if (view == views_.end()) view = views_.insert(views_.end(), {.name = name});
    view->features.push_back(names[c].substr(at + 1));
    view->from.push_back(c);
  }
}

void CsvRows::match(View& view, std::size_t place, RowBuilder& row) {
  view.to = row.columns(place, view.features);
  view.matched = true;
}

void CsvRows::read(std::string_view line, RowBuilder& row, std::string& id) {
  split_fields(line, delimiter_, fields_);
  if (id_ && *id_ < fields_.size()) id = json_string(unescape_field(fields_[*id_]));
  if (fields_.size() != columns_) {
    throw Error(ErrorKind::data,
                fmt::format("the line has {} fields, and the first line names {}", fields_.size(), columns_));
  }
  for (View& view : views_) {
    if (view.left_out) continue;
    const std::optional<std::size_t> place = row.view(view.name, false);
    if (!place) continue;
    values_.assign(static_cast<std::size_t>(row.like().schema.views[*place].features), kNotGiven);
    bool any = false;
    for (std::size_t j = 0; j < view.from.size(); ++j) {
      const std::string_view cell = fields_[view.from[j]];
      const std::optional<double> value = cells_.parse(cell);
      if (!value || std::isinf(*value)) {
        throw Error(ErrorKind::data, fmt::format("view {}, feature {}: {} is not a number", quoted(view.name),
                                                 quoted(view.features[j]), quoted(cell)));
      }
      if (!view.to[j]) continue;
      values_[*view.to[j]] = *value;
      any = any || !std::isnan(*value);
    }
    if (any) row.add_dense(*place, values_);
  }
}

}  // namespace omvc
