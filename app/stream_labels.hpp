// The labels that `omvc stream` has written.
#pragma once

#include <optional>
#include <string>

#include "omvc/input.hpp"

namespace omvc::app {

// Ids and labels of a file whose first line is a JSON object; nothing for any other file. Events and refused lines have
// no label and are passed over; rows that came before there were clusters are counted as unlabelled. Throws
// ErrorKind::data, naming the line, where a line is no answer of a stream, or an id comes twice.
std::optional<LabelTable> read_stream_labels(const std::string& path);

}  // namespace omvc::app
