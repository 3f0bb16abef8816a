// A MuData or AnnData file: sound HDF5 of any content, read with and without labels and a layer.
#include "fuzz.hpp"
#include "h5_script.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const omvc::test::TempDir dir;
  const std::string path = dir.path("set.h5mu");
  omvc::fuzz::H5Script::write(omvc::fuzz::as_text(data, size), path);
  omvc::fuzz::read_twice({path});
  omvc::InputOptions options;
  options.label_column = "type";
  options.layer = "counts";
  omvc::fuzz::read_twice({path}, options);
  return 0;
}
