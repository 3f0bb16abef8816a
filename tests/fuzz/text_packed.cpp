// A text view that may be compressed by bzip2, xz or zstd, damaged or not: the content shows it.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("view.csv");
  omvc::fuzz::read_twice({file.write(omvc::fuzz::as_text(data, size))});
  return 0;
}
