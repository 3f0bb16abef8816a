#include "table.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace omvc::app {

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  std::vector<bool> numeric;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    width.resize(std::max(width.size(), rows[i].size()), 0);
    numeric.resize(width.size(), true);
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      width[j] = std::max(width[j], rows[i][j].size());
      const std::string& cell = rows[i][j];
      if (i > 0 && cell.find_first_not_of("0123456789.+-e") != std::string::npos) numeric[j] = false;
    }
  }
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = " ";
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      line += numeric[j] ? fmt::format(" {:>{}}", rows[i][j], width[j]) : fmt::format(" {:<{}}", rows[i][j], width[j]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + '\n';
    if (i > 0) continue;
    out += "  ";
    for (std::size_t j = 0; j < width.size(); ++j)
      out += std::string(width[j], '-') + (j + 1 < width.size() ? " " : "");
    out += '\n';
  }
  return out;
}

}  // namespace omvc::app
