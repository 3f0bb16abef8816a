// What a run gives to Python: results, and word of how far it is.
#pragma once

#include <chrono>
#include <optional>
#include <tuple>
#include <vector>

#include "omvc/report.hpp"
#include "omvc/sink.hpp"

#include "convert.hpp"

namespace omvc::python {

// Results by row number, in memory.
class Collected final : public Sink {
 public:
  // `rows` of them are expected, where that is known: a table that grows as it comes is copied many times.
  Collected(Extras wanted, std::optional<Index> rows) : wanted_(wanted), rows_(rows.value_or(0)) {
    labels_.reserve(static_cast<std::size_t>(rows_));
    confidence_.reserve(static_cast<std::size_t>(rows_));
    distance_.reserve(static_cast<std::size_t>(rows_));
  }

  bool wants_embedding() const override { return wanted_.embedding; }
  bool wants_membership() const override { return wanted_.membership; }
  void write(const ResultRows& rows) override {
    labels_.insert(labels_.end(), rows.labels.begin(), rows.labels.end());
    confidence_.insert(confidence_.end(), rows.confidence.begin(), rows.confidence.end());
    distance_.insert(distance_.end(), rows.distance.begin(), rows.distance.end());
    if (wanted_.embedding) embedding_.add(rows.embedding, rows_);
    if (wanted_.membership) membership_.add(rows.membership, rows_);
  }

  nb::dict take() {
    nb::dict out;
    const std::size_t size = labels_.size();
    out["labels"] = numpy_array(std::move(labels_));
    out["confidence"] = confidence_.size() == size ? numpy_array(std::move(confidence_)) : nb::none();
    out["distance"] = distance_.size() == size ? numpy_array(std::move(distance_)) : nb::none();
    out["embedding"] = wanted_.embedding ? embedding_.take(size) : nb::none();
    out["membership"] = membership_.cols > 0 ? membership_.take(size) : nb::none();
    return out;
  }

 private:
  // Rows of several columns.
  struct Table {
    Index cols = 0;
    std::vector<double> values;

    void add(const RowsView& rows, Index expected) {
      if (values.empty()) values.reserve(static_cast<std::size_t>(expected * rows.cols));
      values.insert(values.end(), rows.data, rows.data + rows.rows * rows.cols);
      cols = rows.cols;
    }
    nb::object take(std::size_t rows) { return numpy_array(std::move(values), {rows, static_cast<std::size_t>(cols)}); }
  };

  Extras wanted_;
  Index rows_;
  std::vector<int> labels_;
  std::vector<double> confidence_;
  std::vector<double> distance_;
  Table embedding_;
  Table membership_;
};

// Calls back some times a second, which is also when Python sees signals. An exception there, such as
// KeyboardInterrupt, stops the work and is kept.
class Watch final : public Observer {
 public:
  explicit Watch(nb::callable tell) : tell_(std::move(tell)) {}

  bool on_survey(Index instances) override { return tell("reading", 0, instances); }
  bool on_chunk(const ChunkReport& report) override {
    learning_ = true;
    return tell(report.labelling ? "labelling" : "learning", report.pass, report.instances);
  }

  // Within long steps. Where nothing was learned yet they end at once, else with the next chunk.
  bool on_wait() override { return tell(stage_, pass_, instances_) || learning_; }

  bool tell(const char* stage, int pass, Index instances) {
    const auto now = std::chrono::steady_clock::now();
    std::tie(stage_, pass_, instances_) = std::tuple(stage, pass, instances);
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
  const char* stage_ = "reading";  // what was told last
  int pass_ = 0;
  Index instances_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool learning_ = false;
  bool stopped_ = false;
  nb::object reason_;
};

// Work that somebody watches: where the watch stopped it, its reason is what is thrown.
template <class F>
void watched(const Watch& watch, const F& f) {
  try {
    f();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted || !watch.stopped()) throw;
    const nb::object reason = watch.reason();
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(reason.ptr())), reason.ptr());
    throw nb::python_error();
  }
}

}  // namespace omvc::python
