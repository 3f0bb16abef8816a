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
  Collected(bool embedding, std::optional<Index> rows) : wants_(embedding), rows_(rows.value_or(0)) {
    labels_.reserve(static_cast<std::size_t>(rows_));
    confidence_.reserve(static_cast<std::size_t>(rows_));
    distance_.reserve(static_cast<std::size_t>(rows_));
  }

  bool wants_embedding() const override { return wants_; }
  void write(const ResultRows& rows) override {
    labels_.insert(labels_.end(), rows.labels.begin(), rows.labels.end());
    confidence_.insert(confidence_.end(), rows.confidence.begin(), rows.confidence.end());
    distance_.insert(distance_.end(), rows.distance.begin(), rows.distance.end());
    if (!wants_) return;
    if (embedding_.empty()) embedding_.reserve(static_cast<std::size_t>(rows_ * rows.embedding.cols));
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
  Index rows_;
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
