// The archives whose files are text or svmlight.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>

#include "omvc/error.hpp"

#include "source/formats/svmlight.hpp"
#include "source/formats/text.hpp"
#include "source/formats/uci.hpp"
#include "source/join/join.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kMfeatViews{"fou", "fac", "kar", "pix", "zer"};
constexpr Index kMfeatClasses = 10;
constexpr std::array<std::string_view, 5> kReutersLanguages{"EN", "FR", "GR", "IT", "SP"};
constexpr std::array<std::string_view, 3> kYoutubeViews{"vision_cuboids_histogram", "audio_mfcc", "text_game_lda_1000"};
constexpr std::array<std::string_view, 3> kYoutubeSplits{"train", "validation", "test"};

// The file, or the same with .gz.
std::string need_file(const fs::path& path, std::string_view archive) {
  for (const std::string& name : {path.string(), path.string() + ".gz"}) {
    std::error_code ignored;
    if (fs::is_regular_file(name, ignored)) return name;
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: there is no such file; {} is the unpacked archive, whole", path.string(), archive));
}

Index count_lines(const std::string& path) {
  LineReader lines(path);
  while (lines.next()) continue;
  return lines.line_number();
}

// The files of a feature family under the folder, by the part of the data they hold.
std::array<std::string, 3> find_splits(const std::vector<std::string>& files, std::string_view view,
                                       const std::string& folder) {
  std::array<std::string, 3> found;
  for (const std::string& file : files) {
    if (fs::path(file).filename().string().find(view) == std::string::npos) continue;
    const std::string inside = fs::path(file).lexically_relative(folder).string();
    for (std::size_t i = 0; i < kYoutubeSplits.size(); ++i) {
      if (inside.find(kYoutubeSplits[i]) == std::string::npos) continue;
      if (!found[i].empty()) {
        throw Error(ErrorKind::data, fmt::format("{} and {} are both the {} part of {}; keep one of them", found[i],
                                                 file, kYoutubeSplits[i], view));
      }
      found[i] = file;
      break;
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].empty()) continue;
    throw Error(ErrorKind::data,
                fmt::format("{}: there is no {} file of {} in it; youtube-uci is the unpacked archive, with folders "
                            "train, validation and test",
                            folder, kYoutubeSplits[i], view));
  }
  return found;
}

}  // namespace

Input open_mfeat_uci(const std::string& folder, const InputOptions& options) {
  InputOptions text = options;
  text.id_column = {"none"};
  std::vector<std::unique_ptr<ViewReader>> readers;
  for (const std::string_view view : kMfeatViews) {
    const std::string name = fmt::format("mfeat-{}", view);
    readers.push_back(open_text(need_file(fs::path(folder) / name, "mfeat-uci"), name, text));
  }
  const Index rows = count_lines(readers.front()->path());
  if (rows % kMfeatClasses != 0) {
    throw Error(ErrorKind::data, fmt::format("{}: has {} lines, which are not {} equal classes; it is truncated",
                                             readers.front()->path(), rows, kMfeatClasses));
  }
  Input input = make_joined_input(std::move(readers));
  std::vector<int> truth(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) truth[static_cast<std::size_t>(i)] = static_cast<int>(i / (rows / kMfeatClasses));
  input.truth = std::move(truth);
  return input;
}

Input open_reuters_uci(const std::string& folder, const InputOptions& /*options*/) {
  std::vector<std::unique_ptr<ViewReader>> readers;
  for (const std::string_view language : kReutersLanguages) {
    const fs::path inside = fs::path(folder) / language;
    std::vector<SvmlightPart> parts;
    for (const std::string_view source : kReutersLanguages) {
      parts.push_back({need_file(inside / fmt::format("Index_{}-{}", source, language), "reuters-uci"), ""});
    }
    readers.push_back(open_svmlight_parts(inside.string(), std::move(parts), std::string(language)));
  }
  return make_joined_input(std::move(readers));
}

Input open_youtube_uci(const std::string& folder, const InputOptions& /*options*/) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file()) files.push_back(at->path().string());
  }
  if (error) throw Error(ErrorKind::io, fmt::format("{}: cannot list the folder: {}", folder, error.message()));
  std::sort(files.begin(), files.end());
  std::vector<std::unique_ptr<ViewReader>> readers;
  for (const std::string_view view : kYoutubeViews) {
    const auto splits = find_splits(files, view, folder);
    std::vector<SvmlightPart> parts;
    for (std::size_t i = 0; i < splits.size(); ++i) parts.push_back({splits[i], fmt::format("{}/", kYoutubeSplits[i])});
    readers.push_back(open_svmlight_parts(fmt::format("{}: {}", folder, view), std::move(parts), std::string(view)));
  }
  return make_joined_input(std::move(readers));
}

}  // namespace omvc
