// Text: one instance a line, fields separated by commas, tabs, semicolons or blanks, plain or gzip-compressed.
//
//     # comments may come before the first line of data
//     id,height,weight         a first line that is not all numbers names the columns
//     ann,1.80,75              a column of sample ids is found as text_layout.hpp says
//     bob,,                    a line of NaN only: the instance is absent from the view
//     eve,1.62,58
//
// NaN is written nan, NA (in any case) or an empty field. In a file without ids an empty line is an absent instance,
// too; in a file with ids it is nothing. The file is streamed: memory is one buffer and the rows asked for. Transposed
// (InputOptions::transpose), a line is a feature, the header has the sample ids, and the file is loaded whole.
#pragma once

#include <memory>
#include <string>

#include "omvc/input.hpp"

#include "source/view_reader.hpp"

namespace omvc {

// "-" is standard input.
std::unique_ptr<ViewReader> open_text(const std::string& path, const std::string& view_name,
                                      const InputOptions& options = {});

}  // namespace omvc
