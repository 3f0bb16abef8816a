#include "line_feed.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "omvc/error.hpp"

namespace omvc::app {
namespace {

constexpr std::size_t kRead = std::size_t{1} << 18;
constexpr std::size_t kKept = 200;  // of one that is longer

}  // namespace

bool LineFeed::read() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + kRead) buffer_.resize(std::max(end_ + kRead, 2 * end_));
  for (;;) {
    const ssize_t got = ::read(descriptor_, buffer_.data() + end_, kRead);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(ErrorKind::io, fmt::format("cannot read from standard input: {}", std::strerror(errno)));
    }
    end_ += static_cast<std::size_t>(got);
    ended_ = got == 0;
    return !ended_;
  }
}

std::optional<LineFeed::Line> LineFeed::next() {
  for (;;) {
    const char* from = buffer_.data() + scanned_;
    const void* found = end_ > scanned_ ? std::memchr(from, '\n', end_ - scanned_) : nullptr;
    const std::size_t stop =
        found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) : end_;
    scanned_ = stop;
    const std::string_view text{buffer_.data() + begin_, stop - begin_};
    const bool complete = found != nullptr || (ended_ && !text.empty());
    if (skipping_) {
      begin_ = scanned_ = stop + (found != nullptr ? 1 : 0);
      if (found == nullptr) return std::nullopt;
      skipping_ = false;
      continue;
    }
    if (text.size() > longest_) {
      skipping_ = found == nullptr;
      begin_ = scanned_ = stop + (found != nullptr ? 1 : 0);
      return Line{text.substr(0, kKept), true};
    }
    if (!complete) return std::nullopt;
    begin_ = scanned_ = stop + (found != nullptr ? 1 : 0);
    return Line{text, false};
  }
}

}  // namespace omvc::app
