#include "sink/join.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "omvc/error.hpp"

#include "file/archive.hpp"
#include "file/descriptor.hpp"

namespace omvc {
namespace {

// No block of a file is written by two processes: network file systems may write whole pages where a part was given.
constexpr std::uint64_t kBlock = 1 << 16;
constexpr std::uint64_t kAtOnce = 1 << 20;  // bytes that are copied or travel at a time

// A number and a text that belongs to it.
std::string message(std::uint64_t number, const std::string& text) {
  Archive archive;
  archive.put("at", std::vector<Index>{static_cast<Index>(number)});
  archive.put("text", text);
  return archive.to_bytes();
}

std::pair<std::uint64_t, std::string> parsed(const std::string& bytes, int from) {
  const Archive archive = Archive::from_bytes(bytes, fmt::format("what rank {} says of its part of an output", from));
  const std::vector<Index>& number = archive.integers("at");
  if (number.size() != 1 || number[0] < 0) throw Error(ErrorKind::io, fmt::format("rank {} makes no sense", from));
  return {static_cast<std::uint64_t>(number[0]), archive.text("text")};
}

// The file of the first process as another one sees it.
class SharedFile {
 public:
  SharedFile(const std::string& name, const std::string& path)
      : path_(path), descriptor_(name.empty() ? -1 : ::open(name.c_str(), O_WRONLY | O_CLOEXEC)) {}
  ~SharedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  bool seen() const { return descriptor_ >= 0; }
  void write(std::uint64_t offset, const std::string& bytes) const {
    if (!write_fully_at(descriptor_, bytes.data(), bytes.size(), static_cast<std::int64_t>(offset))) fail();
  }
  void sync() const {
    if (seen() && ::fsync(descriptor_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::io,
                fmt::format("cannot write {}: {}; the file is left as it was", path_, std::strerror(errno)));
  }

  std::string path_;
  int descriptor_;
};

// Calls use(offset, bytes) for what lies in [begin, end) of the file of all, where `mine` begins at `offset`.
template <class F>
void for_bytes(AtomicFile& mine, std::uint64_t offset, std::uint64_t begin, std::uint64_t end, const F& use) {
  std::string bytes;
  for (; begin < end; begin += bytes.size()) {
    bytes.resize(std::min(kAtOnce, end - begin));
    mine.read_at(begin - offset, bytes.data(), bytes.size());
    use(begin, bytes);
  }
}

void give_part(AtomicFile& mine, Exchange& exchange) {
  exchange.send(0, message(mine.size(), ""));
  const auto [offset, name] = parsed(exchange.receive(0), 0);
  const std::uint64_t end = offset + mine.size();
  std::exception_ptr failure;
  try {
    const SharedFile shared(name, mine.path());
    const auto send = [&](std::uint64_t at, const std::string& bytes) { exchange.send(0, message(at, bytes)); };
    const auto write = [&](std::uint64_t at, const std::string& bytes) { shared.write(at, bytes); };
    const std::uint64_t own = shared.seen() ? (offset + kBlock - 1) / kBlock * kBlock : end;
    const std::uint64_t own_end = std::max(own, end / kBlock * kBlock);
    for_bytes(mine, offset, offset, std::min(own, end), send);
    for_bytes(mine, offset, own_end, end, send);
    for_bytes(mine, offset, own, std::min(own_end, end), write);
    shared.sync();
  } catch (...) {
    failure = std::current_exception();
  }
  exchange.send(0, {});
  if (failure) std::rethrow_exception(failure);
}

std::uint64_t take_parts(AtomicFile& file, Exchange& exchange) {
  const std::string name = file.share();
  std::uint64_t end = file.size();
  for (int other = 1; other < exchange.size(); ++other) {
    const std::uint64_t size = parsed(exchange.receive(other), other).first;
    exchange.send(other, message(end, name));
    end += size;
  }
  std::exception_ptr failure;
  for (int other = 1; other < exchange.size(); ++other) {
    for (std::string bytes = exchange.receive(other); !bytes.empty(); bytes = exchange.receive(other)) {
      try {
        const auto [offset, piece] = parsed(bytes, other);
        file.write_at(offset, piece.data(), piece.size());
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  return end;
}

}  // namespace

std::uint64_t join_parts(AtomicFile& mine, Exchange& exchange) {
  if (exchange.rank() == 0) return take_parts(mine, exchange);
  give_part(mine, exchange);
  return 0;
}

}  // namespace omvc
