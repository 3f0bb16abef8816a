#include "source/formats/npz.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <set>

#include "omvc/error.hpp"

#include "source/formats/array_ids.hpp"
#include "source/formats/fail.hpp"
#include "source/formats/known_names.hpp"
#include "source/formats/npy_array.hpp"
#include "source/formats/npz_arrays.hpp"
#include "source/formats/npz_sparse.hpp"
#include "source/join/join.hpp"
#include "source/join/named.hpp"
#include "source/quoted.hpp"
#include "source/table/labels.hpp"
#include "source/table/presence.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

constexpr std::array<std::string_view, 3> kMaskNames{"mask", "present", "presence"};
constexpr std::string_view kMaybeMask = "W";
constexpr std::array<std::string_view, 8> kLabelArrays{"label", "labels", "y",         "Y",
                                                       "gt",    "truth",  "truelabel", "target"};
constexpr std::array<std::string_view, 4> kIdArrays{"ids", "obs_names", "sample_id", "sample_ids"};

// What each array of an archive is.
struct Layout {
  struct View {
    std::string name;
    const NpzArray* dense = nullptr;  // else sparse
    NpzSparse sparse;
  };
  std::vector<View> views;
  const NpzArray* mask = nullptr;
  const NpzArray* labels = nullptr;
  const NpzArray* ids = nullptr;
};

bool is_label_array(const NpzArray& array) {
  return is_one_of(kLabelArrays, array.name) && array.header.is_vector() && !array.header.shape.empty();
}

bool is_id_array(const NpzArray& array) {
  return is_one_of(kIdArrays, array.name) && array.header.is_vector() && array.header.type != NpyType::object;
}

// W is a mask if it has a column for each of the other views; nobody else's W has.
void tell_mask_from_view(Layout& layout) {
  const auto at = std::find_if(layout.views.begin(), layout.views.end(), [](const Layout::View& view) {
    return view.dense != nullptr && view.name == kMaybeMask;
  });
  if (at == layout.views.end() || layout.mask != nullptr || layout.views.size() < 2) return;
  if (at->dense->header.cols() != static_cast<Index>(layout.views.size()) - 1) return;
  layout.mask = at->dense;
  layout.views.erase(at);
}

Layout find_layout(const NpzArrays& arrays) {
  Layout layout;
  std::set<std::string> prefixes;
  for (const NpzArray& array : arrays.all()) {
    if (const auto sparse = sparse_of(arrays, array)) {
      if (prefixes.insert(sparse->prefix).second) layout.views.push_back({sparse->name(), nullptr, *sparse});
    } else if (is_label_array(array)) {
      layout.labels = &array;
    } else if (is_id_array(array)) {
      if (layout.ids != nullptr) {
        fail(arrays.path(), "the arrays {} and {} are both called like sample ids; keep one of them",
             omvc::quoted(layout.ids->name), omvc::quoted(array.name));
      }
      layout.ids = &array;
    } else if (is_one_of(kMaskNames, array.name)) {
      layout.mask = &array;
    } else if (array.header.shape.size() >= 2) {
      check_npy_view(array.header, array.where);
      layout.views.push_back({array.name, &array, {}});
    }
  }
  tell_mask_from_view(layout);
  if (layout.views.empty()) {
    std::string found;
    for (const NpzArray& array : arrays.all()) found += (found.empty() ? "" : ", ") + array.name;
    fail(arrays.path(),
         "there are no views: expected arrays of two dimensions or sparse matrices of scipy.sparse.save_npz; found {}",
         found);
  }
  return layout;
}

std::vector<std::string> feature_names(const NpzArrays& arrays, const std::string& view, Index features) {
  const NpzArray* array = arrays.find(view + "_features");
  if (array == nullptr || !array->header.is_text() || !array->header.is_vector()) return {};
  std::vector<std::string> names = read_npy_strings(*arrays.open(*array), array->header, array->where);
  if (static_cast<Index>(names.size()) != features) {
    fail(array->where, "has {} names for the {} features of '{}'", names.size(), features, view);
  }
  return names;
}

