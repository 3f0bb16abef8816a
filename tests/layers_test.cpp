// Who may know whom: reads the #include lines of every file and refuses what breaks the map below. The table in
// CONTRIBUTING.md is this map as text; to write it anew: OMVC_UPDATE_DOCS=1 build/tests/omvc_tests
// --gtest_filter='Layers.TheDocumentedMap*'.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
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
    {"chunk", {}},
    {"recipe", {}},
    {"score", {}},
    {"file", {"chunk"}},
    {"hdf5", {"file"}},
    {"kmeans", {"parallel", "random"}},
    {"kernels", {"chunk", "parallel"}},
    {"cuda", {}},
    {"device", {"chunk", "cuda", "kernels", "parallel"}},
    {"source", {"chunk", "file", "random"}},
    {"source/table", {"file", "source"}},
    {"source/join", {"chunk", "source", "source/table"}},
    {"source/formats", {"chunk", "file", "hdf5", "source", "source/join", "source/table"}},
    {"source/rows", {"source/table"}},
    {"source/order", {"chunk", "file", "random", "source"}},
    {"sink", {"chunk", "file", "hdf5"}},
    {"scale", {"chunk", "file", "parallel"}},
    {"pass", {"chunk", "file", "parallel", "scale"}},
    {"tally", {"chunk", "file", "recipe"}},
    {"factorise", {"chunk", "file", "kernels", "parallel", "random"}},
    {"fine", {"chunk", "factorise", "file", "kernels", "parallel", "random", "recipe", "scale"}},
    {"cut", {"chunk", "file", "fine", "kernels", "parallel", "random", "recipe"}},
    {"model", {"chunk", "cut", "factorise", "file", "fine", "kernels", "pass", "random", "recipe", "scale"}},
    {"compare", {"chunk", "factorise", "file", "kernels", "kmeans", "pass", "random", "scale", "tally"}},
    {"report", {"chunk", "cut", "model", "parallel", "random", "recipe", "scale", "tally"}},
    {},
    {"c_api", {}},
    {"mpi", {}},
    {"run", {"chunk", "compare", "device", "file", "model", "parallel", "pass", "recipe", "report", "scale", "tally"}},
};

// A public header that not every room may know, and the rooms that may: those that make what it promises, and those
// that work with its values. What a room may not include from src/ it must not get through a public header either, and
// who includes a public header knows all that it includes.
const std::map<std::string, Names> kMayKnowPublic{
    {"assignment", {"c_api", "pass", "report", "run", "sink", "tally"}},
    {"borrowed", {"c_api", "report", "run", "source"}},
    {"checkpointing", {"c_api", "pass", "report", "run"}},
    {"clusterer", {"c_api", "report", "run"}},
    {"convert", {"sink"}},
    {"evaluation", {"cut", "report", "run", "score", "source/formats", "tally"}},
    {"exchange", {"c_api", "mpi", "pass", "report", "run", "sink", "tally"}},
    {"explain", {"report", "run"}},
    {"files", {"file", "run"}},
    {"hooks",
     {"c_api", "compare", "cut", "device", "factorise", "fine", "kernels", "kmeans", "model", "parallel", "pass",
      "report", "run", "scale", "sink", "tally"}},
    {"input", {"source/formats", "source/join", "source/rows", "source/table"}},
    {"kmeans", {"c_api", "cut", "fine", "kmeans", "pass", "report", "run", "sink", "tally"}},
    {"look", {"run"}},
    {"mask", {"source/order"}},
    {"mpi", {"mpi"}},
    {"omvc", {}},  // all of them: for programs
    {"options", {"c_api", "compare", "cut", "device", "factorise", "model", "pass", "report", "run", "scale", "tally"}},
    {"page", {"report", "run"}},
    {"plan", {"run"}},
    {"planted", {"source"}},
    {"profile", {"c_api", "compare", "cut", "model", "parallel", "pass", "report", "run", "tally"}},
    {"report", {"c_api", "compare", "cut", "model", "pass", "report", "run", "tally"}},
    {"rows", {"source/rows"}},
    {"sink", {"c_api", "pass", "report", "run", "sink", "tally"}},
    {"snapshot", {"c_api", "report", "run"}},
    {"source",
     {"c_api", "pass", "report", "run", "sink", "source", "source/formats", "source/join", "source/order",
      "source/rows", "source/table", "tally"}},
    {"stream", {"run"}},
    {"trial", {"hdf5"}},
    {"version", {"c_api"}},
    {"update", {"c_api", "report", "run"}},
};
const Names kPublicToAll{"buffer", "chunk", "error", "export"};

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

