// A look at a file of unknown origin by a process that may die of it: what that process does (start_trial.hpp says who
// starts it and why).
//
// It opens the file, visits every object, and reads attributes and pieces of each dataset. What is small is read whole;
// of large datasets the beginning, the end and places between are read, so that a trial takes milliseconds whatever the
// file's size.
#pragma once

#include <string>
#include <string_view>

namespace omvc::h5 {

// A trial is asked for as PROGRAM kTrialWord FILE SECONDS.
constexpr std::string_view kTrialWord = "--omvc-try-hdf5";

// What is answered on stdout, a letter each: that the trial has begun, and how it ended.
constexpr char kBegun = 'b';
constexpr char kSurvived = 's';
constexpr char kOutOfMemory = 'm';
constexpr char kRefused = 'r';  // by the library, in an orderly way

// Tries the file in this process, which has this many seconds for it, and answers. Returns the exit code.
int run_trial(const std::string& path, unsigned seconds);

}  // namespace omvc::h5