std::unique_ptr<ViewReader> open_view(const NpzArrays& arrays, const Layout::View& view, const std::string& name) {
  if (view.dense != nullptr) {
    const NpyHeader& header = view.dense->header;
    ViewSchema schema{name, header.cols(), feature_names(arrays, view.name, header.cols())};
    return make_npy_reader(view.dense->where, std::move(schema), arrays.open(*view.dense), header);
  }
  SparseView loaded = load_sparse(arrays, view.sparse);
  const Index features = block_cols(loaded.view.block);
  ViewSchema schema{name, features, feature_names(arrays, view.name, features)};
  return make_memory_reader(view.sparse.where, std::move(schema), std::move(loaded.view), loaded.rows);
}

// A matrix without a name of its own is called like its file.
std::string name_of(const Layout::View& view, const std::string& path) {
  return view.name.empty() || view.name == "arr_0" ? std::filesystem::path(path).stem().string() : view.name;
}

std::vector<int> read_truth(const NpzArrays& arrays, const NpzArray& labels) {
  const auto bytes = arrays.open(labels);
  if (labels.header.is_text()) return number_labels(read_npy_strings(*bytes, labels.header, labels.where));
  return labels_from_numbers(read_npy_values<double>(*bytes, labels.header), labels.where);
}

DenseBlock<double> read_mask(const NpzArrays& arrays, const NpzArray& mask) {
  if (mask.header.is_text() || mask.header.shape.empty() || mask.header.shape.size() > 2) {
    fail(mask.where, "is named like a mask, which has a row for each instance and a column of 0 and 1 for each view");
  }
  return read_npy_block(*arrays.open(mask), mask.header);
}

std::vector<std::string> read_ids(const NpzArrays& arrays, const NpzArray& ids) {
  return read_npy_strings(*arrays.open(ids), ids.header, ids.where);
}

}  // namespace

Input open_npz(const std::string& path, const InputOptions& /*options*/) {
  const NpzArrays arrays(path);
  const Layout layout = find_layout(arrays);
  std::vector<std::unique_ptr<ViewReader>> readers;
  for (const Layout::View& view : layout.views) {
    readers.push_back(open_view(arrays, view, layout.views.size() == 1 ? name_of(view, path) : view.name));
  }
  const auto views = static_cast<Index>(readers.size());
  Input input{make_joined_source(std::move(readers)), std::nullopt};
  const Index rows = input.source->size().value_or(0);
  if (layout.mask != nullptr) {
    input.source = make_masked_source(std::move(input.source),
                                      presence_from_matrix(read_mask(arrays, *layout.mask), views, layout.mask->where),
                                      layout.mask->where);
  }
  if (layout.ids != nullptr) {
    input.source = make_named_source(std::move(input.source), read_ids(arrays, *layout.ids), layout.ids->where);
  }
  if (layout.labels != nullptr) {
    input.truth = read_truth(arrays, *layout.labels);
    if (static_cast<Index>(input.truth->size()) != rows) {
      fail(layout.labels->where, "has {} class labels for {} instances", input.truth->size(), rows);
    }
  }
  return input;
}

std::unique_ptr<ViewReader> open_npz_view(const std::string& path, const std::string& view_name,
                                          const InputOptions& /*options*/) {
  const NpzArrays arrays(path);
  const Layout layout = find_layout(arrays);
  if (layout.views.size() != 1 || layout.mask != nullptr || layout.labels != nullptr) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: holds more than one view (several views, or labels or a mask beside one), so it "
                            "must be the only input",
                            path));
  }
  auto reader = open_view(arrays, layout.views.front(), view_name);
  if (layout.ids == nullptr) return reader;
  return make_identified_reader(std::move(reader), read_ids(arrays, *layout.ids), layout.ids->where);
}

DenseBlock<double> read_npz_mask(const std::string& path) {
  const NpzArrays arrays(path);
  const NpzArray* only = nullptr;
  Index candidates = 0;
  for (const NpzArray& array : arrays.all()) {
    if (is_one_of(kMaskNames, array.name) || array.name == kMaybeMask) return read_mask(arrays, array);
    if (array.header.shape.size() != 2 || array.header.is_text()) continue;
    only = &array;
    ++candidates;
  }
  if (candidates != 1) {
    fail(path, "there is no array named mask, present, presence or W; name the one of 0 and 1, instances x views, so");
  }
  return read_mask(arrays, *only);
}

}  // namespace omvc
