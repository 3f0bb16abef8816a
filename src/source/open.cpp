#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <string_view>
#include <zlib.h>

#include "omvc/error.hpp"
#include "omvc/input.hpp"

#include "source/anndata.hpp"
#include "source/join.hpp"
#include "source/mat.hpp"
#include "source/matrix_market.hpp"
#include "source/npy.hpp"
#include "source/text.hpp"

namespace omvc {
namespace {

// A format holds one view a file (open_view) or a whole data set (open_container).
struct Format {
  std::string_view extensions;  // each between blanks, lower case; compressed files have ".gz" after them
  std::string_view magic;       // how the content starts, for files whose name says nothing
  bool may_be_compressed;
  std::unique_ptr<ViewReader> (*open_view)(const std::string& path, const std::string& view_name);
  Input (*open_container)(const std::string& path, const InputOptions& options);
};

constexpr std::array kFormats{
    Format{" .npy ", "\x93NUMPY", false, open_npy, nullptr},
    Format{" .mtx .mm ", "%%MatrixMarket", true, open_matrix_market, nullptr},
    Format{" .mat ", "MATLAB ", false, nullptr,
           [](const std::string& path, const InputOptions&) { return open_mat(path); }},
    Format{" .h5mu .h5ad .h5 .hdf5 ", "\x89HDF\r\n\x1a\n", false, nullptr, open_h5},
    Format{"", "MuData ", false, nullptr, open_h5},  // behind a user block of text
    Format{" .txt .csv .tsv .tab .dat .data ", "", true, open_text, nullptr},
};
constexpr const Format& kText = kFormats.back();

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

struct FileName {
  std::string stem;       // of the view
  std::string extension;  // lower case, without .gz
  bool compressed = false;
};

FileName parse_name(const std::string& path) {
  FileName name;
  std::filesystem::path file = std::filesystem::path(path).filename();
  if (lower(file.extension().string()) == ".gz") {
    name.compressed = true;
    file = file.stem();
  }
  name.extension = lower(file.extension().string());
  name.stem = file.stem().string();
  return name;
}

// The first bytes of a regular file, decompressed. A pipe is not touched: what is read from it is gone.
std::string first_bytes(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::array<char, 512> bytes{};
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return "";
  const int got = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return {bytes.data(), static_cast<std::size_t>(std::max(got, 0))};
}

const Format& format_by_content(const std::string& path, const FileName& name) {
  const std::string start = first_bytes(path);
  for (const Format& format : kFormats) {
    if (!format.magic.empty() && start.starts_with(format.magic)) return format;
  }
  if (start.find('\0') != std::string::npos || start.starts_with("PK\x03\x04")) {
    throw Error(ErrorKind::data,
                fmt::format("{}: the format is not known (extension '{}', binary content); views can be text, CSV, NPY "
                            "or Matrix Market, and a MAT, MuData or AnnData file can hold all of them",
                            path, name.extension));
  }
  return kText;
}

const Format& find_format(const std::string& path) {
  const FileName name = parse_name(path);
  for (const Format& format : kFormats) {
    if (name.extension.empty() || format.extensions.find(" " + name.extension + " ") == std::string_view::npos)
      continue;
    if (name.compressed && !format.may_be_compressed) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} files cannot be read compressed; unpack it with gunzip", path, name.extension));
    }
    return format;
  }
  return format_by_content(path, name);
}

// The stem of each file; where two have the same, the paths as given.
std::vector<std::string> view_names(const std::vector<std::string>& paths) {
  std::map<std::string, int> uses;
  for (const std::string& path : paths) ++uses[parse_name(path).stem];
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const std::string stem = parse_name(path).stem;
    names.push_back(uses[stem] == 1 ? stem : path);
  }
  return names;
}

}  // namespace

Input open_input(const std::vector<std::string>& paths, const InputOptions& options) {
  if (paths.empty()) {
    throw Error(ErrorKind::usage, "no input: name one file for each view, or one container file with all views");
  }
  const std::vector<std::string> names = view_names(paths);
  std::vector<std::unique_ptr<ViewReader>> readers;
  for (std::size_t v = 0; v < paths.size(); ++v) {
    std::error_code error;
    if (!std::filesystem::exists(paths[v], error)) {
      throw Error(ErrorKind::io,
                  fmt::format("{}: cannot open: {}", paths[v], error ? error.message() : "no such file"));
    }
    const Format& format = find_format(paths[v]);
    if (format.open_container != open_h5 && !(options.layer.empty() && options.label_column.empty())) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: only MuData and AnnData files have layers and label columns", paths[v]));
    }
    if (format.open_container == nullptr) {
      readers.push_back(format.open_view(paths[v], names[v]));
    } else if (paths.size() == 1) {
      return format.open_container(paths[v], options);
    } else {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: is a container that holds all views, so it must be the only input; "
                              "{} files were given",
                              paths[v], paths.size()));
    }
  }
  return {make_joined_source(std::move(readers)), std::nullopt};
}

}  // namespace omvc
