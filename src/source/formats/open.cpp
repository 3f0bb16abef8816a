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
#include "source/formats/known_names.hpp"
#include "source/formats/mat.hpp"
#include "source/formats/matrix_market.hpp"
#include "source/formats/npy.hpp"
#include "source/formats/npz.hpp"
#include "source/formats/svmlight.hpp"
#include "source/formats/text.hpp"
#include "source/join/join.hpp"
#include "source/join/named.hpp"
#include "source/table/cell.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

// A format holds one view a file (open_view), a whole data set (open_container) or, depending on the file, either.
struct Format {
  std::string_view names;       // each between blanks, for InputOptions::format; the first is that of docs/formats.md
  std::string_view extensions;  // each between blanks, lower case; compressed files have ".gz" or the like after them
  std::string_view magic;       // how the content starts, for files whose name says nothing
  bool may_be_compressed;
  std::unique_ptr<ViewReader> (*open_view)(const std::string& path, const std::string& view_name,
                                           const InputOptions& options);
  Input (*open_container)(const std::string& path, const InputOptions& options);
};

constexpr std::array kFormats{
    Format{" npy ", " .npy ", "\x93NUMPY", false, open_npy, nullptr},
    Format{" npz ", " .npz ", "PK\x03\x04", false, open_npz_view, open_npz},
    Format{" matrix-market mtx ", " .mtx .mm ", "%%MatrixMarket", true, open_matrix_market, nullptr},
    Format{" mat ", " .mat ", "MATLAB ", false, nullptr, open_mat},
    Format{" h5mu h5ad ", " .h5mu .h5ad .h5 .hdf5 ", "\x89HDF\r\n\x1a\n", false, nullptr, open_h5},
    Format{" h5mu ", "", "MuData ", false, nullptr, open_h5},  // behind a user block of text
    Format{" svmlight libsvm svm ", " .svm .svmlight .libsvm ", "", true, open_svmlight, nullptr},
    Format{" text csv tsv ", " .txt .csv .tsv .tab .dat .data ", "", true, open_text, nullptr},
};
constexpr const Format& kText = kFormats.back();

const Format& format_opened_by(std::unique_ptr<ViewReader> (*open)(const std::string&, const std::string&,
                                                                   const InputOptions&)) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const Format& format) { return format.open_view == open; });
}

struct FileName {
  std::string stem;       // of the view
  std::string extension;  // lower case, without .gz and the like
  bool compressed = false;
};

FileName parse_name(const std::string& path) {
  FileName name;
  if (path == kStandardInput) return {"stdin", "", false};
  std::filesystem::path file = std::filesystem::path(path).filename();
  constexpr std::array<std::string_view, 5> kPacked{".gz", ".bz2", ".xz", ".zst", ".zstd"};
  if (is_one_of(kPacked, lower_case(file.extension().string()))) {
    name.compressed = true;
    file = file.stem();
  }
  name.extension = lower_case(file.extension().string());
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
  if (name.ends_with("-uci")) {
    throw Error(ErrorKind::usage, fmt::format("{} is the name of a raw archive, which is converted first: omvc convert "
                                              "--from {} FOLDER -o FILE.h5mu",
                                              omvc::quoted(name), name));
  }
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
  if (const std::string foreign = foreign_content(first_bytes(path)); !foreign.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: is {}", path, foreign));
  }
  const FileName name = parse_name(path);
  for (const Format& format : kFormats) {
    if (name.extension.empty() || format.extensions.find(" " + name.extension + " ") == std::string_view::npos)
      continue;
    if (name.compressed && !format.may_be_compressed) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} files cannot be read compressed; unpack it first", path, name.extension));
    }
    // Sparse files are often called just .txt; no line of theirs is a line of numbers, so there is no doubt.
    const bool any_text = name.extension == ".txt" || name.extension == ".dat" || name.extension == ".data";
    if (any_text && looks_like_svmlight(first_bytes(path))) return format_opened_by(open_svmlight);
    return format;
  }
  return format_by_content(path, name);
}

// A view: its name, and its file.
struct NamedFile {
  std::string name;
  std::string path;
};

