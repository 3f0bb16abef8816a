// svmlight and libsvm: one instance per line, a class label and the features that are not zero, plain or compressed.
//
//     # a line of comment is no instance
//     2 3:0.5 17:1.25          the label may be a number or a word; it becomes the truth
//     1 qid:4 9:1 # doc 7      qid and what follows # are skipped
//     1                        present, and zero everywhere
//                              an empty line: the instance is absent from the view
//
// Features are numbered from 1, or from 0 if the number 0 occurs in the file. They may come in any order, each once.
// Where several classes are listed (1,3) there is no truth. Files are read twice: on opening, to find the number of
// features and all errors, and then as a stream; memory is the rows asked for, and a number for the label of each row.
// Views with more than 2/3 of the values stored are delivered dense, since that takes less memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "omvc/input.hpp"

#include "source/view_reader.hpp"

namespace omvc {

std::unique_ptr<ViewReader> open_svmlight(const std::string& path, const std::string& view_name,
                                          const InputOptions& options = {});

// Whether the start of a file is a line of this format and cannot be anything else.
bool looks_like_svmlight(std::string_view start);

}  // namespace omvc
