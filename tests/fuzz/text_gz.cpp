// A compressed text view. Bytes that are not gzip are compressed first, as two members, and must then give what the
// plain file gives.
#include "fuzz.hpp"

namespace {

class Gzip {
 public:
  Gzip() {
    omvc::fuzz::require(deflateInit2(&stream_, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::string member(std::string_view bytes) {
    omvc::fuzz::require(deflateReset(&stream_) == Z_OK, "zlib starts again");
    std::string out(deflateBound(&stream_, static_cast<uLong>(bytes.size())), '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    omvc::fuzz::require(deflate(&stream_, Z_FINISH) == Z_STREAM_END, "zlib compresses");
    out.resize(stream_.total_out);
    return out;
  }

 private:
  z_stream stream_{};
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile plain("view.txt");
  static omvc::fuzz::InputFile packed("view.txt.gz");
  static Gzip gzip;
  const std::string_view bytes = omvc::fuzz::as_text(data, size);
  if (bytes.starts_with("\x1F\x8B")) {
    omvc::fuzz::read_twice({packed.write(bytes)});
    return 0;
  }
  const std::string members = gzip.member(bytes.substr(0, size / 2)) + gzip.member(bytes.substr(size / 2));
  const bool same = omvc::fuzz::read_twice({packed.write(members)}) == omvc::fuzz::read_twice({plain.write(bytes)});
  omvc::fuzz::require(same, "a compressed view gives what the plain one gives");
  return 0;
}
