// A view in the svmlight format.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("view.svm");
  omvc::fuzz::read_twice({file.write(omvc::fuzz::as_text(data, size))});
  return 0;
}
