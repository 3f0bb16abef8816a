#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <string_view>

#include "omvc/error.hpp"
#include "omvc/input.hpp"

#include "source/formats/anndata.hpp"
#include "source/formats/content.hpp"
#include "source/formats/mat.hpp"
#include "source/formats/matrix_market.hpp"
#include "source/formats/npy.hpp"
#include "source/formats/npz.hpp"
#include "source/formats/svmlight.hpp"
#include "source/formats/text.hpp"
#include "source/formats/uci.hpp"
#include "source/join/join.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

// A format holds one view a file (open_view), a whole data set (open_container) or, depending on the file, either.
struct Format {
  std::string_view names;       // each between blanks, for InputOptions::format; the first is that of docs/formats.md
  std::string_view extensions;  // each between blanks, lower case; compressed files have ".gz" after them
  std::string_view magic;       // how the content starts, for files whose name says nothing
  bool may_be_compressed;
  std::unique_ptr<ViewReader> (*open_view)(const std::string& path, const std::string& view_name,
                                           const InputOptions& options);
  Input (*open_container)(const std::string& path, const InputOptions& options);
  bool is_folder = false;
};

constexpr std::array kFormats{
    Format{" npy ", " .npy ", "\x93NUMPY", false, open_npy, nullptr},
    Format{" npz ", " .npz ", "PK\x03\x04", false, open_npz_view, open_npz},
    Format{" matrix-market mtx ", " .mtx .mm ", "%%MatrixMarket", true, open_matrix_market, nullptr},
    Format{" mat ", " .mat ", "MATLAB ", false, nullptr, open_mat},
    Format{" h5mu h5ad ", " .h5mu .h5ad .h5 .hdf5 ", "\x89HDF\r\n\x1a\n", false, nullptr, open_h5},
    Format{" h5mu ", "", "MuData ", false, nullptr, open_h5},  // behind a user block of text
    Format{" svmlight libsvm svm ", " .svm .svmlight .libsvm ", "", true, open_svmlight, nullptr},
    Format{" mfeat-uci ", "", "", false, nullptr, open_mfeat_uci, true},
    Format{" reuters-uci ", "", "", false, nullptr, open_reuters_uci, true},
    Format{" webkb-uci ", "", "", false, nullptr, open_webkb_uci, true},
    Format{" youtube-uci ", "", "", false, nullptr, open_youtube_uci, true},
    Format{" text csv tsv ", " .txt .csv .tsv .tab .dat .data ", "", true, open_text, nullptr},
};
constexpr const Format& kText = kFormats.back();

const Format& format_opened_by(std::unique_ptr<ViewReader> (*open)(const std::string&, const std::string&,
                                                                   const InputOptions&)) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const Format& format) { return format.open_view == open; });
}

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
  if (path == kStandardInput) return {"stdin", "", false};
  std::filesystem::path file = std::filesystem::path(path).filename();
  if (lower(file.extension().string()) == ".gz") {
    name.compressed = true;
    file = file.stem();
  }
  name.extension = lower(file.extension().string());
  name.stem = file.stem().string();
  return name;
}

const Format& format_by_content(const std::string& path, const FileName& name) {
  const std::string start = first_bytes(path);
  for (const Format& format : kFormats) {
    if (!format.magic.empty() && start.starts_with(format.magic)) return format;
  }
  if (start.find('\0') != std::string::npos) {
    throw Error(
        ErrorKind::data,
        fmt::format("{}: the format is not known (extension '{}', binary content); views can be text, CSV, NPY, "
                    "NPZ, svmlight or Matrix Market, and an NPZ, MAT, MuData or AnnData file can hold all of them",
                    path, name.extension));
  }
  return looks_like_svmlight(start) ? format_opened_by(open_svmlight) : kText;
}

const Format& format_by_name(const std::string& name) {
  std::string known;
  for (const Format& format : kFormats) {
    if (format.names.find(" " + name + " ") != std::string_view::npos) return format;
    const std::string_view first = format.names.substr(1, format.names.find(' ', 1) - 1);
    known += (known.empty() ? "" : ", ") + std::string(first);
  }
  throw Error(ErrorKind::usage, fmt::format("the format {} is not known; there are {}", omvc::quoted(name), known));
}

const Format& find_format(const std::string& path, const std::string& asked) {
  if (!asked.empty()) return format_by_name(asked);
  if (path == kStandardInput) return kText;
  const FileName name = parse_name(path);
  for (const Format& format : kFormats) {
    if (name.extension.empty() || format.extensions.find(" " + name.extension + " ") == std::string_view::npos)
      continue;
    if (name.compressed && !format.may_be_compressed) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} files cannot be read compressed; unpack it with gunzip", path, name.extension));
    }
    // Sparse files are often called just .txt; no line of theirs is a line of numbers, so there is no doubt.
    const bool any_text = name.extension == ".txt" || name.extension == ".dat" || name.extension == ".data";
    if (any_text && looks_like_svmlight(first_bytes(path))) return format_opened_by(open_svmlight);
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

void check_path(const std::string& path, const Format& format, std::size_t paths) {
  if (format.open_view == nullptr && paths > 1) {
    throw Error(ErrorKind::usage, fmt::format("{}: is a container that holds all views, so it must be the only input; "
                                              "{} files were given",
                                              path, paths));
  }
  if (path == kStandardInput) {
    if (format.open_view == open_text || format.open_view == open_matrix_market) return;
    throw Error(ErrorKind::usage, "standard input can be text or Matrix Market only; write other formats to a file");
  }
  std::error_code ignored;
  if (format.is_folder && !std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::io, fmt::format("{}: is not a folder; name the one that the archive was unpacked to", path));
  }
}

}  // namespace

Input open_input(const std::vector<std::string>& paths, const InputOptions& options) {
  if (paths.empty()) {
    throw Error(ErrorKind::usage, "no input: name one file for each view, or one container file with all views");
  }
  if (std::count(paths.begin(), paths.end(), kStandardInput) > 1) {
    throw Error(ErrorKind::usage, "- (standard input) can be one view only; write the others to files");
  }
  const std::vector<std::string> names = view_names(paths);
  std::vector<std::unique_ptr<ViewReader>> readers;
  for (std::size_t v = 0; v < paths.size(); ++v) {
    const std::string file = split_fold(paths[v]).path;
    std::error_code error;
    if (paths[v] != kStandardInput && !std::filesystem::exists(file, error)) {
      throw Error(ErrorKind::io,
                  fmt::format("{}: cannot open: {}", paths[v], error ? error.message() : "no such file"));
    }
    const Format& format = find_format(file, options.format);
    if (format.open_container != open_h5 && !(options.layer.empty() && options.label_column.empty())) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: only MuData and AnnData files have layers and label columns", paths[v]));
    }
    check_path(paths[v], format, paths.size());
    if (format.open_container != nullptr && paths.size() == 1) return format.open_container(paths[v], options);
    readers.push_back(format.open_view(paths[v], names[v], options));
  }
  return make_joined_input(std::move(readers));
}

}  // namespace omvc
