// omvc._core.Model: a Clusterer with the lock of Python let go while it works.
#include <atomic>
#include <mutex>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <unistd.h>

#include "omvc/explain.hpp"
#include "omvc/page.hpp"

#include "convert.hpp"
#include "filled_rows.hpp"
#include "watch.hpp"

namespace omvc::python {
namespace {

using Classes = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class PyModel {
 public:
  explicit PyModel(const std::map<std::string, std::string>& given) : model_(Clusterer(options_of(given))) {}
  explicit PyModel(Clusterer model) : model_(std::move(model)) {}

  // (results, report, the instances that were reached, what stopped it or None)
  nb::tuple fit(Data& data, nb::callable tell, bool embedding) {
    const std::unique_ptr<Source> source = take(data);
    Collected results({.embedding = embedding}, source->size());
    Watch watch(std::move(tell));
    working(watch, [&] { report_ = model_.fit(*source, results, {.observer = &watch}); });
    const Index reached = report_->passes.empty() ? report_->instances : report_->passes.front().instances;
    return nb::make_tuple(results.take(), report_dict(*report_), reached,
                          watch.stopped() ? watch.reason() : nb::none());
  }

  // (results, what stopped it or None). Labels are those that the instances got when they were learned; the first ones,
  // before there were clusters, get theirs as soon as there are.
  nb::tuple partial_fit(Data& data, Index rows, nb::callable tell) {
    Watch watch(std::move(tell));
    std::unique_ptr<Source> source = take(data);
    Collected results({}, source->size());
    Index done = 0;
    const auto keep = [&](const Assignment& found) {
      results.write({done, found.labels, {}, found.confidence, found.distance});
      done += static_cast<Index>(found.labels.size());
    };
    std::vector<Chunk> early;
    working(watch, [&] {
      report_.reset();
      if (!model_.schema().views.empty()) source = make_matched_source(std::move(source), model_.schema());
      const Schema schema = model_.schema().views.empty() ? source->schema() : model_.schema();
      const Index learned = model_.summary().instances;
      Index told = learned;
      while (std::optional<Chunk> chunk = source->next(rows)) {
        for (Index& row : chunk->rows) row += learned;
        told += chunk->size();
        if (model_.clusters().empty()) early.push_back(*chunk);
        const Assignment found = model_.partial_fit(std::move(*chunk), schema);
        if (!model_.clusters().empty()) {
          const bool begun = !early.empty();
          for (Chunk& first : early) keep(model_.assign(std::move(first)));
          early.clear();
          if (!begun) keep(found);
        }
        if (!watch.tell("learning", 1, told)) return;
      }
    });
    return nb::make_tuple(results.take(), watch.stopped() ? watch.reason() : nb::none());
  }

  nb::dict assign(Data& data, nb::callable tell, bool embedding, bool membership) {
    std::unique_ptr<Source> source = take(data);
    Collected results({.embedding = embedding, .membership = membership}, source->size());
    Watch watch(std::move(tell));
    working(watch, [&] {
      source = make_matched_source(std::move(source), model_.schema());
      model_.assign(*source, results, watch);
    });
    return results.take();
  }

  // Dense: an array. Sparse: (values, columns, offsets) without what is 0.
  nb::object impute(Data& data, std::size_t view, bool sparse, nb::callable tell) {
    Watch watch(std::move(tell));
    std::unique_ptr<Source> source = take(data);
    FilledRows rows(sparse);
    working(watch, [&] {
      source = make_matched_source(std::move(source), model_.schema());
      rows.features = model_.schema().views.at(view).features;
      while (std::optional<Chunk> chunk = source->next(4096)) {
        rows.add(model_.impute(std::move(*chunk), view).values);
        if (!watch.tell("filling", 1, rows.count())) {
          throw Error(ErrorKind::interrupted, "interrupted; nothing was filled in");
        }
      }
    });
    return rows.take();
  }

  void cut(int clusters) {
    locked([&] {
      model_.cut(clusters);
      report_.reset();
    });
  }
  void refresh() {
    locked([&] {
      model_.refresh();
      report_.reset();
    });
  }
  void set_threads(int threads, const std::string& device) {
    locked([&] { model_.set_threads(threads, device); });
  }
  void save(const std::string& path, bool predictor) {
    locked([&] { model_.save(path, predictor ? ModelKind::prediction : ModelKind::whole); });
  }
  nb::bytes to_bytes(bool predictor) {
    std::string bytes;
    locked([&] {
      bytes = model_.to_bytes(predictor                 ? ModelKind::prediction
                              : model_.summary().learns ? ModelKind::whole
                                                        : whole_kind());
    });
    return nb::bytes(bytes.data(), bytes.size());
  }

  nb::list tree(int most) {
    std::vector<CutLevel> levels;
    locked([&] { levels = cluster_tree(model_, most); });
    nb::list out;
    for (const CutLevel& level : levels) {
      out.append(nb::make_tuple(nb::cast(level.numbers), nb::cast(level.sizes), nb::cast(level.parents)));
    }
    return out;
  }

  nb::list top_features(std::size_t view, int cluster, int count) {
    std::vector<Feature> features;
    locked([&] { features = omvc::top_features(model_, view, cluster, count); });
    nb::list out;
    for (const Feature& feature : features) {
      out.append(nb::make_tuple(feature.number, feature.name, feature.weight, feature.lift, feature.high));
    }
    return out;
  }

  // Mean in the cluster, mean of the others, effect and chance of every feature.
  nb::tuple feature_effects(std::size_t view, int cluster) {
    FeatureEffects found;
    locked([&] { found = omvc::feature_effects(model_, view, cluster); });
    return nb::make_tuple(numpy_array(std::move(found.mean)), numpy_array(std::move(found.others)),
                          numpy_array(std::move(found.effect)), numpy_array(std::move(found.chance)));
  }

  // Instances x count each: the rows of fit that are nearest, and their weights.
  nb::tuple neighbours(Data& data, Index count, nb::callable tell) {
    Neighbours all{.count = count, .rows = {}, .weights = {}};
    Watch watch(std::move(tell));
    std::unique_ptr<Source> source = take(data);
    working(watch, [&] {
      source = make_matched_source(std::move(source), model_.schema());
      while (std::optional<Chunk> chunk = source->next(4096)) {
        const Neighbours found = omvc::neighbours(model_, std::move(*chunk), count);
        all.rows.insert(all.rows.end(), found.rows.begin(), found.rows.end());
        all.weights.insert(all.weights.end(), found.weights.begin(), found.weights.end());
        if (!watch.tell("neighbours", 1, static_cast<Index>(all.rows.size()) / count)) {
          throw Error(ErrorKind::interrupted, "interrupted; no neighbours are known");
        }
      }
    });
    const auto columns = static_cast<std::size_t>(count);
    const std::size_t instances = all.rows.size() / columns;
    return nb::make_tuple(numpy_array(std::move(all.rows), {instances, columns}),
                          numpy_array(std::move(all.weights), {instances, columns}));
  }

  // Places, masses and clusters of the prototypes in the plane.
  nb::tuple prototype_map() {
    PrototypeMap map;
    locked([&] { map = omvc::prototype_map(model_); });
    return nb::make_tuple(numpy_array(std::move(map.x)), numpy_array(std::move(map.y)),
                          numpy_array(std::move(map.mass)), numpy_array(std::move(map.cluster)));
  }

  // What the last fit told, where nothing was learned or cut since; else what the model tells by itself.
  nb::object report() {
    Report report;
    locked([&] { report = report_ ? *report_ : own_report(); });
    return report_dict(report);
  }

  // Since they were last asked for.
  nb::object events() {
    Report report;
    locked([&] { report.events = model_.events(); });
    return report_dict(report)["events"];
  }

  // ids(first, count): the words by which instances go, or None. Labels and classes of all instances, or none of them;
  // the names of the classes by number, if they have any.
  void write_page(const std::string& path, const std::string& title, const std::string& command, nb::object ids,
                  const Classes& labels, const Classes& truth, const std::vector<std::string>& names) {
    PageContext context{.title = title, .command = command};
    context.class_names = names;
    if (!ids.is_none()) {
      context.ids = [&](Index first, Index count) {
        const nb::gil_scoped_acquire gil;
        return nb::cast<std::vector<std::string>>(ids(first, count));
      };
    }
    Contingency scored;
    if (truth.size() > 0) {
      scored.add({labels.data(), labels.size()}, {truth.data(), truth.size()});
      context.scored = &scored;
      context.class_of = [&](Index row) {
        return row < static_cast<Index>(truth.size()) ? truth.data()[row] : kNoClass;
      };
    }
    locked([&] {
      if (report_) context.report = &*report_;
      omvc::write_page(path, model_, context);
    });
  }

  std::map<std::string, std::string> options() {
    std::map<std::string, std::string> out;
    locked([&] {
      for_each_param([&](const auto& param) { out[param.name] = format_option(model_.options(), param.name); });
    });
    return out;
  }

  // What can be read without waiting for work in another thread is read under the same lock all the same.
  template <class F>
  auto read(const F& f) {
    std::optional<std::decay_t<decltype(f(model_))>> out;
    locked([&] { out.emplace(f(model_)); });
    return std::move(*out);
  }

 private:
  // A model of another method is whole without learning; one saved for prediction is not.
  ModelKind whole_kind() const {
    return model_.options().method == Algorithm::omvc ? ModelKind::prediction : ModelKind::whole;
  }

  Report own_report() {
    Report report;
    const ModelSummary summary = model_.summary();
    report.instances = summary.instances;
    report.cluster_numbers = model_.clusters();
    report.clusters = static_cast<int>(report.cluster_numbers.size());
    report.rank = summary.rank;
    report.views = summary.views;
    report.prototypes = summary.prototypes;
    report.found_by = summary.found_by;
    report.choice = summary.choice;
    return report;
  }

  template <class F>
  void locked(const F& f) {
    const nb::gil_scoped_release free;
    std::unique_lock lock(mutex_, std::defer_lock);
    if (owner_ != ::getpid()) {
      // The thread that had it when the process was forked does not live here, and waiting for it would never end.
      if (!lock.try_lock()) {
        throw Error(ErrorKind::usage,
                    "another thread used this model when the process was forked, so it cannot be used here; load it "
                    "from a file, or fork while no thread uses it");
      }
      owner_ = ::getpid();
    } else if (!InStream::here()) {
      lock.lock();
    } else if (!lock.try_lock()) {
      throw Error(ErrorKind::usage,
                  "this model is at work: an iterator that gives it data cannot use it meanwhile; use a copy of it");
    }
    f();
  }

  template <class F>
  void working(const Watch& watch, const F& f) {
    watched(watch, [&] { locked(f); });
  }

  Clusterer model_;
  std::optional<Report> report_;  // of the fit that made the model as it is
  std::atomic<pid_t> owner_ = ::getpid();
  std::recursive_mutex mutex_;  // data that come from Python may ask the model that they are meant for
};

PyModel* load_model(const std::string& path) {
  const nb::gil_scoped_release free;
  return new PyModel(Clusterer::load(path));
}

PyModel* model_of_bytes(const nb::bytes& bytes) {
  return new PyModel(Clusterer::from_bytes({bytes.c_str(), bytes.size()}, "the pickled model"));
}

}  // namespace

void define_model(nb::module_& module) {
  nb::class_<PyModel>(module, "Model")
      .def(nb::init<const std::map<std::string, std::string>&>(), nb::arg("options"))
      .def("fit", &PyModel::fit, nb::arg("data"), nb::arg("tell"), nb::arg("embedding"))
      .def("partial_fit", &PyModel::partial_fit, nb::arg("data"), nb::arg("rows"), nb::arg("tell"))
      .def("assign", &PyModel::assign, nb::arg("data"), nb::arg("tell"), nb::arg("embedding"),
           nb::arg("membership") = false)
      .def("impute", &PyModel::impute, nb::arg("data"), nb::arg("view"), nb::arg("sparse"), nb::arg("tell"))
      .def("cut", &PyModel::cut, nb::arg("clusters"))
      .def("refresh", &PyModel::refresh)
      .def("set_threads", &PyModel::set_threads, nb::arg("threads"), nb::arg("device") = "")
      .def("save", &PyModel::save, nb::arg("path"), nb::arg("predictor"))
      .def("to_bytes", &PyModel::to_bytes, nb::arg("predictor") = false)
      .def("tree", &PyModel::tree, nb::arg("most"))
      .def("top_features", &PyModel::top_features, nb::arg("view"), nb::arg("cluster"), nb::arg("count"))
      .def("feature_effects", &PyModel::feature_effects, nb::arg("view"), nb::arg("cluster"))
      .def("neighbours", &PyModel::neighbours, nb::arg("data"), nb::arg("count"), nb::arg("tell"))
      .def("prototype_map", &PyModel::prototype_map)
      .def("report", &PyModel::report)
      .def("events", &PyModel::events)
      .def("write_page", &PyModel::write_page, nb::arg("path"), nb::arg("title"), nb::arg("command"),
           nb::arg("ids").none(), nb::arg("labels"), nb::arg("truth"), nb::arg("names"))
      .def("options", &PyModel::options)
      .def("schema", [](PyModel& model) { return schema_list(model.read([](auto& m) { return m.schema(); })); })
      .def("clusters", [](PyModel& model) { return model.read([](auto& m) { return m.clusters(); }); })
      .def("rank", [](PyModel& model) { return model.read([](auto& m) { return m.summary().rank; }); });
  module.def("load_model", &load_model, nb::arg("path"));
  module.def("model_of_bytes", &model_of_bytes, nb::arg("bytes"));
}

}  // namespace omvc::python