// "NAME=FILE", or a file whose stem is the name; where two files have the same stem, the paths as given.
std::vector<NamedFile> name_views(const std::vector<std::string>& paths) {
  std::vector<NamedFile> files;
  std::map<std::string, int> uses;
  for (const std::string& path : paths) {
    const std::size_t equals = path.find('=');
    const std::string before = path.substr(0, equals == std::string::npos ? 0 : equals);
    std::error_code ignored;
    const bool named =
        !before.empty() && before.find('/') == std::string::npos && !std::filesystem::exists(path, ignored);
    if (named) {
      files.push_back({before, path.substr(equals + 1)});
    } else {
      ++uses[parse_name(path).stem];
      files.push_back({"", path});
    }
  }
  for (NamedFile& file : files) {
    if (!file.name.empty()) continue;
    const std::string stem = parse_name(file.path).stem;
    file.name = uses[stem] == 1 ? stem : file.path;
  }
  for (std::size_t v = 0; v < files.size(); ++v) {
    for (std::size_t w = 0; w < v; ++w) {
      if (files[v].name != files[w].name) continue;
      if (files[v].path == files[w].path) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} is given twice; for two views of one table give each its name and columns: "
                                "a={} b={} --columns a=... --columns b=...",
                                files[v].path, files[v].path, files[v].path));
      }
      throw Error(ErrorKind::usage, fmt::format("two views have the name {}; give each its own as NAME=FILE",
                                                omvc::quoted(files[v].name)));
    }
  }
  return files;
}

// Those of the columns that are named for every view or, as "VIEW=COLUMN", for this one.
std::vector<std::string> of_view(const std::vector<std::string>& columns, const std::vector<NamedFile>& files,
                                 std::size_t view) {
  std::vector<std::string> own;
  for (const std::string& column : columns) {
    std::optional<std::size_t> owner;
    for (std::size_t v = 0; v < files.size(); ++v) {
      if (column.starts_with(files[v].name + "=")) owner = v;
    }
    if (!owner) own.push_back(column);
    if (owner == view) own.push_back(column.substr(files[view].name.size() + 1));
  }
  return own;
}

InputOptions options_of_view(const InputOptions& options, const std::vector<NamedFile>& files, std::size_t view) {
  InputOptions own = options;
  own.id_column = of_view(options.id_column, files, view);
  own.text.columns = of_view(options.text.columns, files, view);
  own.text.drop = of_view(options.text.drop, files, view);
  own.like.views.clear();
  for (const ViewSchema& known : options.like.views) {
    if (known.name == files[view].name) own.like.views = {known};
  }
  if (own.like.views.empty() && options.like.views.size() == files.size()) {
    own.like.views = {options.like.views[view]};
  }
  return own;
}

// Where every file starts with a column of whole numbers under the same name, it holds the sample ids, unless one comes
// twice in a file.
void share_ids(std::vector<std::unique_ptr<ViewReader>>& readers, const std::vector<NamedFile>& files,
               const InputOptions& options, std::vector<std::string>& notes) {
  const std::string name = readers.front()->possible_id_column();
  const bool shared =
      readers.size() > 1 && !name.empty() && std::all_of(readers.begin(), readers.end(), [&](const auto& reader) {
        return reader->possible_id_column() == name && reader->rewind();
      });
  if (!shared) return;
  std::vector<std::unique_ptr<ViewReader>> opened(files.size());  // again, where a reader cannot be told
  for (std::size_t v = 0; v < files.size(); ++v) {
    if (!readers[v]->take_possible_ids()) {
      InputOptions own = options_of_view(options, files, v);
      own.id_column = {name};
      opened[v] = open_text(files[v].path, files[v].name, own);
    }
    if ((opened[v] ? opened[v] : readers[v])->has_unique_ids()) continue;
    for (const auto& reader : readers) reader->drop_possible_ids();
    return;
  }
  notes.push_back(
      fmt::format("column {}, which every file starts with, is taken for sample ids, not for a feature (for "
                  "a feature say --id-column none)",
                  omvc::quoted(name)));
  for (std::size_t v = 0; v < files.size(); ++v) {
    if (opened[v]) readers[v] = std::move(opened[v]);
  }
}

