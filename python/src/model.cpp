// omvc._core.Model: a Clusterer with the lock of Python let go while it works.
#include <chrono>
#include <mutex>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include "convert.hpp"

namespace omvc::python {
namespace {

// Results by row number, in memory.
class Collected final : public Sink {
 public:
  explicit Collected(bool embedding) : wants_(embedding) {}

  bool wants_embedding() const override { return wants_; }
  void write(const ResultRows& rows) override {
    labels_.insert(labels_.end(), rows.labels.begin(), rows.labels.end());
    confidence_.insert(confidence_.end(), rows.confidence.begin(), rows.confidence.end());
    distance_.insert(distance_.end(), rows.distance.begin(), rows.distance.end());
    if (!wants_) return;
    const Index size = rows.embedding.rows * rows.embedding.cols;
    embedding_.insert(embedding_.end(), rows.embedding.data, rows.embedding.data + size);
    rank_ = rows.embedding.cols;
  }

  nb::dict take() {
    nb::dict out;
    const std::size_t size = labels_.size();
    out["labels"] = numpy_array(std::move(labels_));
    out["confidence"] = confidence_.size() == size ? numpy_array(std::move(confidence_)) : nb::none();
    out["distance"] = distance_.size() == size ? numpy_array(std::move(distance_)) : nb::none();
    const auto rank = static_cast<std::size_t>(rank_);
    out["embedding"] = wants_ ? numpy_array(std::move(embedding_), {size, rank}) : nb::none();
    return out;
  }

 private:
  bool wants_;
  Index rank_ = 0;
  std::vector<int> labels_;
  std::vector<double> confidence_;
  std::vector<double> distance_;
  std::vector<double> embedding_;
};

// Calls back some times a second, which is also when Python sees signals. An exception there, such as
// KeyboardInterrupt, stops the work and is kept.
class Watch final : public Observer {
 public:
  explicit Watch(nb::callable tell) : tell_(std::move(tell)) {}

  bool on_survey(Index instances) override { return tell("reading", 0, instances); }
  bool on_chunk(const ChunkReport& report) override {
    return tell(report.labelling ? "labelling" : "learning", report.pass, report.instances);
  }

  bool tell(const char* stage, int pass, Index instances) {
    const auto now = std::chrono::steady_clock::now();
    if (stopped_) return false;
    if (now - last_ < std::chrono::milliseconds(50)) return true;
    last_ = now;
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      tell_(stage, pass, instances);
      return true;
    } catch (nb::python_error& error) {
      reason_ = nb::borrow(error.value());
      stopped_ = true;
      return false;
    }
  }

  bool stopped() const { return stopped_; }
  nb::object reason() const { return reason_; }  // with the lock of Python held

 private:
  nb::callable tell_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool stopped_ = false;
  nb::object reason_;
};

class PyModel {
 public:
  explicit PyModel(const std::map<std::string, std::string>& given) : model_(Clusterer(options_of(given))) {}
  explicit PyModel(Clusterer model) : model_(std::move(model)) {}

  // (results, report, what stopped it or None)
  nb::tuple fit(Data& data, nb::callable tell, bool embedding) {
    Collected results(embedding);
    Watch watch(std::move(tell));
    std::optional<Report> report;
    const std::unique_ptr<Source> source = take(data);
    working(watch, [&] { report = model_.fit(*source, results, watch); });
    return nb::make_tuple(results.take(), report_dict(*report), watch.stopped() ? watch.reason() : nb::none());
  }

  nb::object partial_fit(Data& data, Index rows, nb::callable tell) {
    Watch watch(std::move(tell));
    std::unique_ptr<Source> source = take(data);
    working(watch, [&] {
      if (!model_.schema().views.empty()) source = make_matched_source(std::move(source), model_.schema());
      const Schema schema = model_.schema().views.empty() ? source->schema() : model_.schema();
      const Index learned = model_.instances();
      while (std::optional<Chunk> chunk = source->next(rows)) {
        for (Index& row : chunk->rows) row += learned;
        model_.partial_fit(std::move(*chunk), schema);
        if (!watch.tell("learning", 1, model_.instances())) return;
      }
    });
    return watch.stopped() ? watch.reason() : nb::none();
  }

  nb::dict assign(Data& data, nb::callable tell, bool embedding) {
    Collected results(embedding);
    Watch watch(std::move(tell));
    std::unique_ptr<Source> source = take(data);
    working(watch, [&] {
      source = make_matched_source(std::move(source), model_.schema());
      model_.assign(*source, results, watch);
    });
    return results.take();
  }

  nb::object impute(Data& data, std::size_t view, nb::callable tell) {
    std::vector<double> rows;
    Watch watch(std::move(tell));
    std::unique_ptr<Source> source = take(data);
    working(watch, [&] {
      source = make_matched_source(std::move(source), model_.schema());
      while (std::optional<Chunk> chunk = source->next(256)) {
        const std::vector<double> part = model_.impute(std::move(*chunk), view);
        rows.insert(rows.end(), part.begin(), part.end());
        if (!watch.tell("filling", 1, static_cast<Index>(rows.size()))) {
          throw Error(ErrorKind::interrupted, "interrupted; nothing was filled in");
        }
      }
    });
    const auto features = static_cast<std::size_t>(model_.schema().views.at(view).features);
    const std::size_t count = features > 0 ? rows.size() / features : 0;
    return numpy_array(std::move(rows), {count, features});
  }

