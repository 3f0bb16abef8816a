// Writes what the fuzzers start from: FOLDER/TARGET/NAME, small sound files of every format, made by the writers that
// the library and its tests use, and the example data.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <stdexcept>

#include "omvc/clusterer.hpp"
#include "omvc/planted.hpp"
#include "omvc/sink.hpp"

#include "checkpoint_run.hpp"
#include "file/archive.hpp"
#include "npz_arrays.hpp"
#include "plan_values.hpp"
#include "support/npz_writer.hpp"
#include "support/temp_dir.hpp"

#ifdef OMVC_WITH_MATIO
#include "support/mat_writer.hpp"
#endif

namespace omvc::test {
namespace {

class Seeds {
 public:
  explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::vector<std::string>& targets, const std::string& name, std::string_view bytes) const {
    for (const std::string& target : targets) {
      std::filesystem::create_directories(folder_ / target);
      std::ofstream file(folder_ / target / name, std::ios::binary);
      file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      file.close();
      if (!file) throw std::runtime_error("cannot write " + (folder_ / target / name).string());
    }
  }

 private:
  std::filesystem::path folder_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("there is no " + from + " to replace");
  return text.replace(at, from.size(), to);
}

// A small matrix as the library writes results, in the format that the name asks for.
std::string written_by_sink(const TempDir& dir, const std::string& name) {
  const std::vector<double> values{1, 0, 0.5, 2, 3, 0, 0, 1e-3, 7, 4, 5, 6};
  const auto sink = make_embedding_sink(dir.path(name));
  sink->write({.first_row = 0, .labels = {}, .embedding = {values.data(), 4, 3}});
  sink->finish();
  return read_bytes(dir.path(name));
}

// The number of columns less one, then values: four rows of three, one of them absent.
void add_numbers(const Seeds& seeds) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{1, 0, 0.5, nan, nan, nan, -2e-300, 1e-3, 7e300, 4, 5, 6};
  seeds.add(
      {"same_numbers"}, "three-columns",
      std::string(1, '\2') + std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)));
}

void add_text(const Seeds& seeds, const TempDir& dir, const std::filesystem::path& examples) {
  const std::string csv = written_by_sink(dir, "view.csv");
  const std::string tsv = written_by_sink(dir, "view.tsv");
  const std::string header = "\xEF\xBB\xBF# words\r\n\"a, b\",\"say \"\"hi\"\"\",c\r\n1,2,3\r\n\r\n4,5e-1,+6\r\n,,\r\n";
  const std::string blanks = "\n\n  1  2.5 -3\nnan NA NaN\n4 5e-1   6  \n";
  const std::string ids = "id;x;y\ncell-1;1;2\ncell-2;0;3\n";
  const std::vector<std::string> targets{"text", "text_gz", "content"};
  seeds.add(targets, "csv", csv);
  seeds.add(targets, "tsv", tsv);
  seeds.add(targets, "header", header);
  seeds.add(targets, "blanks", blanks);
  seeds.add(targets, "ids", ids);
  for (const char* name : {"text.csv", "image.tsv"}) seeds.add(targets, name, read_bytes((examples / name).string()));
  seeds.add({"text_gz", "content"}, "csv.gz", read_bytes(dir.write_gzip("view.csv.gz", csv + header)));
  seeds.add({"join"}, "rows", csv + '\xFF' + tsv);
  seeds.add({"join"}, "header", header + '\xFF' + "d\n1\n\n2\n3\n");
  seeds.add({"join", "id_join"}, "ids", ids + '\xFF' + "id,z\ncell-2,1\ncell-3,\"2\"\n");
}

// The tables of tests/tables, as they are and behind a byte that chooses no option.
void add_tables(const Seeds& seeds, const std::filesystem::path& tables) {
  constexpr std::uintmax_t kLargest = 4096;
  for (const auto& entry : std::filesystem::directory_iterator(tables)) {
    if (entry.file_size() > kLargest || entry.path().extension() == ".json") continue;
    const std::string name = entry.path().filename().string();
    const std::string bytes = read_bytes(entry.path().string());
    seeds.add({name.starts_with("packed") ? "text_packed" : "text"}, name, bytes);
    seeds.add({"text_options"}, name, std::string(1, '\0') + bytes);
  }
}

