// Writes the data of a fit as its solver sees them, scaled and in the order of the stream, so that other programs can
// work on the same numbers.
//
//     omvc_scaled FOLDER INPUT... [--present FILE] [--order FILE] [--scaling NAME]
//
// FOLDER/data.json lists the views. Their arrays are raw and native: viewV.present (int64: the place in the stream of
// each row), viewV.values (float or double), and for CSR viewV.offsets (int64) and viewV.columns (int32).
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "omvc/error.hpp"
#include "omvc/trial.hpp"

#include "inputs.hpp"
#include "pass/chunk_stream.hpp"
#include "pass/first_look.hpp"
#include "scale/intake.hpp"

namespace {

constexpr omvc::Index kRows = 1024;  // read at a time

class Column {
 public:
  explicit Column(const std::string& path) : path_(path), out_(path, std::ios::binary) {}

  template <class Array>
  void add(const Array& values) {
    const std::size_t bytes = values.size() * sizeof(values[0]);
    out_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(bytes));
  }
  void close() {
    out_.close();
    if (!out_) throw omvc::Error(omvc::ErrorKind::io, "cannot write " + path_);
  }

 private:
  std::string path_;
  std::ofstream out_;
};

struct ViewFiles {
  explicit ViewFiles(const std::string& stem)
      : present(stem + ".present"), values(stem + ".values"), offsets(stem + ".offsets"), columns(stem + ".columns") {
    offsets.add(std::vector<omvc::Index>{0});
  }

  void add(const omvc::ChunkView& view, omvc::Index first) {
    std::vector<omvc::Index> places = view.present;
    for (omvc::Index& place : places) place += first;
    present.add(places);
    rows += static_cast<omvc::Index>(places.size());
    std::visit(
        [&]<class B>(const B& X) {
          values.add(X.values);
          for (const auto x : X.values) squares += static_cast<double>(x) * static_cast<double>(x);
          type = sizeof(typename B::Scalar) == sizeof(double) ? "f8" : "f4";
          if constexpr (requires { X.offsets; }) {
            sparse = true;
            std::vector<omvc::Index> ends(X.offsets.begin() + 1, X.offsets.end());
            for (omvc::Index& end : ends) end += nonzeros;
            offsets.add(ends);
            columns.add(X.columns);
          }
          nonzeros += static_cast<omvc::Index>(X.values.size());
        },
        view.block);
  }

  Column present, values, offsets, columns;
  omvc::Index rows = 0;
  omvc::Index nonzeros = 0;
  double squares = 0;
  bool sparse = false;
  std::string type;
};

// How the data are scaled, by a look at all of them.
omvc::Intake intake_of(omvc::Source& source, const omvc::Schema& schema, omvc::Scaling scaling) {
  omvc::Survey survey(schema);
  omvc::Observer observer;
  omvc::Compute compute;
  omvc::look_at(source, {}, observer, compute,
                [&](std::span<const omvc::Chunk* const> chunks, std::uint64_t, omvc::Compute& more) {
                  survey.add(chunks, more);
                });
  std::vector<omvc::ViewScaling> views;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    views.push_back(omvc::choose_scaling(scaling, survey.views[v], schema.views[v]));
  }
  return {schema, std::move(views), omvc::kinds_of(survey)};
}

void write(const omvc::app::InputArguments& arguments, const std::string& scaling, const std::string& folder) {
  omvc::Options options;
  omvc::parse_option(options, "scaling", scaling);
  const omvc::Input input = omvc::app::open_arguments(arguments, options.seed);
  const omvc::Schema schema = input.source->schema();
  input.source->rewind();
  const omvc::Intake intake = intake_of(*input.source, schema, options.scaling.at(0));
  input.source->rewind();

  std::filesystem::create_directories(folder);
  std::vector<ViewFiles> views;
  for (std::size_t v = 0; v < schema.views.size(); ++v) views.emplace_back(fmt::format("{}/view{}", folder, v));
  omvc::Index instances = 0;
  omvc::ChunkStream stream(*input.source, schema, kRows, &intake);
  while (const auto item = stream.next()) {
    for (std::size_t v = 0; v < views.size(); ++v) views[v].add(item->chunk.views[v], instances);
    instances += item->chunk.size();
  }

  nlohmann::json out{{"instances", instances}};
  for (std::size_t v = 0; v < views.size(); ++v) {
    for (Column* column : {&views[v].present, &views[v].values, &views[v].offsets, &views[v].columns}) column->close();
    out["views"].push_back({{"rows", views[v].rows},
                            {"cols", schema.views[v].features},
                            {"sparse", views[v].sparse},
                            {"type", views[v].type},
                            {"nonzeros", views[v].nonzeros},
                            {"squares", views[v].squares}});
  }
  std::ofstream(folder + "/data.json") << out.dump(1) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto code = omvc::answer_trial(argc, argv)) return *code;
  CLI::App app("writes scaled data");
  omvc::app::Command command(&app);
  omvc::app::InputArguments arguments;
  std::string scaling = "total";
  std::string folder;
  command.option("folder", folder, "where the data are written").required();
  omvc::app::add_input_options(command, arguments);
  omvc::app::add_stream_options(command, arguments);
  command.option("--scaling", scaling, "of every view");
  CLI11_PARSE(app, argc, argv);
  try {
    write(arguments, scaling, folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "omvc_scaled: {}\n", error.what());
    return 1;
  }
  return 0;
}
