#include "source/rows/column_views.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "omvc/error.hpp"

#include "source/table/cell.hpp"
#include "source/table/id_names.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

using Names = std::vector<std::string>;

// The view of a table that starts a model and whose columns name none.
constexpr const char* kOnlyView = "table";

// Where the name of the view ends: at the first mark that all these columns have.
std::optional<char> mark_of(const Names& names) {
  for (const char mark : {':', '.', '/', '_'}) {
    const auto has = [&](const std::string& name) {
      const std::size_t at = name.find(mark);
      return at != std::string::npos && at > 0 && at + 1 < name.size();
    };
    if (!names.empty() && std::all_of(names.begin(), names.end(), has)) return mark;
  }
  return std::nullopt;
}

}  // namespace

void refuse_header() {
  throw Error(ErrorKind::usage,
              "the first line names no columns such as id,text:goal,image:1 (VIEW:FEATURE, or with a point, a slash or "
              "an underscore in the place of the colon, in all of them) or the features of the model, and JSON Lines "
              "would begin with {");
}

ColumnViews::ColumnViews(const RowsLike& like) : like_(like) {
  for (const ViewSchema& view : like.schema.views) {
    const auto add = [&](std::string name) {
      Names& views = views_of_[std::move(name)];
      if (views.empty() || views.back() != view.name) views.push_back(view.name);
    };
    for (const std::string& name : view.feature_names) {
      add(name);
      for (std::size_t at = name.find('='); at != std::string::npos; at = name.find('=', at + 1)) {
        add(name.substr(0, at));
      }
    }
  }
}

const ViewSchema* ColumnViews::only_view() const {
  return like_.schema.views.size() == 1 ? &like_.schema.views.front() : nullptr;
}

bool ColumnViews::knows(const std::string& name) const {
  if (views_of_.contains(name)) return true;
  const std::optional<char> mark = mark_of({name});
  if (!mark) return false;
  const std::string view = name.substr(0, name.find(*mark));
  return std::any_of(like_.schema.views.begin(), like_.schema.views.end(),
                     [&](const ViewSchema& one) { return one.name == view; });
}

bool ColumnViews::was_left_out(const std::string& name) const {
  return std::any_of(like_.schema.views.begin(), like_.schema.views.end(), [&](const ViewSchema& view) {
    return std::find(view.left_out.begin(), view.left_out.end(), name) != view.left_out.end();
  });
}

// Whether these columns have all features of some view.
bool ColumnViews::has_a_view(const Names& names) const {
  const std::unordered_set<std::string> there(names.begin(), names.end());
  const auto has = [&](const std::string& feature) {
    if (there.contains(feature)) return true;
    for (std::size_t at = feature.find('='); at != std::string::npos; at = feature.find('=', at + 1)) {
      if (there.contains(feature.substr(0, at))) return true;
    }
    return false;
  };
  return std::any_of(like_.schema.views.begin(), like_.schema.views.end(), [&](const ViewSchema& view) {
    return !view.feature_names.empty() && std::all_of(view.feature_names.begin(), view.feature_names.end(), has);
  });
}

std::string ColumnViews::id_column(const Names& names) const {
  const auto known = [&](const std::string& name) { return knows(name); };
  const bool first_known = knows(names.front());
  if (!first_known && is_usual_id_name(names.front())) return "1";
  const auto called_id = std::find_if(names.begin(), names.end(),
                                      [&](const auto& name) { return lower_case(name) == "id" && !knows(name); });
  if (called_id != names.end()) return std::to_string(called_id - names.begin() + 1);
  if (first_known || names.size() < 2) return "none";
  const Names rest(names.begin() + 1, names.end());
  // Of the columns of the fit, those that are neither features nor left out are the ids.
  const bool were_in_the_fit =
      !was_left_out(names.front()) && has_a_view(rest) &&
      std::all_of(rest.begin(), rest.end(), [&](const std::string& name) { return knows(name) || was_left_out(name); });
  const ViewSchema* only = only_view();
  const bool by_place = only && only->feature_names.empty();
  const bool is_id = by_place ? static_cast<Index>(rest.size()) == only->features
                              : is_likely_id_name(names.front()) || (mark_of(rest) && !mark_of(names)) ||
                                    std::all_of(rest.begin(), rest.end(), known) || were_in_the_fit;
  return is_id ? "1" : "none";
}

std::vector<ColumnPlace> ColumnViews::places(const Names& names, std::optional<std::size_t> id) const {
  Names others = names;
  if (id) others.erase(others.begin() + static_cast<std::ptrdiff_t>(*id));
  const auto named = [&](const std::string& name) { return views_of_.contains(name); };
  const bool by_name = std::all_of(others.begin(), others.end(), named);
  const bool of_model = by_name || has_a_view(others);
  const std::optional<char> mark = of_model ? std::nullopt : mark_of(others);
  const bool partly = std::any_of(others.begin(), others.end(), named);
  const bool colons =
      std::any_of(others.begin(), others.end(), [](const auto& name) { return name.find(':') != std::string::npos; });
  std::string rest;  // the view of what the model does not know
  if (only_view()) rest = only_view()->name;
  if (like_.schema.views.empty() && !colons) rest = kOnlyView;
  if (!mark && !partly && rest.empty()) refuse_header();
  std::vector<ColumnPlace> places;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::string& name = names[j];
    ColumnPlace& place = places.emplace_back();
    if (j == id) continue;
    const auto views = views_of_.find(name);
    if (mark) {
      const std::size_t at = name.find(*mark);
      place = {name.substr(0, at), name.substr(at + 1), false};
    } else if (views == views_of_.end()) {
      place = partly ? ColumnPlace{"", name, true} : ColumnPlace{rest, name, false};
    } else if (views->second.size() > 1) {
      throw Error(ErrorKind::usage, fmt::format("column {} may be that of view {} or of view {}: write VIEW:FEATURE",
                                                quoted(name), quoted(views->second[0]), quoted(views->second[1])));
    } else {
      place = {views->second.front(), name, false};
    }
  }
  return places;
}

}  // namespace omvc
