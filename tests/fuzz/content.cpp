// A file whose name says nothing: its format is found from its first bytes.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("view");
  const std::string_view bytes = omvc::fuzz::as_text(data, size);
  if (omvc::fuzz::holds_hdf5(bytes)) return 0;
  omvc::fuzz::read_twice({file.write(bytes)});
  return 0;
}
