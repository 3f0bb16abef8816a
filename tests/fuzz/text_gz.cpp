// A compressed text view. Bytes that are not gzip are compressed first, as two members, and must then give what the
// plain file gives.
#include "fuzz.hpp"

namespace {

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  omvc::fuzz::require(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  omvc::fuzz::require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib compresses");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile plain("view.txt");
  static omvc::fuzz::InputFile packed("view.txt.gz");
  const std::string_view bytes = omvc::fuzz::as_text(data, size);
  if (bytes.starts_with("\x1F\x8B")) {
    omvc::fuzz::read_twice({packed.write(bytes)});
    return 0;
  }
  const std::string members = gzip(bytes.substr(0, size / 2)) + gzip(bytes.substr(size / 2));
  const bool same = omvc::fuzz::read_twice({packed.write(members)}) == omvc::fuzz::read_twice({plain.write(bytes)});
  omvc::fuzz::require(same, "a compressed view gives what the plain one gives");
  return 0;
}
