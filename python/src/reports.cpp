// What the library reports, as dictionaries: those of the command's --json.
#include "omvc/page.hpp"

#include "convert.hpp"

namespace omvc::python {

nb::object report_dict(const Report& report) { return nb::module_::import_("json").attr("loads")(to_json(report)); }

nb::list schema_list(const Schema& schema) {
  nb::list out;
  for (const ViewSchema& view : schema.views) {
    out.append(nb::make_tuple(view.name, view.features,
                              view.feature_names.empty() ? nb::none() : nb::cast(view.feature_names)));
  }
  return out;
}

Schema schema_of(const nb::list& views) {
  Schema schema;
  for (const nb::handle item : views) {
    const nb::tuple view = nb::cast<nb::tuple>(item);
    ViewSchema one{nb::cast<std::string>(view[0]), nb::cast<Index>(view[1]), {}};
    if (!view[2].is_none()) one.feature_names = nb::cast<std::vector<std::string>>(view[2]);
    schema.views.push_back(std::move(one));
  }
  return schema;
}

}  // namespace omvc::python
