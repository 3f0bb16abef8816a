// A view as an NPY array.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("view.npy");
  omvc::fuzz::read_twice({file.write(omvc::fuzz::as_text(data, size))});
  return 0;
}
