// The WebKB course pages of Blum and Mitchell as bags of words.
//
// A word is a run of at least two letters a-z outside of tags, in lower case; everything else separates words, and so
// do entities such as &nbsp;. The lines that a web server put before the page ("Server: ...", up to an empty line) are
// left out. A view has the words that occur in at least two of its files, the most widespread first where there are too
// many, in alphabetical order.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>

#include "omvc/error.hpp"

#include "reproduce/archives.hpp"
#include "reproduce/raw_view.hpp"

namespace omvc::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kClasses{"course", "non-course"};

struct PageView {
  std::string_view folder;
  std::size_t most_words;  // as many features as the paper has
};
constexpr std::array kPageViews{PageView{"fulltext", 3000}, PageView{"inlinks", 1840}};

using Counts = std::map<std::string, double>;

std::string read_page(const fs::path& path) {
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 26;
  std::error_code error;
  const auto size = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw Error(ErrorKind::io, fmt::format("{}: cannot read", path.string()));
  if (size > kMost) throw Error(ErrorKind::data, fmt::format("{}: is too large for a web page", path.string()));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The page without what the server says about it.
std::string_view without_server_lines(std::string_view page) {
  const std::size_t name = static_cast<std::size_t>(
      std::find_if(page.begin(), page.end(), [](char c) { return !is_letter(c) && c != '-'; }) - page.begin());
  if (name == 0 || !page.substr(name).starts_with(": ")) return page;
  std::size_t end = std::string_view::npos;
  for (const std::string_view gap : {"\n\n", "\n\r\n"}) end = std::min(end, page.find(gap));
  return end == std::string_view::npos ? page : page.substr(end);
}

Counts count_words(std::string_view page) {
  Counts counts;
  std::string word;
  const auto finish = [&] {
    if (word.size() >= 2) ++counts[word];
    word.clear();
  };
  page = without_server_lines(page);
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (is_letter(page[i])) {
      word += static_cast<char>(page[i] | 0x20);
      continue;
    }
    finish();
    if (page[i] == '<') {
      const std::size_t end = page.find(page.substr(i).starts_with("<!--") ? "-->" : ">", i);
      if (end != std::string_view::npos) i = end;
    } else if (page[i] == '&') {
      std::size_t end = i + 1;
      while (end < page.size() && end < i + 10 && (is_letter(page[end]) || page[end] == '#')) ++end;
      if (end < page.size() && page[end] == ';') i = end;
    }
  }
  finish();
  return counts;
}

// The features of a view: a number for each word that is one.
std::map<std::string, std::int32_t> choose_words(const std::vector<Counts>& pages, std::size_t most) {
  std::map<std::string, Index> documents;
  for (const Counts& page : pages) {
    for (const auto& [word, count] : page) ++documents[word];
  }
  std::vector<std::pair<std::string, Index>> words;
  for (const auto& [word, count] : documents) {
    if (count >= 2) words.emplace_back(word, count);
  }
  std::stable_sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  words.resize(std::min(words.size(), most));
  std::map<std::string, std::int32_t> features;
  for (const auto& [word, count] : words) features.emplace(word, 0);
  std::int32_t number = 0;
  for (auto& [word, feature] : features) feature = number++;
  return features;
}

// The pages of a view: "course/page.html" and where it is.
std::map<std::string, fs::path> list_pages(const fs::path& folder) {
  std::map<std::string, fs::path> pages;
  for (const std::string_view label : kClasses) {
    std::error_code error;
    for (fs::directory_iterator at(folder / label, error), end; !error && at != end; at.increment(error)) {
      if (at->is_regular_file()) pages[fmt::format("{}/{}", label, at->path().filename().string())] = at->path();
    }
    if (error) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: cannot list the folder: {}; webkb-uci is the unpacked archive, with "
                              "fulltext and inlinks",
                              (folder / label).string(), error.message()));
    }
  }
  return pages;
}

RawView read_pages(const fs::path& folder, const PageView& kind) {
  RawView view;
  std::vector<Counts> pages;
  for (const auto& [id, path] : list_pages(folder)) {
    view.ids.push_back(id);
    view.classes.emplace_back(id.starts_with(kClasses[0]) ? "0" : "1");
    pages.push_back(count_words(read_page(path)));
  }
  const auto features = choose_words(pages, kind.most_words);
  if (features.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: no word occurs in two pages, so there are no features", folder.string()));
  }
  CsrBlock<double>& block = view.block;
  block.rows = static_cast<Index>(pages.size());
  block.cols = static_cast<Index>(features.size());
  for (const Counts& page : pages) {
    for (const auto& [word, count] : page) {
      const auto feature = features.find(word);
      if (feature == features.end()) continue;
      block.columns.push_back(feature->second);
      block.values.push_back(count);
    }
    block.offsets.push_back(block.nonzeros());
  }
  view.schema = {std::string(kind.folder), block.cols, {}};
  for (const auto& [word, feature] : features) view.schema.feature_names.push_back(word);
  return view;
}

}  // namespace

Input open_webkb(const std::string& folder) {
  std::vector<RawView> views;
  for (const PageView& kind : kPageViews) views.push_back(read_pages(fs::path(folder) / kind.folder, kind));
  return join_views(std::move(views));
}

}  // namespace omvc::app
