// Text: one instance per line, fields separated by commas, tabs, semicolons, bars or blanks, plain or compressed.
//
//     # comments may come before the first line of data
//     id,height,weight,eyes    a header and a column of sample ids are found as text_layout.hpp says
//     ann,1.80,75,blue         words become features as columns.hpp says
//     bob,,,                   a line without any value: the instance is absent from the view
//     eve,1.62,,brown          a value is missing: NaN
//
// In a file without ids an empty line is an absent instance, too; in a file with ids it is nothing. The file is
// streamed: memory is its first lines and the rows asked for. Transposed (InputOptions::transpose), a line is a
// feature, the header has the sample ids, and the file is loaded whole.
#pragma once

#include <memory>
#include <string>

#include "omvc/input.hpp"

#include "source/view_reader.hpp"

namespace omvc {

// "-" is standard input. Of `options`, what is said of a view is said of this one: there is at most one id column, and
// the first view of `like` is this.
std::unique_ptr<ViewReader> open_text(const std::string& path, const std::string& view_name,
                                      const InputOptions& options = {});

}  // namespace omvc
