// Text: one instance a line, fields separated by commas, tabs, semicolons or blanks, plain or gzip-compressed.
//
//     # comments may come before the first line of data
//     height,weight            a first line that is not all numbers names the features
//     1.80,75
//                              an empty line, or a line of NaN only: the instance is absent from the view
//     1.62,58
//
// NaN is written nan, NA (in any case) or an empty field. The file is streamed: memory is one buffer and the rows asked
// for.
#pragma once

#include <memory>
#include <string>

#include "source/view_reader.hpp"

namespace omvc {

std::unique_ptr<ViewReader> open_text(const std::string& path, const std::string& view_name);

}  // namespace omvc
