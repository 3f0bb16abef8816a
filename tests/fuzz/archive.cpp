// The entries of a model file, as the bytes are and with their checksum set right.
#include "file/archive.hpp"

#include "fuzz.hpp"

namespace {

template <class Get>
void get_or_refuse(const Get& get) {
  try {
    get();
  } catch (const omvc::Error&) {
  }
}

void read_archive(std::string_view bytes) {
  try {
    const omvc::Archive archive = omvc::Archive::from_bytes(bytes, "model");
    // The keys that seeds.cpp and the dictionary use.
    for (const char* key : {"number", "integers", "matrix", "text", "lines"}) {
      get_or_refuse([&] { archive.number(key); });
      get_or_refuse([&] { archive.numbers(key); });
      get_or_refuse([&] { archive.integers(key); });
      get_or_refuse([&] { archive.matrix(key); });
      get_or_refuse([&] { archive.matrix(key, 2, 3); });
      get_or_refuse([&] { archive.vector(key, 6); });
      get_or_refuse([&] { archive.text(key); });
      get_or_refuse([&] { archive.lines(key); });
    }
    const std::string again = archive.to_bytes();
    omvc::fuzz::require(again.size() == bytes.size(), "an archive has as many bytes as it was read from");
    omvc::fuzz::require(omvc::Archive::from_bytes(again, "model").to_bytes() == again, "an archive gives itself back");
  } catch (const omvc::Error&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = omvc::fuzz::as_text(data, size);
  read_archive(bytes);
  read_archive(omvc::fuzz::with_checksum(bytes));
  return 0;
}
