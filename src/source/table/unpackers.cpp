#include "source/table/unpackers.hpp"

#include <algorithm>
#include <bzlib.h>
#include <limits>
#include <lzma.h>
#include <new>
#include <zlib.h>
#include <zstd.h>

namespace omvc {
namespace {

#ifdef OMVC_FUZZING
constexpr int kZstdWindowBits = 24;
constexpr std::uint64_t kXzMemory = std::uint64_t{32} << 20;
#else
constexpr int kZstdWindowBits = 27;                            // that of zstd --ultra -22
constexpr std::uint64_t kXzMemory = std::uint64_t{256} << 20;  // xz -9 needs 65 MB
#endif

using Bytes = Unpacker::Bytes;
using Outcome = Unpacker::Outcome;

unsigned as_unsigned(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

void move_on(Bytes& bytes, std::size_t used, std::size_t made) {
  bytes.in += used;
  bytes.in_size -= used;
  bytes.out += made;
  bytes.out_size -= made;
}

class Gzip final : public Unpacker {
 public:
  Gzip() {
    constexpr int kGzipHeader = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipHeader) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }
  void restart() override { inflateReset(&stream_); }
  Outcome unpack(Bytes& bytes) override {
    const unsigned in = as_unsigned(bytes.in_size);
    const unsigned out = as_unsigned(bytes.out_size);
    stream_.next_in = const_cast<unsigned char*>(bytes.in);
    stream_.avail_in = in;
    stream_.next_out = bytes.out;
    stream_.avail_out = out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    move_on(bytes, in - stream_.avail_in, out - stream_.avail_out);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END) return Outcome::end;
    return code == Z_OK || code == Z_BUF_ERROR ? Outcome::more : Outcome::damaged;
  }

 private:
  z_stream stream_{};
};

class Bzip2 final : public Unpacker {
 public:
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }
  void restart() override {
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  Outcome unpack(Bytes& bytes) override {
    const unsigned in = as_unsigned(bytes.in_size);
    const unsigned out = as_unsigned(bytes.out_size);
    stream_.next_in = reinterpret_cast<char*>(const_cast<unsigned char*>(bytes.in));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<char*>(bytes.out);
    stream_.avail_out = out;
    const int code = BZ2_bzDecompress(&stream_);
    move_on(bytes, in - stream_.avail_in, out - stream_.avail_out);
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    if (code == BZ_STREAM_END) return Outcome::end;
    return code == BZ_OK ? Outcome::more : Outcome::damaged;
  }

 private:
  bz_stream stream_{};
};

class Xz final : public Unpacker {
 public:
  ~Xz() override { lzma_end(&stream_); }
  void restart() override {
    if (lzma_stream_decoder(&stream_, kXzMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }
  Outcome unpack(Bytes& bytes) override {
    const std::size_t in = bytes.in_size;
    const std::size_t out = bytes.out_size;
    stream_.next_in = bytes.in;
    stream_.avail_in = in;
    stream_.next_out = bytes.out;
    stream_.avail_out = out;
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    move_on(bytes, in - stream_.avail_in, out - stream_.avail_out);
    if (code == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (code == LZMA_MEMLIMIT_ERROR) return Outcome::too_large;
    if (code == LZMA_STREAM_END) return Outcome::end;
    return code == LZMA_OK || code == LZMA_BUF_ERROR ? Outcome::more : Outcome::damaged;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Zstd final : public Unpacker {
 public:
  Zstd() : stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kZstdWindowBits);
  }
  void restart() override { ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only); }
  Outcome unpack(Bytes& bytes) override {
    ZSTD_inBuffer in{bytes.in, bytes.in_size, 0};
    ZSTD_outBuffer out{bytes.out, bytes.out_size, 0};
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
    move_on(bytes, in.pos, out.pos);
    if (code == 0) return Outcome::end;
    if (ZSTD_isError(code) == 0) return Outcome::more;
    // The codes are no part of the stable interface of the library; the name is.
    const std::string_view reason = ZSTD_getErrorName(code);
    return reason.find("memory") != std::string_view::npos ? Outcome::too_large : Outcome::damaged;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

}  // namespace

std::unique_ptr<Unpacker> make_gzip_unpacker() { return std::make_unique<Gzip>(); }
std::unique_ptr<Unpacker> make_bzip2_unpacker() { return std::make_unique<Bzip2>(); }
std::unique_ptr<Unpacker> make_xz_unpacker() { return std::make_unique<Xz>(); }
std::unique_ptr<Unpacker> make_zstd_unpacker() { return std::make_unique<Zstd>(); }

}  // namespace omvc
