// Who may know whom (CONTRIBUTING.md, "The map"): reads the #include lines of every file and refuses what breaks the
// map.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path kRoot = OMVC_SOURCE_DIR;

// A folder of src/ and the folders it may include, beside itself. Files directly in src/ wire everything together.
const std::map<std::string, Names> kMayKnow{
    {"parallel", {}},
    {"random", {}},
    {"file", {"chunk"}},
    {"chunk", {}},
    {"hdf5", {"file"}},
    {"eval", {"parallel", "random"}},
    {"kernels", {"chunk", "parallel"}},
    {"scale", {"chunk", "file", "parallel"}},
    {"source", {"chunk", "file", "random"}},
    {"source/table", {"file", "source"}},
    {"source/join", {"chunk", "source", "source/table"}},
    {"source/formats", {"chunk", "file", "hdf5", "source", "source/join", "source/table"}},
    {"source/rows", {"source/table"}},
    {"source/order", {"chunk", "file", "random", "source"}},
    {"source/ahead", {"chunk", "scale", "source"}},
    {"sink", {"chunk", "file", "hdf5"}},
    {"factorise", {"chunk", "file", "kernels", "parallel", "random"}},
    {"fine", {"chunk", "factorise", "file", "kernels", "parallel", "random"}},
    {"cut", {"chunk", "factorise", "file", "fine", "kernels", "parallel", "random"}},
    {"model", {"chunk", "cut", "factorise", "file", "fine", "kernels", "parallel", "scale"}},
    {"methods", {"chunk", "cut", "factorise", "file", "kernels", "parallel", "random"}},
    {"report", {"chunk", "cut", "file", "fine", "kernels", "model", "parallel", "random", "scale"}},
    {"run",
     {"chunk", "cut", "eval", "factorise", "file", "kernels", "methods", "model", "parallel", "report", "scale",
      "source/ahead"}},
};

// A public header that not every room may know, and the rooms that may: those that make what it promises, and those
// that work with its values. What a room may not include from src/ it must not get through a public header either.
const std::map<std::string, Names> kMayKnowPublic{
    {"borrowed", {"source"}},
    {"clusterer", {"run"}},
    {"convert", {"sink"}},
    {"evaluation", {"cut", "eval", "model", "report", "source/formats"}},
    {"exchange", {"run", "sink"}},
    {"files", {"file", "run"}},
    {"input", {"source/formats", "source/join", "source/table"}},
    {"kmeans", {"cut", "eval", "fine"}},
    {"mask", {"source/order"}},
    {"options", {"factorise", "methods", "model", "report", "run", "scale"}},
    {"page", {"report", "run"}},
    {"plan", {"run"}},
    {"planted", {"source"}},
    {"report", {"cut", "methods", "model", "parallel", "report", "run"}},
    {"rows", {"source/rows"}},
    {"sink", {"run", "sink"}},
    {"source", {"run", "sink", "source", "source/ahead", "source/formats", "source/join", "source/order"}},
    {"stream", {"run"}},
    {"update", {"run"}},
};
const Names kPublicToAll{"buffer", "chunk", "error"};

// The room of a file: the longest folder of the map that it stands in.
std::string room_of(const fs::path& file) {
  for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (kMayKnow.contains(folder.string())) return folder.string();
  }
  return "";
}

std::vector<std::string> includes(const fs::path& file) {
  std::vector<std::string> found;
  std::ifstream in(file);
  const std::regex pattern("^\\s*#include\\s+\"([^\"]+)\"");
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) found.push_back(match[1]);
  }
  return found;
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".cpp" || extension == ".hpp") found.push_back(entry.path());
  }
  return found;
}

TEST(Layers, EveryRoomOfSrcKnowsOnlyWhatTheMapAllows) {
  ASSERT_FALSE(sources(kRoot / "src").empty());
  for (const fs::path& file : sources(kRoot / "src")) {
    const fs::path inside = fs::relative(file, kRoot / "src");
    if (inside.has_parent_path() == false) continue;
    const std::string room = room_of(inside);
    ASSERT_FALSE(room.empty()) << file << " is in a folder that the map does not have";
    for (const std::string& include : includes(file)) {
      const std::string other = room_of(include);
      if (include.starts_with("omvc/") || other == room) continue;
      EXPECT_TRUE(kMayKnow.at(room).contains(other)) << file << " may not include " << include;
    }
  }
}

TEST(Layers, EveryRoomOfSrcKnowsOnlyThePublicHeadersThatTheMapAllows) {
  for (const fs::path& file : sources(kRoot / "include/omvc")) {
    const std::string name = file.stem().string();
    EXPECT_NE(kMayKnowPublic.contains(name), kPublicToAll.contains(name)) << file << " is not in the map";
  }
  for (const fs::path& file : sources(kRoot / "src")) {
    const std::string room = room_of(fs::relative(file, kRoot / "src"));
    if (room.empty()) continue;
    for (const std::string& include : includes(file)) {
      const std::string name = fs::path(include).stem().string();
      if (!include.starts_with("omvc/") || kPublicToAll.contains(name)) continue;
      ASSERT_TRUE(kMayKnowPublic.contains(name)) << file << " includes " << include;
      EXPECT_TRUE(kMayKnowPublic.at(name).contains(room)) << file << " may not include " << include;
    }
  }
}

TEST(Layers, TheCommandUsesThePublicHeadersOnly) {
  for (const fs::path& file : sources(kRoot / "app")) {
    for (const std::string& include : includes(file)) {
      const bool own = fs::exists(kRoot / "app" / include);
      EXPECT_TRUE(own || include.starts_with("omvc/")) << file << " may not include " << include;
    }
  }
}

TEST(Layers, ThePythonModuleUsesThePublicHeadersOnly) {
  for (const fs::path& file : sources(kRoot / "python/src")) {
    for (const std::string& include : includes(file)) {
      const bool own = fs::exists(kRoot / "python/src" / include);
      EXPECT_TRUE(own || include.starts_with("omvc/")) << file << " may not include " << include;
    }
  }
}

TEST(Layers, PublicHeadersNeedOnlyEachOtherAndTheStandardLibrary) {
  for (const fs::path& file : sources(kRoot / "include")) {
    for (const std::string& include : includes(file))
      EXPECT_TRUE(include.starts_with("omvc/")) << file << ": " << include;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      EXPECT_EQ(line.find("#include <Eigen"), std::string::npos) << file;
      EXPECT_EQ(line.find("#include <fmt"), std::string::npos) << file;
    }
  }
}

TEST(Layers, TheLibraryNeverPrintsExitsOrAborts) {
  const std::regex forbidden("std::(cout|cerr|clog)|\\bf?printf\\(|fmt::print\\(|\\bexit\\(|\\babort\\(");
  for (const fs::path& folder : {kRoot / "src", kRoot / "include"}) {
    for (const fs::path& file : sources(folder)) {
      std::ifstream in(file);
      for (std::string line; std::getline(in, line);) {
        EXPECT_FALSE(std::regex_search(line, forbidden)) << file << ": " << line;
      }
    }
  }
}

}  // namespace