  void cut(int clusters) {
    locked([&] { model_.cut(clusters); });
  }
  void refresh() {
    locked([&] { model_.refresh(); });
  }
  void set_threads(int threads) {
    locked([&] { model_.set_threads(threads); });
  }
  void save(const std::string& path, bool predictor) {
    locked([&] { model_.save(path, predictor ? ModelKind::prediction : ModelKind::whole); });
  }
  nb::bytes to_bytes() {
    std::string bytes;
    locked([&] { bytes = model_.to_bytes(model_.learns() ? ModelKind::whole : whole_kind()); });
    return nb::bytes(bytes.data(), bytes.size());
  }

  nb::list tree(int most) {
    std::vector<CutLevel> levels;
    locked([&] { levels = model_.tree(most); });
    nb::list out;
    for (const CutLevel& level : levels) out.append(nb::make_tuple(nb::cast(level.sizes), nb::cast(level.parents)));
    return out;
  }

  nb::list top_features(std::size_t view, int cluster, int count) {
    std::vector<Feature> features;
    locked([&] { features = model_.top_features(view, cluster, count); });
    nb::list out;
    for (const Feature& feature : features) {
      out.append(nb::make_tuple(feature.number, feature.name, feature.weight, feature.lift, feature.high));
    }
    return out;
  }

  nb::list events() {
    std::vector<ClusterEvent> events;
    locked([&] { events = model_.events(); });
    return events_list(events);
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
  static Options options_of(const std::map<std::string, std::string>& given) {
    Options options;
    if (const auto method = given.find("method"); method != given.end()) {
      parse_option(options, "method", method->second);
      options = method_options(options.method);
    }
    for (const auto& [name, text] : given) parse_option(options, name, text);
    return options;
  }

  // A model of another method is whole without learning; one saved for prediction is not.
  ModelKind whole_kind() const {
    return model_.options().method == Algorithm::omvc ? ModelKind::prediction : ModelKind::whole;
  }

  static std::unique_ptr<Source> take(Data& data) {
    if (!data.source) throw Error(ErrorKind::usage, "these data were read already");
    return std::move(data.source);
  }

  template <class F>
  void locked(const F& f) {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    f();
  }

  // Work that somebody watches: where the watch stopped it, its reason is what is thrown.
  template <class F>
  void working(const Watch& watch, const F& f) {
    try {
      locked(f);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted || !watch.stopped()) throw;
      const nb::object reason = watch.reason();
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(reason.ptr())), reason.ptr());
      throw nb::python_error();
    }
  }

  Clusterer model_;
  std::mutex mutex_;
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
      .def("assign", &PyModel::assign, nb::arg("data"), nb::arg("tell"), nb::arg("embedding"))
      .def("impute", &PyModel::impute, nb::arg("data"), nb::arg("view"), nb::arg("tell"))
      .def("cut", &PyModel::cut, nb::arg("clusters"))
      .def("refresh", &PyModel::refresh)
      .def("set_threads", &PyModel::set_threads, nb::arg("threads"))
      .def("save", &PyModel::save, nb::arg("path"), nb::arg("predictor"))
      .def("to_bytes", &PyModel::to_bytes)
      .def("tree", &PyModel::tree, nb::arg("most"))
      .def("top_features", &PyModel::top_features, nb::arg("view"), nb::arg("cluster"), nb::arg("count"))
      .def("events", &PyModel::events)
      .def("options", &PyModel::options)
      .def("schema", [](PyModel& model) { return schema_list(model.read([](auto& m) { return m.schema(); })); })
      .def("views", [](PyModel& model) { return views_list(model.read([](auto& m) { return m.views(); })); })
      .def("clusters", [](PyModel& model) { return model.read([](auto& m) { return m.clusters(); }); })
      .def("instances", [](PyModel& model) { return model.read([](auto& m) { return m.instances(); }); })
      .def("rank", [](PyModel& model) { return model.read([](auto& m) { return m.rank(); }); })
      .def("prototypes", [](PyModel& model) { return model.read([](auto& m) { return m.prototypes(); }); })
      .def("found_by", [](PyModel& model) { return model.read([](auto& m) { return m.found_by(); }); })
      .def("learns", [](PyModel& model) { return model.read([](auto& m) { return m.learns(); }); })
      .def("choice", [](PyModel& model) -> nb::object {
        const auto choice = model.read([](auto& m) { return m.choice(); });
        return choice ? nb::object(choice_dict(*choice)) : nb::none();
      });
  module.def("load_model", &load_model, nb::arg("path"));
  module.def("model_of_bytes", &model_of_bytes, nb::arg("bytes"));
}

}  // namespace omvc::python
