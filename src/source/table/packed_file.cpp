#include "source/table/packed_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "omvc/error.hpp"

#include "source/table/unpackers.hpp"

namespace omvc {
namespace {

constexpr std::size_t kLongestMagic = 6;  // of the kinds below

}  // namespace

#ifdef OMVC_FUZZING
const std::size_t PackedFile::kUsualBytes = 53;  // so that small files, too, come in pieces
#else
const std::size_t PackedFile::kUsualBytes = std::size_t{1} << 16;
#endif

PackedFile::PackedFile(const std::string& path, std::size_t at_a_time) : name_(path), buffer_(at_a_time) {
  if (path == kStandardInput) {
    name_ = "standard input";
    descriptor_ = dup(STDIN_FILENO);
  } else {
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(status)) {
      throw Error(ErrorKind::io, fmt::format("{}: is a folder; name a file", path));
    }
    seekable_ = std::filesystem::is_regular_file(status);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (descriptor_ < 0) throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
  stamp_ = stamp();
}

PackedFile::~PackedFile() { ::close(descriptor_); }

PackedFile::Stamp PackedFile::stamp() const {
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0) return {};
  return {static_cast<long long>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec, found.st_size};
}

bool PackedFile::unchanged() const { return seekable_ && stamp() == stamp_; }

std::size_t PackedFile::read_raw(void* out, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t some = ::read(descriptor_, static_cast<char*>(out) + got, size - got);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) throw Error(ErrorKind::io, fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
    got += static_cast<std::size_t>(some);
    if (some == 0 || !seekable_) break;
  }
  return got;
}

// Keeps what is not used yet and reads more behind it. Returns false at the end of the file.
bool PackedFile::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = read_raw(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

void PackedFile::fill_to(std::size_t bytes) {
  while (end_ - begin_ < bytes && fill()) continue;
}

bool PackedFile::starts_part() const {
  return end_ - begin_ >= magic_.size() &&
         std::equal(magic_.begin(), magic_.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

void PackedFile::find_kind() {
  kind_known_ = true;
  fill_to(kLongestMagic);
  for (const PackedKind& kind : kPackedKinds) {
    magic_ = kind.magic;
    if (!starts_part()) continue;
    unpacker_ = kind.make();
    unpacker_->restart();
    return;
  }
  magic_ = {};
}

std::size_t PackedFile::read(char* out, std::size_t size) {
  if (!kind_known_) find_kind();
  if (!unpacker_) {
    const std::size_t ready = std::min(size, end_ - begin_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), ready, out);
    begin_ += ready;
    if (ready == size || (ready > 0 && !seekable_)) return ready;
    return ready + read_raw(out + ready, size - ready);
  }
  Unpacker::Bytes bytes{nullptr, 0, reinterpret_cast<unsigned char*>(out), size};
  while (bytes.out_size > 0 && !ended_) {
    const bool more = begin_ < end_ || fill();
    bytes.in = buffer_.data() + begin_;
    bytes.in_size = end_ - begin_;
    const std::size_t room = bytes.out_size;
    const Unpacker::Outcome outcome = unpacker_->unpack(bytes);
    begin_ = end_ - bytes.in_size;
    if (outcome == Unpacker::Outcome::damaged) {
      throw Error(ErrorKind::data, fmt::format("{}: the compressed data are damaged; get the file again", name_));
    }
    if (outcome == Unpacker::Outcome::too_large) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: unpacking needs too much memory; pack it with a smaller window", name_));
    }
    if (outcome == Unpacker::Outcome::end) {
      fill_to(magic_.size());
      if (starts_part()) {
        unpacker_->restart();
      } else {
        ended_ = true;
      }
    } else if (!more && bytes.out_size == room) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the compressed data end early; the file is truncated, get it again", name_));
    }
  }
  return size - bytes.out_size;
}

bool PackedFile::rewind() {
  if (!seekable_) return false;
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot go back to its start", name_));
  }
  stamp_ = stamp();
  begin_ = end_ = 0;
  ended_ = kind_known_ = false;
  unpacker_.reset();
  return true;
}

}  // namespace omvc
