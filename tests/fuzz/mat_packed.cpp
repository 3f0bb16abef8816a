// A MAT file whose variables are compressed, as MATLAB writes them. The bytes are a file without compression, and each
// of its variables is compressed here, so that damage lies inside sound zlib streams.
#include "fuzz.hpp"

namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kTagBytes = 8;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string packed(std::string_view bytes) {
  std::string out(bytes.substr(0, kHeaderBytes));
  std::size_t at = out.size();
  while (bytes.size() - at >= kTagBytes && number_at(bytes, at) == kMatrix) {
    const std::size_t size = std::min<std::size_t>(kTagBytes + number_at(bytes, at + 4), bytes.size() - at);
    uLongf length = compressBound(size);
    std::string element(length, '\0');
    const int status = compress2(reinterpret_cast<Bytef*>(element.data()), &length,
                                 reinterpret_cast<const Bytef*>(bytes.data()) + at, size, 1);
    omvc::fuzz::require(status == Z_OK, "zlib compresses");
    const std::uint32_t tag[2] = {kCompressed, static_cast<std::uint32_t>(length)};
    out.append(reinterpret_cast<const char*>(tag), sizeof tag).append(element, 0, length);
    at += size;
  }
  return out.append(bytes.substr(at));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("set.mat");
  const std::string_view bytes = omvc::fuzz::as_text(data, size);
  if (omvc::fuzz::holds_hdf5(bytes)) return 0;
  omvc::fuzz::read_twice({file.write(packed(bytes))});
  return 0;
}
