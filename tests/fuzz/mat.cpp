// A data set as a MAT 5 file, any bytes but HDF5.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("set.mat");
  const std::string_view bytes = omvc::fuzz::as_text(data, size);
  if (omvc::fuzz::holds_hdf5(bytes)) return 0;
  omvc::fuzz::read_twice({file.write(bytes)});
  return 0;
}
