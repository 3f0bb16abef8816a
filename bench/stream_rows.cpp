// Rows for bench/stream.py: writes planted rows as JSON Lines, or reads such lines and does nothing else with them.
//
//     omvc_stream_rows write ROWS        two dense views of 8 and 20 features, 40 % missing, ten clusters
//     omvc_stream_rows parse < LINES     prints seconds and rows
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <iostream>
#include <iterator>
#include <string>

#include "omvc/error.hpp"
#include "omvc/planted.hpp"
#include "omvc/rows.hpp"

namespace {

void write_rows(omvc::Index rows) {
  const auto source = omvc::make_planted_source({.instances = rows,
                                                 .features = {8, 20},
                                                 .density = {},
                                                 .clusters = 10,
                                                 .missing = 0.4,
                                                 .keep_one_view = true,
                                                 .separation = 1,
                                                 .noise = 0.5,
                                                 .seed = 1});
  std::string out;
  while (const auto chunk = source->next(4096)) {
    std::vector<std::string> lines;
    for (const omvc::Index row : chunk->rows) lines.push_back(fmt::format("{{\"id\": {}", row));
    for (std::size_t v = 0; v < chunk->views.size(); ++v) {
      const omvc::ChunkView& view = chunk->views[v];
      std::visit(
          [&](const auto& block) {
            for (std::size_t i = 0; i < view.present.size(); ++i) {
              std::string& line = lines[static_cast<std::size_t>(view.present[i])];
              line += fmt::format(", \"view{}\": [", v + 1);
              for (omvc::Index j = 0; j < block.cols; ++j) {
                const auto at = static_cast<std::size_t>(static_cast<omvc::Index>(i) * block.cols + j);
                line += fmt::format("{}{:.4f}", j == 0 ? "" : ", ", block.values[at]);
              }
              line += "]";
            }
          },
          view.block);
    }
    out.clear();
    for (const std::string& line : lines) out += line + "}\n";
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) std::exit(0);  // nobody reads any more
  }
}

void parse_rows() {
  omvc::RowsLike like;
  like.grows = true;
  omvc::RowReader reader(like);
  std::ios::sync_with_stdio(false);
  double seconds = 0;
  omvc::Index rows = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = std::chrono::steady_clock::now();
    rows += reader.add(line) ? 1 : 0;
    if (reader.size() == 1024) reader.take();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  fmt::print("{} {}\n", seconds, rows);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::strcmp(argv[1], "write") == 0) {
      write_rows(std::atoll(argv[2]));
    } else if (argc == 2 && std::strcmp(argv[1], "parse") == 0) {
      parse_rows();
    } else {
      fmt::print(stderr, "usage: omvc_stream_rows write ROWS | omvc_stream_rows parse\n");
      return 2;
    }
  } catch (const omvc::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
