// A file whose name says nothing: its format is found from its first bytes.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("view");
  omvc::fuzz::read_twice({file.write(omvc::fuzz::as_text(data, size))});
  return 0;
}
