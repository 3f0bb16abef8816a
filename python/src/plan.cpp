// omvc._core.Plan: a fit that is divided among parts of the data, in values of bytes. The lock of Python is let go
// while a step works.
#include "omvc/plan.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>

#include "convert.hpp"
#include "watch.hpp"

namespace omvc::python {
namespace {

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

using Merge = std::string (Plan::*)(const std::string&, const std::string&) const;
using Turn = std::string (Plan::*)(const std::string&) const;

class PyPlan {
 public:
  PyPlan(const std::map<std::string, std::string>& given, const nb::list& schema)
      : plan_(options_of(given), schema_of(schema)) {}

  nb::bytes look(Data& data, Index first, nb::callable tell) {
    return part(data, std::move(tell), [&](Source& source, Watch& watch) { return plan_.look(source, first, watch); });
  }
  nb::bytes make(const nb::bytes& look, nb::callable tell) {
    Watch watch(std::move(tell));
    const std::string sum = text_of(look);
    return free([&] { return plan_.make(sum, watch); }, &watch);
  }
  nb::bytes count(const nb::bytes& task, Data& data, Index first, nb::callable tell) {
    const std::string known = text_of(task);
    return part(data, std::move(tell),
                [&](Source& source, Watch& watch) { return plan_.count(known, source, first, watch); });
  }
  nb::tuple label(const nb::bytes& task, Data& data, Index first, nb::callable tell, bool embedding) {
    const std::string known = text_of(task);
    Collected results({.embedding = embedding}, data.source ? data.source->size() : std::nullopt);
    const nb::bytes tally = part(data, std::move(tell), [&](Source& source, Watch& watch) {
      return plan_.label(known, source, first, results, watch);
    });
    return nb::make_tuple(results.take(), tally);
  }
  nb::tuple finish(const nb::bytes& state, const nb::bytes& tally) {
    const std::string made = text_of(state);
    const std::string sum = text_of(tally);
    Report report;
    const nb::bytes model = free([&] {
      auto [bytes, told] = plan_.finish(made, sum);
      report = std::move(told);
      return std::move(bytes);
    });
    return nb::make_tuple(model, report_dict(report));
  }
  bool wants_pass(const nb::bytes& state) { return plan_.wants_pass(text_of(state)); }

  template <Merge merge>
  nb::bytes merged(const nb::bytes& one, const nb::bytes& other) {
    const std::string a = text_of(one);
    const std::string b = text_of(other);
    return free([&] { return (plan_.*merge)(a, b); });
  }
  template <Turn turn>
  nb::bytes turned(const nb::bytes& value) {
    const std::string text = text_of(value);
    return free([&] { return (plan_.*turn)(text); });
  }

 private:
  template <class F>
  nb::bytes free(const F& step, const Watch* watch = nullptr) {
    std::string bytes;
    const auto work = [&] {
      const nb::gil_scoped_release released;
      bytes = step();
    };
    if (watch != nullptr) {
      watched(*watch, work);
    } else {
      work();
    }
    return bytes_of(bytes);
  }

  template <class F>
  nb::bytes part(Data& data, nb::callable tell, const F& step) {
    Watch watch(std::move(tell));
    std::unique_ptr<Source> source = take(data);
    return free(
        [&] {
          if (source->schema() != plan_.schema()) source = make_matched_source(std::move(source), plan_.schema());
          return step(*source, watch);
        },
        &watch);
  }

  Plan plan_;
};

}  // namespace

void define_plan(nb::module_& module) {
  nb::class_<PyPlan>(module, "Plan")
      .def(nb::init<const std::map<std::string, std::string>&, const nb::list&>(), nb::arg("options"),
           nb::arg("schema"))
      .def("look", &PyPlan::look, nb::arg("data"), nb::arg("first"), nb::arg("tell"))
      .def("merge_looks", &PyPlan::merged<&Plan::merge_looks>, nb::arg("one"), nb::arg("other"))
      .def("ranks", &PyPlan::turned<&Plan::ranks>, nb::arg("look"))
      .def("merge_ranks", &PyPlan::merged<&Plan::merge_ranks>, nb::arg("one"), nb::arg("other"))
      .def("trim", &PyPlan::merged<&Plan::trim>, nb::arg("look"), nb::arg("ranks"))
      .def("make", &PyPlan::make, nb::arg("look"), nb::arg("tell"))
      .def("wants_pass", &PyPlan::wants_pass, nb::arg("state"))
      .def("task", &PyPlan::turned<&Plan::task>, nb::arg("state"))
      .def("count", &PyPlan::count, nb::arg("task"), nb::arg("data"), nb::arg("first"), nb::arg("tell"))
      .def("merge_counts", &PyPlan::merged<&Plan::merge_counts>, nb::arg("one"), nb::arg("other"))
      .def("end_pass", &PyPlan::merged<&Plan::end_pass>, nb::arg("state"), nb::arg("counts"))
      .def("label", &PyPlan::label, nb::arg("task"), nb::arg("data"), nb::arg("first"), nb::arg("tell"),
           nb::arg("embedding"))
      .def("merge_tallies", &PyPlan::merged<&Plan::merge_tallies>, nb::arg("one"), nb::arg("other"))
      .def("finish", &PyPlan::finish, nb::arg("state"), nb::arg("tally"));
}

}  // namespace omvc::python