// The public headers that each of them includes.
std::map<std::string, Names> public_headers() {
  std::map<std::string, Names> found;
  for (const fs::path& file : sources(kRoot / "include/omvc")) {
    Names& names = found[file.stem().string()];
    for (const std::string& include : includes(file)) names.insert(fs::path(include).stem().string());
  }
  return found;
}

// Everything that can be reached from a name, itself included.
Names reached(const std::string& from, const std::map<std::string, Names>& graph) {
  Names found;
  std::vector<std::string> next{from};
  while (!next.empty()) {
    const std::string name = next.back();
    next.pop_back();
    if (!found.insert(name).second || !graph.contains(name)) continue;
    next.insert(next.end(), graph.at(name).begin(), graph.at(name).end());
  }
  return found;
}

// A name that can be reached from one that it leads to; empty where there is none.
std::string in_a_cycle(const std::map<std::string, Names>& graph) {
  for (const auto& [name, others] : graph) {
    for (const std::string& other : others) {
      if (reached(other, graph).contains(name)) return name;
    }
  }
  return "";
}

TEST(Layers, EveryRoomOfSrcKnowsOnlyThePublicHeadersThatTheMapAllows) {
  const std::map<std::string, Names> headers = public_headers();
  for (const auto& [name, others] : headers) {
    EXPECT_NE(kMayKnowPublic.contains(name), kPublicToAll.contains(name)) << name << " is not in the map";
  }
  for (const fs::path& file : sources(kRoot / "src")) {
    const std::string room = room_of(fs::relative(file, kRoot / "src"));
    if (room.empty()) continue;
    for (const std::string& include : includes(file)) {
      if (!include.starts_with("omvc/") || include == "omvc/omvc.h") continue;  // the header of C includes no other
      for (const std::string& name : reached(fs::path(include).stem().string(), headers)) {
        if (kPublicToAll.contains(name)) continue;
        ASSERT_TRUE(kMayKnowPublic.contains(name)) << file << " includes " << include;
        EXPECT_TRUE(kMayKnowPublic.at(name).contains(room)) << file << " includes " << include << " and with it omvc/"
                                                            << name << ".hpp, which " << room << " may not know";
      }
    }
  }
}

TEST(Layers, TheMapHasNoCycles) {
  EXPECT_EQ(in_a_cycle(kMayKnow), "");
  EXPECT_EQ(in_a_cycle(public_headers()), "");
  EXPECT_EQ(in_a_cycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), "b");
  for (const auto& [room, others] : kMayKnow) {
    for (const std::string& other : others) EXPECT_TRUE(kMayKnow.contains(other)) << room << " may include " << other;
  }
  for (const auto& [header, rooms] : kMayKnowPublic) {
    for (const std::string& room : rooms) EXPECT_TRUE(kMayKnow.contains(room)) << room << " may include " << header;
  }
}

// The map as a table of Markdown: a line for each room, those that know least first.
std::string documented_map() {
  const auto listed = [](const Names& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  std::map<std::pair<std::size_t, std::string>, Names> rooms;
  for (const auto& [room, others] : kMayKnow) rooms[{reached(room, kMayKnow).size(), room}] = others;
  std::string text =
      "| folder | may include | public headers beside " + listed(kPublicToAll) + " |\n| --- | --- | --- |\n";
  for (const auto& [key, others] : rooms) {
    Names headers;
    for (const auto& [header, allowed] : kMayKnowPublic) {
      if (allowed.contains(key.second)) headers.insert(header);
    }
    text += "| " + key.second + " | " + listed(others) + " | " + listed(headers) + " |\n";
  }
  return text;
}

TEST(Layers, TheDocumentedMapIsTheOneThatIsEnforced) {
  const fs::path path = kRoot / "CONTRIBUTING.md";
  std::ostringstream in;
  in << std::ifstream(path).rdbuf();
  std::string page = in.str();
  const std::string begin = "<!-- layers: written by tests/layers_test.cpp -->\n";
  const std::string end = "<!-- end of layers -->";
  const std::size_t from = page.find(begin);
  const std::size_t to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to) << "no place for the table";
  const std::size_t first = from + begin.size();
  if (std::getenv("OMVC_UPDATE_DOCS") != nullptr) {
    page.replace(first, to - first, documented_map());
    std::ofstream(path) << page;
  }
  EXPECT_EQ(page.substr(first, page.find(end) - first), documented_map());
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
