// Views of raw archives that are several svmlight files, which follow on each other, plain or gzip-compressed. What
// svmlight is stands in docs/formats.md.
#pragma once

#include <string>
#include <vector>

#include "reproduce/raw_view.hpp"

namespace omvc::app {

struct SvmlightPart {
  std::string path;
  // If not empty, comment lines "#I number" give the id of the next instance, which is this prefix and the number.
  std::string id_prefix;
};

// Reads a whole view. `where` is what stands for all its files in messages. Throws ErrorKind::data, naming file and
// line, for what cannot be understood, and ErrorKind::io for what cannot be read.
RawView read_svmlight(const std::string& where, const std::vector<SvmlightPart>& parts, const std::string& view_name);

// The lines of a text file, plain or gzip-compressed.
Index count_lines(const std::string& path);

}  // namespace omvc::app