void add_svmlight(const Seeds& seeds) {
  const std::vector<std::string> targets{"svmlight", "content"};
  seeds.add(targets, "svmlight", "# words\n2 3:0.5 7:1.25\n1 qid:4 5:1 # doc 7\n\n1\n2 1:1 3:-2e1\n");
  seeds.add(targets, "from-zero", "a 0:1 4:2\r\nb 3:1 1:7\r\n1,3 2:nan\r\n");
  seeds.add({"svmlight"}, "dense", "1 1:1 2:2\n0 1:3 2:4\n");
}

void add_side_files(const Seeds& seeds, const TempDir& dir, const std::filesystem::path& examples) {
  const std::vector<int> labels{0, 2, 1, 1};
  const auto sink = make_label_sink(dir.path("labels"));
  sink->write({.first_row = 0, .labels = labels, .embedding = {nullptr, 4, 0}});
  sink->finish();
  seeds.add({"side_files"}, "labels", read_bytes(dir.path("labels")));
  write_presence(dir.path("presence"), {true, false, false, true, true, true}, 2);
  seeds.add({"side_files"}, "presence", read_bytes(dir.path("presence")));
  seeds.add({"side_files"}, "order", "# order\n2\n0\n+1\n3\n");
  seeds.add({"side_files"}, "words", "class\r\nB cells\r\n\"T, naive\"\r\nB cells\r\n");
  seeds.add({"side_files"}, "truth.txt", read_bytes((examples / "truth.txt").string()));
}

void add_npy(const Seeds& seeds, const TempDir& dir) {
  const std::string doubles = written_by_sink(dir, "view.npy");
  const std::vector<std::string> targets{"npy", "content"};
  seeds.add(targets, "f8", doubles);
  seeds.add(targets, "fortran", replaced(doubles, "'fortran_order': False", "'fortran_order': True "));
  seeds.add(targets, "i8", replaced(doubles, "<f8", "<i8"));
  seeds.add(targets, "f4", replaced(replaced(doubles, "<f8", "<f4"), "(4, 3)", "(8, 3)"));
  seeds.add(targets, "u2", replaced(replaced(doubles, "<f8", "<u2"), "(4, 3)", "(8, 6)"));
  seeds.add(targets, "b1", replaced(replaced(doubles, "<f8", "|b1"), "(4, 3), } ", "(32, 3), }"));
}

std::vector<NpzContent> npz_sets() {
  const std::string mask = npy("|b1", "(2, 2)", std::string("\1\0\1\1", 4));
  const std::string dense = npy_doubles(2, 3, {1, 0, 2, 3, 4, 5});
  return {
      {{"text", dense},
       {"image", npy("<f4", "(2, 1)", bytes_of(std::vector<float>{1, 2}), true)},
       {"mask", mask},
       {"y", npy_longs({1, 0})},
       {"ids", npy_words({U"a", U"b\u00e9"})},
       {"text_features", npy_words({U"u", U"v", U"w"})}},
      {{"data", npy_vector({1, 2, 3})},
       {"indices", npy_longs({0, 2, 1})},
       {"indptr", npy_longs({0, 2, 3})},
       {"shape", npy_longs({2, 3})},
       {"format", npy("|S3", "()", "csr")}},
      {{"data", npy_vector({1, 2})},
       {"row", npy_longs({0, 1})},
       {"col", npy_longs({2, 0})},
       {"shape", npy_longs({2, 3})},
       {"format", npy("<U3", "()", std::string("c\0\0\0o\0\0\0o\0\0\0", 12))}},
  };
}

void add_npz(const Seeds& seeds, const TempDir& dir) {
  int number = 0;
  for (const NpzContent& arrays : npz_sets()) {
    const std::string name = "set" + std::to_string(++number);
    for (const bool packed : {false, true}) {
      seeds.add({"npz", "content"}, name + (packed ? "-packed" : ""),
                read_bytes(write_npz(dir.path("set.npz"), arrays, packed)));
    }
    std::string script;
    for (const auto& [array, bytes] : arrays) {
      script += (script.empty() ? "" : std::string(fuzz::kNextArray)) + array + '\n' + bytes;
    }
    seeds.add({"npz_arrays"}, name, script);
  }
}