// The names of features that files say, by view: "VIEW=FILE", or FILE where there is one view. Throws ErrorKind::usage
// where there is no such view, and ErrorKind::data where a file does not have a line for every feature.
std::vector<std::vector<std::string>> read_feature_names(const std::vector<std::string>& given, const Schema& schema) {
  std::vector<std::vector<std::string>> names(schema.views.size());
  for (const std::string& one : given) {
    std::size_t view = schema.views.size() == 1 ? 0 : schema.views.size();
    std::string path = one;
    for (std::size_t v = 0; v < schema.views.size(); ++v) {
      if (!one.starts_with(schema.views[v].name + "=")) continue;
      view = v;
      path = one.substr(schema.views[v].name.size() + 1);
    }
    if (view == schema.views.size()) {
      throw Error(ErrorKind::usage, fmt::format("--names {}: say whose features these are: VIEW=FILE, where VIEW is {}",
                                                one, schema.views[0].name));
    }
    LineReader lines(path);
    while (const auto line = lines.next()) {
      const std::string_view name = trim(line->substr(0, line->find('\t')));
      if (!name.empty()) names[view].emplace_back(name);
    }
    if (static_cast<Index>(names[view].size()) != schema.views[view].features) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: has {} names, and view {} has {} features; give one a line", path,
                              names[view].size(), schema.views[view].name, schema.views[view].features));
    }
  }
  return names;
}

void check_path(const std::string& path, const Format& format, std::size_t paths) {
  if (format.open_view == nullptr && paths > 1) {
    throw Error(ErrorKind::usage, fmt::format("{}: is a container that holds all views, so it must be the only input; "
                                              "{} files were given",
                                              path, paths));
  }
  if (path == kStandardInput && format.open_view != open_text && format.open_view != open_matrix_market) {
    throw Error(ErrorKind::usage, "standard input can be text or Matrix Market only; write other formats to a file");
  }
}

}  // namespace

namespace {

Input open_files(const std::vector<std::string>& paths, const InputOptions& options) {
  if (paths.empty()) {
    throw Error(ErrorKind::usage, "no input: name one file for each view, or one container file with all views");
  }
  if (std::count(paths.begin(), paths.end(), kStandardInput) > 1) {
    throw Error(ErrorKind::usage, "- (standard input) can be one view only; write the others to files");
  }
  const std::vector<NamedFile> files = name_views(paths);
  std::vector<std::unique_ptr<ViewReader>> readers;
  for (std::size_t v = 0; v < files.size(); ++v) {
    const std::string& path = files[v].path;
    const std::string file = split_fold(path).path;
    std::error_code error;
    if (path != kStandardInput && !std::filesystem::exists(file, error)) {
      throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path, error ? error.message() : "no such file"));
    }
    const Format& format = find_format(file, options.format);
    if (format.open_container != open_h5 &&
        !(options.layer.empty() && options.views.empty() && options.label_column.empty())) {
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: only MuData and AnnData files have layers, views to choose and label columns", path));
    }
    check_path(path, format, files.size());
    if (format.open_container != nullptr && files.size() == 1) return format.open_container(path, options);
    readers.push_back(format.open_view(path, files[v].name, options_of_view(options, files, v)));
  }
  std::vector<std::string> notes;
  share_ids(readers, files, options, notes);
  for (const auto& reader : readers) {
    const std::vector<std::string> own = reader->notes();
    notes.insert(notes.end(), own.begin(), own.end());
  }
  Input input = make_joined_input(std::move(readers), options.allow_disjoint);
  input.notes.insert(input.notes.begin(), notes.begin(), notes.end());
  return input;
}

}  // namespace

Input open_input(const std::vector<std::string>& paths, const InputOptions& options) {
  Input input = open_files(paths, options);
  if (!options.names.empty()) {
    auto names = read_feature_names(options.names, input.source->schema());
    input.source = make_feature_named_source(std::move(input.source), std::move(names));
  }
  return input;
}

}  // namespace omvc
