// A view as text: the delimiter, header and comments are found from the content.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("view.txt");
  omvc::fuzz::read_twice({file.write(omvc::fuzz::as_text(data, size))});
  return 0;
}
