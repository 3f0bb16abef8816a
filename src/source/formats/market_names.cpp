#include "source/formats/market_names.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <optional>

#include "omvc/error.hpp"

#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

namespace fs = std::filesystem;

struct Names {
  std::string path;
  std::vector<std::string> names;

  bool fits(Index size) const { return static_cast<Index>(names.size()) == size; }
};

// The second column of a line where it is asked for and there is one, else the first. Stops early in a file that has
// more lines than either side of the matrix.
Names read_names(const std::string& path, bool second_column, Index longest) {
  LineReader lines(path);
  Names out{path, {}};
  std::vector<std::string_view> fields;
  while (const auto line = lines.next()) {
    if (trim(*line).empty()) continue;
    split_fields(*line, Delimiter::tab, fields);
    out.names.emplace_back(fields[second_column && fields.size() > 1 ? 1 : 0]);
    if (static_cast<Index>(out.names.size()) > longest) break;
  }
  return out;
}

class Neighbours {
 public:
  Neighbours(const std::string& path, Index rows, Index cols) : rows_(rows), cols_(cols) {
    fs::path file(path);
    folder_ = file.parent_path();
    std::string stem = file.filename().string();
    for (const std::string_view ending : {".gz", ".mtx", ".mm"}) {
      if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
    }
    constexpr std::string_view kMatrix = "matrix";
    is_10x_ = stem.ends_with(kMatrix);
    if (is_10x_) prefix_ = stem.substr(0, stem.size() - kMatrix.size());
    if (const auto gap = stem.find_last_of("_-. "); gap != std::string::npos) last_word_ = stem.substr(gap + 1);
  }

  // Whether the matrix itself is named as in a folder of 10x Genomics.
  bool is_10x() const { return is_10x_; }

  std::optional<Names> barcodes() const { return find({prefix_ + "barcodes"}, false); }
  // A file that is called as the last word of the matrix says something only beside barcodes.
  std::optional<Names> features(bool beside_barcodes) const {
    std::vector<std::string> stems{prefix_ + "features", prefix_ + "genes"};
    if (!is_10x_ && beside_barcodes) stems.insert(stems.begin(), last_word_);
    return find(stems, true);
  }

 private:
  // The first of the files that is as long as a side of the matrix, else the first that exists.
  std::optional<Names> find(const std::vector<std::string>& stems, bool second_column) const {
    std::optional<Names> misfit;
    for (const std::string& stem : stems) {
      for (const std::string_view ending : {".tsv", ".tsv.gz", ".txt", ".txt.gz"}) {
        const fs::path path = folder_ / (stem + std::string(ending));
        std::error_code ignored;
        if (stem.empty() || !fs::is_regular_file(path, ignored)) continue;
        Names names = read_names(path.string(), second_column, std::max(rows_, cols_));
        if (names.fits(rows_) || names.fits(cols_)) return names;
        if (!misfit) misfit = std::move(names);
      }
    }
    return misfit;
  }

  Index rows_;
  Index cols_;
  fs::path folder_;
  std::string prefix_;
  std::string last_word_;
  bool is_10x_ = false;
};

}  // namespace

MarketNames find_market_names(const std::string& path, Index rows, Index cols, bool transpose) {
  MarketNames out;
  out.instances_in_columns = transpose;
  if (path == kStandardInput) return out;
  const Neighbours neighbours(path, rows, cols);
  std::optional<Names> barcodes = neighbours.barcodes();
  std::optional<Names> features = neighbours.features(barcodes.has_value());
  const auto fits = [&](bool in_columns) {
    return (!barcodes || barcodes->fits(in_columns ? cols : rows)) &&
           (!features || features->fits(in_columns ? rows : cols));
  };
  if (!barcodes && !features) return out;
  if (!fits(true) && (transpose || !fits(false))) {
    if (neighbours.is_10x() && barcodes && features) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: the matrix is {} x {}, which does not fit {} ({} lines) and {} ({} lines); the files "
                      "do not belong together",
                      path, rows, cols, features->path, features->names.size(), barcodes->path,
                      barcodes->names.size()));
    }
    // Files of another matrix in the same folder; one of them may still belong to this one.
    if (barcodes && !barcodes->fits(transpose ? cols : rows)) barcodes.reset();
    if (features && !features->fits(transpose ? rows : cols)) features.reset();
  } else {
    out.instances_in_columns = fits(true);
  }
  if (barcodes) out.samples = std::move(barcodes->names);
  if (features) out.features = std::move(features->names);
  return out;
}

}  // namespace omvc
