#include "reproduce/archives.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "omvc/error.hpp"

#include "reproduce/raw_svmlight.hpp"

namespace omvc::app {
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

struct Archive {
  std::string_view name;
  Input (*open)(const std::string& folder);
};
constexpr std::array kArchives{Archive{"mfeat-uci", open_mfeat}, Archive{"reuters-uci", open_reuters},
                               Archive{"webkb-uci", open_webkb}, Archive{"youtube-uci", open_youtube}};

const Archive* find_archive(const std::string& format) {
  const auto found =
      std::find_if(kArchives.begin(), kArchives.end(), [&](const Archive& archive) { return archive.name == format; });
  return found == kArchives.end() ? nullptr : found;
}

}  // namespace

bool is_archive_name(const std::string& format) { return find_archive(format) != nullptr; }

Input open_archive(const std::string& format, const std::vector<std::string>& paths) {
  const Archive* archive = find_archive(format);
  if (archive == nullptr || paths.size() != 1) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: an archive holds all views, so its folder must be the only input; {} were given",
                            format, paths.size()));
  }
  std::error_code ignored;
  if (!fs::is_directory(paths[0], ignored)) {
    throw Error(ErrorKind::io,
                fmt::format("{}: is not a folder; name the one that the archive was unpacked to", paths[0]));
  }
  return archive->open(paths[0]);
}

Input open_mfeat(const std::string& folder) {
  std::vector<std::string> files;
  for (const std::string_view view : kMfeatViews) {
    const std::string name = fmt::format("mfeat-{}", view);
    files.push_back(name + "=" + need_file(fs::path(folder) / name, "mfeat-uci"));
  }
  const std::string first = files[0].substr(files[0].find('=') + 1);
  const Index rows = count_lines(first);
  if (rows % kMfeatClasses != 0) {
    throw Error(ErrorKind::data, fmt::format("{}: has {} lines, which are not {} equal classes; it is truncated", first,
                                             rows, kMfeatClasses));
  }
  Input input = open_input(files, {.format = "text", .id_column = {"none"}});
  std::vector<int> truth(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) truth[static_cast<std::size_t>(i)] = static_cast<int>(i / (rows / kMfeatClasses));
  input.truth = std::move(truth);
  return input;
}

Input open_reuters(const std::string& folder) {
  std::vector<RawView> views;
  for (const std::string_view language : kReutersLanguages) {
    const fs::path inside = fs::path(folder) / language;
    std::vector<SvmlightPart> parts;
    for (const std::string_view source : kReutersLanguages) {
      parts.push_back({need_file(inside / fmt::format("Index_{}-{}", source, language), "reuters-uci"), ""});
    }
    views.push_back(read_svmlight(inside.string(), parts, std::string(language)));
  }
  return join_views(std::move(views));
}

Input open_youtube(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file()) files.push_back(at->path().string());
  }
  if (error) throw Error(ErrorKind::io, fmt::format("{}: cannot list the folder: {}", folder, error.message()));
  std::sort(files.begin(), files.end());
  std::vector<RawView> views;
  for (const std::string_view view : kYoutubeViews) {
    const auto splits = find_splits(files, view, folder);
    std::vector<SvmlightPart> parts;
    for (std::size_t i = 0; i < splits.size(); ++i) parts.push_back({splits[i], fmt::format("{}/", kYoutubeSplits[i])});
    views.push_back(read_svmlight(fmt::format("{}: {}", folder, view), parts, std::string(view)));
  }
  return join_views(std::move(views));
}

}  // namespace omvc::app
