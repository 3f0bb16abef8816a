// What omvc throws. There is one exception type (beside std::bad_alloc, where memory is out); its kind says whose
// problem it is, and the command maps the kind to its exit code. A message always names the place (option, file, view,
// line or row) and what the user can do about it.
#pragma once

#include <stdexcept>
#include <string>

#include "omvc/export.hpp"

namespace omvc {

// The values are the exit codes of the command. 0 is success, 1 is a bug of ours.
enum class ErrorKind {
  usage = 2,        // an option or a combination of options that cannot work
  data = 3,         // the data cannot be used as they are
  io = 4,           // a file cannot be read or written
  numerical = 5,    // the computation broke down
  interrupted = 6,  // stopped on request
};

class OMVC_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace omvc
