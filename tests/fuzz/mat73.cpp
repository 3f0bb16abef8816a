// A MAT file of version 7.3: sound HDF5 of any content behind MATLAB's header.
#include <fstream>

#include "fuzz.hpp"
#include "h5_script.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const omvc::test::TempDir dir;
  const std::string path = dir.path("set.mat");
  omvc::fuzz::H5Script::write(omvc::fuzz::as_text(data, size), path, 512);
  std::string header = "MATLAB 7.3 MAT-file";
  header.resize(124, ' ');
  header += std::string("\0\2IM", 4);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.close();
  omvc::fuzz::require(file.good(), "the header can be written");
  omvc::fuzz::read_twice({path});
  return 0;
}
