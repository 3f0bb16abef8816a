// A MuData or AnnData file: sound HDF5 of any content. Inputs of an odd length are read with labels and a layer, others
// without: to open a file takes most of the time of an execution.
#include "fuzz.hpp"
#include "h5_script.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const omvc::test::TempDir dir;
  const std::string path = dir.path("set.h5mu");
  omvc::fuzz::H5Script::write(omvc::fuzz::as_text(data, size), path);
  omvc::InputOptions options;
  if (size % 2 == 1) {
    options.label_column = "type";
    options.layer = "counts";
  }
  omvc::fuzz::read_twice({path}, options);
  return 0;
}