// Scripts of h5_script.hpp.
void add_hdf5(const Seeds& seeds) {
  const std::string frames = "G obs\nD obs/_index text 2 a b\nC obs/type i4 2 0 1\nG var\nD var/_index fixed 3 u v w\n";
  seeds.add({"h5"}, "dense", frames + "D X f4 2x3 1 0 2 3 4 5\nG layers\nC layers/counts f8 2x3 1 2 3 nan nan nan\n");
  const auto sparse = [](const std::string& path, const std::string& kind, const std::string& indptr) {
    return "G " + path + "\nA " + path + " encoding-type text - " + kind + "_matrix\nA " + path +
           " shape i8 2 2 3\nC " + path + "/data f4 3 1 2 3\nC " + path + "/indices i4 3 0 1 1\nD " + path +
           "/indptr i4 " + indptr + "\n";
  };
  seeds.add({"h5"}, "sparse",
            frames + sparse("X", "csr", "3 0 2 3") + "G layers\n" + sparse("layers/counts", "csc", "4 0 1 2 3"));
  seeds.add({"h5"}, "columns", frames + sparse("X", "csc", "4 0 2 2 3"));
  std::string modalities =
      "G mod\nA mod mod-order text 2 rna atac\nG obs\nA obs _index text - names\n"
      "D obs/names text 3 a b c\nG obs/type\nD obs/type/codes i1 3 0 1 1\n"
      "D obs/type/categories text 2 T B\nA / axis i8 - 0\n";
  for (const std::string name : {"mod/rna", "mod/atac"}) {
    modalities += "G " + name + "\nG " + name + "/obs\nD " + name + "/obs/_index text 2 a c\nG " + name +
                  "/obs/type\nD " + name + "/obs/type/values i8 2 4 5\nD " + name + "/obs/type/mask bool 2 0 1\nG " +
                  name + "/var\nC " + name + "/var/_index text 1 g\nD " + name + "/X f8 2x1 1 2\nG " + name +
                  "/layers\nL " + name + "/layers/counts /" + name + "/X\n";
  }
  seeds.add({"h5"}, "by-name", modalities);
  seeds.add({"h5"}, "by-map", modalities + "G obsmap\nD obsmap/rna u4 3 1 0 2\nC obsmap/atac i8 3 2 1 0\n");

  const std::string cells =
      "G #refs#\nC #refs#/a f8 2x3 1 2 3 4 5 6\nG #refs#/b\nA #refs#/b MATLAB_sparse u8 - 3\nD #refs#/b/data f8 2 1 2\n"
      "D #refs#/b/ir u8 2 0 2\nD #refs#/b/jc u8 3 0 1 2\n";
  seeds.add({"mat73"}, "cells",
            cells +
                "R X 2x1 #refs#/a #refs#/b\nA X MATLAB_class fixed - cell\nD Y f8 1x3 1 2 1\n"
                "A Y MATLAB_class text - double\n");
  seeds.add({"mat73"}, "index",
            cells +
                "R data 1x2 #refs#/a #refs#/b\nA data MATLAB_class fixed - cell\nD #refs#/c f8 1x3 1 2 3\n"
                "D #refs#/d i4 1x2 1 3\nR index 2 #refs#/c #refs#/d\nA index MATLAB_class fixed - cell\n");
  seeds.add({"mat73"}, "folds",
            cells + "R fea 2 #refs#/a #refs#/b\nA fea MATLAB_class text - cell\nD folds f8 2x3 1 0 1 1 1 0\n");
  seeds.add({"mat73"}, "triplets", "D EN f8 3x3 1 3 1 2 1 1 0.5 -2 4\nD truth f4 1x3 1 1 2\n");
  seeds.add(
      {"mat73"}, "empty",
      "D gt u8 2 0 0\nA gt MATLAB_empty i1 - 1\nD X u8 2 0 1\nA X MATLAB_empty i4 - 1\nA X MATLAB_class text - cell\n");
}

