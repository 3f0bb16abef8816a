#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/omvc.h"
#include "omvc/version.hpp"

struct omvc_model {
  omvc::Options options;
  std::optional<omvc::Clusterer> clusterer;  // once something was learned or loaded
  omvc::Index pushed = 0;                    // instances of the stream, so that each has a number of its own
};

namespace omvc {
namespace {

thread_local std::string last_error;

// Calls `work`, and turns what it throws into a status and words.
template <class F>
omvc_status guarded(const F& work) noexcept {
  try {
    last_error.clear();
    work();
    return OMVC_OK;
  } catch (const Error& error) {
    try {
      last_error = error.what();
    } catch (...) {
      last_error.clear();
    }
    return static_cast<omvc_status>(error.kind());
  } catch (const std::bad_alloc&) {
    last_error.assign("memory is out");  // short enough to need none
    return OMVC_FAILED;
  } catch (const std::exception& error) {
    try {
      last_error = error.what();
    } catch (...) {
      last_error.clear();
    }
    return OMVC_FAILED;
  }
}

void need(bool given, const char* what) {
  if (!given) throw Error(ErrorKind::usage, fmt::format("{} is NULL", what));
}

template <class T>
BorrowedView borrowed(const omvc_view& view, Index rows) {
  const auto* values = static_cast<const T*>(view.values);
  if (view.offsets == nullptr) {
    DenseRows<T> dense{.data = values, .rows = rows, .cols = view.columns};
    if (view.row_step != 0) dense.row_step = view.row_step;
    return {.rows = dense};
  }
  const auto entries = static_cast<std::size_t>(std::max<std::int64_t>(view.offsets[rows], 0));
  if (entries > 0) need(values != nullptr && view.numbers != nullptr, "an array of a sparse view");
  return {.rows = SparseRows<T>{.rows = rows,
                                .cols = view.columns,
                                .offsets = std::span(view.offsets, static_cast<std::size_t>(rows) + 1),
                                .columns = std::span(view.numbers, entries),
                                .values = {values, entries}}};
}

std::unique_ptr<Source> source_of(const omvc_view* views, int count, Index rows) {
  if (count < 1 || rows < 0) {
    throw Error(ErrorKind::usage, fmt::format("{} views of {} rows: give at least one view", count, rows));
  }
  need(views != nullptr, "views");
  Schema schema;
  std::vector<BorrowedView> lent;
  for (int v = 0; v < count; ++v) {
    const omvc_view& view = views[v];
    if (view.type != OMVC_FLOAT32 && view.type != OMVC_FLOAT64) {
      throw Error(ErrorKind::usage, fmt::format("view {}: there is no type {}", v, static_cast<int>(view.type)));
    }
    schema.views.push_back({view.name != nullptr ? view.name : fmt::format("view{}", v + 1), view.columns, {}});
    lent.push_back(view.type == OMVC_FLOAT32 ? borrowed<float>(view, rows) : borrowed<double>(view, rows));
  }
  return make_borrowed_source(std::move(schema), std::move(lent), rows);
}

Clusterer& learned(const omvc_model* model) {
  need(model != nullptr, "the model");
  auto& clusterer = const_cast<omvc_model*>(model)->clusterer;  // const functions of it are called alone
  if (!clusterer) throw Error(ErrorKind::usage, "the model has learned nothing yet: call omvc_fit or omvc_partial_fit");
  return *clusterer;
}

// Where there are no values, as before there are clusters, labels are kNone and the others NaN.
void give(const Assignment& found, Index rows, std::int32_t* labels, double* confidence, double* distance) {
  constexpr std::int32_t kNone = -2;
  const auto copy = [&](const auto& from, auto* to, auto none) {
    if (to == nullptr) return;
    if (from.empty()) {
      std::fill_n(to, rows, none);
    } else {
      std::copy(from.begin(), from.end(), to);
    }
  };
  copy(found.labels, labels, kNone);
  copy(found.confidence, confidence, std::numeric_limits<double>::quiet_NaN());
  copy(found.distance, distance, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace
}  // namespace omvc

extern "C" {

const char* omvc_version(void) { return omvc::version(); }
const char* omvc_error(void) { return omvc::last_error.c_str(); }

omvc_model* omvc_new(void) {
  omvc_model* made = nullptr;
  omvc::guarded([&] { made = std::make_unique<omvc_model>().release(); });
  return made;
}

void omvc_free(omvc_model* model) { std::unique_ptr<omvc_model>{model}; }

omvc_status omvc_set(omvc_model* model, const char* name, const char* value) {
  return omvc::guarded([&] {
    omvc::need(model != nullptr, "the model");
    omvc::need(name != nullptr && value != nullptr, "the name or value of an option");
    omvc::Options changed = model->options;
    omvc::parse_option(changed, name, value);
    if (model->clusterer) {
      omvc::Options same = changed;
      same.threads = model->options.threads;
      same.device = model->options.device;
      if (same != model->options) {
        throw omvc::Error(
            omvc::ErrorKind::usage,
            fmt::format("{} cannot be set once the model has learned: only threads and device can", name));
      }
      model->clusterer->set_threads(changed.threads, changed.device);
    }
    model->options = changed;
  });
}

omvc_status omvc_fit(omvc_model* model, const omvc_view* views, int view_count, int64_t rows, int32_t* labels,
                     double* confidence, double* distance) {
  return omvc::guarded([&] {
    omvc::need(model != nullptr, "the model");
    const auto source = omvc::source_of(views, view_count, rows);
    omvc::Clusterer fresh(model->options);
    const omvc::Fitted fitted = fresh.fit(*source);
    model->clusterer = std::move(fresh);
    model->pushed = rows;
    omvc::give(fitted.found, rows, labels, confidence, distance);
  });
}

omvc_status omvc_partial_fit(omvc_model* model, const omvc_view* views, int view_count, int64_t rows, int32_t* labels,
                             double* confidence, double* distance) {
  return omvc::guarded([&] {
    omvc::need(model != nullptr, "the model");
    const auto source = omvc::source_of(views, view_count, rows);
    if (rows == 0) return;
    omvc::Chunk chunk = omvc::read_all(*source);
    for (omvc::Index& row : chunk.rows) row += model->pushed;
    if (!model->clusterer) model->clusterer.emplace(model->options);
    const bool first = model->clusterer->schema().views.empty();
    const omvc::Assignment found =
        model->clusterer->partial_fit(std::move(chunk), first ? source->schema() : model->clusterer->schema());
    model->pushed += rows;
    omvc::give(found, rows, labels, confidence, distance);
  });
}

omvc_status omvc_assign(const omvc_model* model, const omvc_view* views, int view_count, int64_t rows, int32_t* labels,
                        double* confidence, double* distance) {
  return omvc::guarded([&] {
    const omvc::Clusterer& clusterer = omvc::learned(model);
    const auto source = omvc::source_of(views, view_count, rows);
    if (rows == 0) return;
    omvc::give(clusterer.assign(omvc::read_all(*source)), rows, labels, confidence, distance);
  });
}

omvc_status omvc_cut(omvc_model* model, int clusters) {
  return omvc::guarded([&] { omvc::learned(model).cut(clusters); });
}

int omvc_clusters(const omvc_model* model) {
  if (model == nullptr) return -1;
  int count = 0;
  omvc::guarded([&] {
    if (model->clusterer) count = static_cast<int>(model->clusterer->clusters().size());
  });
  return count;
}

int64_t omvc_instances(const omvc_model* model) {
  int64_t count = 0;
  omvc::guarded([&] {
    if (model != nullptr && model->clusterer) count = model->clusterer->summary().instances;
  });
  return count;
}

omvc_status omvc_save(const omvc_model* model, const char* path) {
  return omvc::guarded([&] {
    omvc::need(path != nullptr, "the path");
    omvc::learned(model).save(path);
  });
}

omvc_status omvc_load(omvc_model* model, const char* path) {
  return omvc::guarded([&] {
    omvc::need(model != nullptr, "the model");
    omvc::need(path != nullptr, "the path");
    omvc::Clusterer loaded = omvc::Clusterer::load(path);
    model->options = loaded.options();
    model->pushed = loaded.summary().instances;
    model->clusterer = std::move(loaded);
  });
}

}  // extern "C"
