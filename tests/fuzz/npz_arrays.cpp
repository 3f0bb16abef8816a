// A sound NPZ archive of arrays that need not be.
#include "npz_arrays.hpp"

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("set.npz");
  std::string_view bytes = omvc::fuzz::as_text(data, size);
  omvc::fuzz::StoredZip zip;
  for (int arrays = 0; arrays < 16 && !bytes.empty(); ++arrays) {
    const std::string_view array = bytes.substr(0, bytes.find(omvc::fuzz::kNextArray));
    const std::size_t name = std::min<std::size_t>(array.find('\n'), std::min<std::size_t>(array.size(), 64));
    zip.add(std::string(array.substr(0, name)) + ".npy", array.substr(std::min(name + 1, array.size())));
    bytes.remove_prefix(std::min(array.size() + omvc::fuzz::kNextArray.size(), bytes.size()));
  }
  omvc::fuzz::read_twice({file.write(zip.bytes())});
  return 0;
}