void add_checkpoints(const Seeds& seeds, const TempDir& dir) {
  for (const int chunks : {1, 3, 4, 6, 7}) {
    fuzz::run_checkpointed(dir.path("run"), false, chunks);
    seeds.add({"checkpoint"}, "after-" + std::to_string(chunks), read_bytes(dir.path("run")));
    remove_checkpoint(dir.path("run"));
  }
}

void add_matrix_market(const Seeds& seeds) {
  const std::string banner = "%%MatrixMarket matrix ";
  const std::vector<std::string> targets{"matrix_market", "content"};
  seeds.add(targets, "coordinate",
            banner + "coordinate real general\n% comment\n3 4 4\n3 4 -1.5\n1 2 2\n3 1 1e1\n1 1 7\n");
  seeds.add(targets, "pattern", banner + "coordinate pattern general\n2 2 2\n1 2\n2 1");
  seeds.add(targets, "symmetric", banner + "coordinate integer symmetric\r\n3 3 3\r\n1 1 1\r\n2 1 2\r\n3 2 3\r\n");
  seeds.add(targets, "array", banner + "array real general\n2 3\n1\n4\n2\nnan\n3\n6\n");
  seeds.add(targets, "triangle", banner + "array real symmetric\n2 2\n1\n2\n3\n");
}

void add_plans(const Seeds& seeds) {
  const fuzz::PlanValues values;
  seeds.add({"plan"}, "look", values.looks[1]);
  seeds.add({"plan"}, "ranks", values.ranks);
  seeds.add({"plan"}, "state", values.state);
  seeds.add({"plan"}, "task", values.task);
  seeds.add({"plan"}, "counts", values.counts[1]);
  seeds.add({"plan"}, "last", values.last);
  seeds.add({"plan"}, "last-task", values.last_task);
  seeds.add({"plan"}, "tally", values.tallies[1]);
}

void add_models(const Seeds& seeds, const TempDir& dir) {
  Archive archive;
  archive.put("number", 2.5);
  archive.put("integers", std::vector<Index>{-1, 7});
  archive.put("matrix", Matrix(Matrix::Ones(2, 3)));
  archive.put("text", std::string("paper"));
  archive.put("lines", std::vector<std::string>{"a", "", "c"});
  seeds.add({"archive"}, "every-type", archive.to_bytes());

  const PlantedOptions planted{.instances = 12, .features = {3, 4}, .clusters = 2};
  for (const auto& [name, preset] : {std::pair{"standard", Preset::standard}, std::pair{"paper", Preset::paper}}) {
    Options options = preset_options(preset);
    options.clusters = 2;
    options.rank = 2;
    Clusterer fitted(options);
    const auto nowhere = make_sink_list({});
    fitted.fit(*make_planted_source(planted), *nowhere);
    fitted.save(dir.path("model"));
    seeds.add({"model"}, name + std::string("-fitted"), read_bytes(dir.path("model")));
    fitted.save(dir.path("model"), ModelKind::prediction);
    seeds.add({"model"}, name + std::string("-prediction"), read_bytes(dir.path("model")));
    if (preset != Preset::standard) continue;
    Clusterer learning(options);
    learning.partial_fit(*make_planted_source(planted)->next(5));
    learning.save(dir.path("model"));
    seeds.add({"model"}, name + std::string("-learning"), read_bytes(dir.path("model")));
  }
}

