#include "source/formats/content.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "omvc/error.hpp"

#include "source/table/packed_file.hpp"

namespace omvc {

std::string first_bytes(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::string bytes(512, '\0');
  try {
    constexpr std::size_t kAtATime = 4096;
    PackedFile file(path, kAtATime);
    bytes.resize(file.read(bytes.data(), bytes.size()));
    return bytes;
  } catch (const Error&) {
    return "";
  }
}

namespace {

struct Foreign {
  std::string_view magic;   // how the content starts
  std::string_view inside;  // what the first bytes contain beside it
  std::string_view what;
};

constexpr std::string_view kExcel =
    "an Excel workbook; save the sheet as CSV (File, Save As, \"CSV UTF-8\") and give that";
constexpr std::string_view kUtf16 = "UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8 FILE > NEW";
constexpr std::string_view kParquet =
    "a Parquet file, which the Python package reads and the command does not; write it as CSV or .npz";
constexpr std::string_view kArrow =
    "an Arrow file, which the Python package reads and the command does not; write it as CSV or .npz";
constexpr std::string_view kPage = "a web page, perhaps a login form in the place of the data; download the file again";
constexpr std::string_view kOffice = "an OpenDocument file; save the sheet as CSV and give that";
constexpr std::string_view kR = "an R data file; write each table with write.csv and give those";

using namespace std::string_view_literals;
constexpr std::array kForeign{
    Foreign{"PK\x03\x04", "[Content_Types].xml", kExcel},
    Foreign{"PK\x03\x04", "_rels/.rels", kExcel},
    Foreign{"PK\x03\x04", "xl/", kExcel},
    Foreign{"PK\x03\x04", "mimetypeapplication/vnd.oasis", kOffice},
    Foreign{"\xD0\xCF\x11\xE0", "", kExcel},
    Foreign{"\xFF\xFE", "", kUtf16},
    Foreign{"\xFE\xFF", "", kUtf16},
    Foreign{"PAR1", "", kParquet},
    Foreign{"ARROW1", "", kArrow},
    Foreign{"FEA1", "", kArrow},
    Foreign{"RDX", "\n", kR},
    Foreign{"X\n\0\0\0"sv, "", kR},
    Foreign{"SQLite format 3", "", "an SQLite database; export each table as CSV (sqlite3 -csv -header)"},
    Foreign{"%PDF-", "", "a PDF; get the table as CSV"},
    Foreign{"\x80\x04\x95", "", "a Python pickle; write the data with numpy.savez or to_csv"},
    Foreign{"<!DOCTYPE html", "", kPage},
    Foreign{"<!doctype html", "", kPage},
    Foreign{"<html", "", kPage},
    Foreign{"<stata_dta>", "", "a Stata file; write it as CSV (export delimited)"},
    Foreign{"$FL2", "", "an SPSS file; write it as CSV (SAVE TRANSLATE)"},
};

// An object or a list of objects, lists or words.
bool is_json(std::string_view start) {
  const auto next = [&](std::size_t from) { return std::min(start.find_first_not_of(" \t\r\n", from), start.size()); };
  const std::size_t first = next(start.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (first >= start.size() || (start[first] != '{' && start[first] != '[')) return false;
  const std::size_t second = next(first + 1);
  if (second >= start.size()) return false;
  return start[second] == '"' || (start[first] == '[' && (start[second] == '{' || start[second] == '['));
}

}  // namespace

std::string foreign_content(const std::string& start) {
  for (const Foreign& one : kForeign) {
    if (start.starts_with(one.magic) && start.find(one.inside) != std::string::npos) return std::string(one.what);
  }
  // Without a byte-order mark: every other byte of Latin text is zero.
  if (start.size() >= 8 && (start.find("\0"sv) == 0 || start.find("\0"sv) == 1)) {
    std::size_t zeros = 0;
    for (std::size_t i = start[0] == '\0' ? 0 : 1; i < start.size(); i += 2) zeros += start[i] == '\0';
    if (4 * zeros >= start.size() + 4 && start.find("\0\0"sv) == std::string::npos) return std::string(kUtf16);
  }
  if (is_json(start))
    return "JSON; give its lines to 'omvc stream', or write it as CSV, one line an instance (pandas: read_json(...)"
           ".to_csv(...))";
  return "";
}

}  // namespace omvc