#ifdef OMVC_WITH_MATIO
std::vector<std::vector<matvar_t*>> mat_sets() {
  return {
      {mat_cell("X", {mat_doubles(nullptr, 3, 2, {1, 2, 3, 4, 5, 6}),
                      mat_sparse(nullptr, 3, 2, {0, 1, 3}, {2, 0, 1}, {7, 8, 9})}),
       mat_doubles("Y", 3, 1, {1, 2, 1})},
      {mat_cell("data", {mat_doubles(nullptr, 2, 3, {1, 2, 0.5, 4, 5, 6}),
                         mat_dense<std::uint8_t>(nullptr, 1, 3, {1, 2, 3}, MAT_C_UINT8, MAT_T_UINT8)}),
       mat_cell("index", {mat_doubles(nullptr, 3, 1, {1, 2, 3}), mat_doubles(nullptr, 2, 1, {1, 3})}),
       mat_cell("truelabel", {mat_doubles(nullptr, 3, 1, {0, 1, 2})})},
      {mat_doubles("truth", 3, 1, {1, 1, 2}), mat_doubles("EN", 3, 3, {1, 3, 1, 2, 1, 1, 0.5, -2, 4})},
      {mat_struct("info", {{"note", mat_text(nullptr, "hello")}, {"sizes", mat_doubles(nullptr, 1, 2, {1, 2})}}),
       mat_text("Y", "words"), mat_cell("X", {mat_doubles(nullptr, 2, 1, {1, 2})})},
      {mat_cell("fea", {mat_dense<float>(nullptr, 2, 2, {1, 2, 3, 100}, MAT_C_SINGLE, MAT_T_SINGLE)})},
  };
}

void add_mat(const Seeds& seeds, const TempDir& dir) {
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    int number = 0;
    for (const auto& variables : mat_sets()) {
      const std::string bytes = read_bytes(write_mat(dir.path("set.mat"), variables, MAT_FT_MAT5, compression));
      const bool plain = compression == MAT_COMPRESSION_NONE;
      const std::string name = (plain ? "plain" : "packed") + std::to_string(++number);
      seeds.add({"mat", "content"}, name, bytes);
      if (plain) seeds.add({"mat_packed"}, name, bytes);
    }
  }
}
#else
void add_mat(const Seeds&, const TempDir&) {}
#endif

void add_stream_rows(const Seeds& seeds) {
  const std::string json =
      "{\"id\": \"p1\", \"text\": {\"goal\": 2, \"match\": 1.5e-3}, \"image\": [0.1, 0.7]}\n"
      "{\"id\": 2, \"image\": [1, null], \"text\": null}\n{\"text\": {\"team\": -1}}\n{}\n";
  const std::string csv =
      "id,text:goal,text:match,text:team,image:1,image:2\np1,1,2,3,4,5\np2,,,,4,NA\n\"p,3\",1,,0,,\n";
  for (const char choice : {'\0', '\1', '\2', '\5'}) {
    const std::string name = std::to_string(static_cast<int>(choice));
    seeds.add({"stream_rows"}, "json" + name, choice + json);
    seeds.add({"stream_rows"}, "csv" + name, choice + csv);
  }
  const std::string german =
      "Klinik\n\nid;age;eyes;height\np1;1.234,5;blue;1,80\np2;18 000;green;NA\np3;7;\"brown\";\n";
  const std::string commented = "# x y\n1.5 TRUE\n# more\n2.5 FALSE\n";
  for (const char choice : {'\5', '\10', '\12'}) {
    seeds.add({"stream_rows"}, "german" + std::to_string(static_cast<int>(choice)), choice + german);
    seeds.add({"stream_rows"}, "commented" + std::to_string(static_cast<int>(choice)), choice + commented);
  }
}

void write_seeds(const std::string& folder, const std::filesystem::path& examples) {
  const Seeds seeds(folder);
  const TempDir dir;
  add_numbers(seeds);
  add_text(seeds, dir, examples);
  add_tables(seeds, examples / ".." / ".." / "tests" / "tables");
  add_side_files(seeds, dir, examples);
  add_svmlight(seeds);
  add_npy(seeds, dir);
  add_npz(seeds, dir);
  add_hdf5(seeds);
  add_matrix_market(seeds);
  add_mat(seeds, dir);
  add_models(seeds, dir);
  add_checkpoints(seeds, dir);
  add_plans(seeds);
  add_stream_rows(seeds);
}

}  // namespace
}  // namespace omvc::test

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " FOLDER EXAMPLES\n";
    return 2;
  }
  omvc::test::write_seeds(argv[1], argv[2]);
  return 0;
}
