#include "file/archive.hpp"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <memory>
#include <string_view>

#include "omvc/error.hpp"

#include "file/atomic_file.hpp"
#include "file/checksum.hpp"

static_assert(std::endian::native == std::endian::little, "the model format is written as it lies in memory");

namespace omvc {
namespace {

constexpr std::string_view kMagic("OMVC\r\n\x1A\n", 8);
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kMaxKey = 255;
constexpr std::size_t kReadAtOnce = 1 << 20;
constexpr std::uint32_t kMaxDimensions = 4;

// Takes values off the front of the bytes and refuses to run past their end.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) fail("ends too early");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T value() {
    T out;
    std::memcpy(&out, take(sizeof out).data(), sizeof out);
    return out;
  }
  template <class T>
  std::vector<T> values(std::uint64_t count) {
    if (count > bytes_.size() / sizeof(T)) fail("ends too early");
    std::vector<T> out(count);
    const std::string_view taken = take(count * sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), taken.data(), taken.size());
    return out;
  }
  std::vector<std::string> texts(std::uint64_t count) {
    if (count > bytes_.size() / sizeof count) fail("ends too early");
    std::vector<std::string> out;
    for (std::uint64_t i = 0; i < count; ++i) out.emplace_back(take(value<std::uint64_t>()));
    return out;
  }
  bool done() const { return bytes_.empty(); }
  [[noreturn]] void fail(const std::string& why, const char* advice = "use another copy") const {
    throw Error(ErrorKind::data,
                fmt::format("{} is not a sound omvc model or checkpoint: it {}; {}, or fit again", name_, why, advice));
  }

 private:
  std::string_view bytes_;
  const std::string& name_;
};

}  // namespace

void Archive::put(const std::string& key, std::vector<double> values) {
  const std::uint64_t size = values.size();
  entries_[key] = {{size}, std::move(values)};
}
void Archive::put(const std::string& key, std::vector<Index> values) {
  const std::uint64_t size = values.size();
  entries_[key] = {{size}, std::move(values)};
}
void Archive::put(const std::string& key, const Matrix& matrix) {
  entries_[key] = {{static_cast<std::uint64_t>(matrix.rows()), static_cast<std::uint64_t>(matrix.cols())},
                   std::vector<double>(matrix.data(), matrix.data() + matrix.size())};
}
void Archive::put(const std::string& key, std::string text) {
  const std::uint64_t size = text.size();
  entries_[key] = {{size}, std::move(text)};
}
void Archive::put(const std::string& key, std::vector<std::string> texts) {
  const std::uint64_t size = texts.size();
  entries_[key] = {{size}, std::move(texts)};
}

const Archive::Entry& Archive::entry(const std::string& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) throw Error(ErrorKind::data, fmt::format("{} has no entry '{}'", name_, key));
  return found->second;
}

template <class T>
const T& Archive::data_of(const std::string& key) const {
  const T* data = std::get_if<T>(&entry(key).data);
  if (data == nullptr) throw Error(ErrorKind::data, fmt::format("{}: entry '{}' is of another type", name_, key));
  return *data;
}

const std::vector<double>& Archive::numbers(const std::string& key) const { return data_of<std::vector<double>>(key); }

const std::vector<double>& Archive::numbers(const std::string& key, Range range) const {
  const std::vector<double>& values = numbers(key);
  for (const double x : values) {
    if (x >= range.low && x <= range.high) continue;
    throw Error(ErrorKind::data, fmt::format("{}: entry '{}' holds {}, and must hold numbers from {} to {}", name_, key,
                                             x, range.low, range.high));
  }
  return values;
}

const std::vector<Index>& Archive::integers(const std::string& key) const { return data_of<std::vector<Index>>(key); }
const std::string& Archive::text(const std::string& key) const { return data_of<std::string>(key); }

double Archive::number(const std::string& key) const {
  const auto& values = numbers(key);
  if (values.size() != 1) throw Error(ErrorKind::data, fmt::format("{}: entry '{}' is not one number", name_, key));
  return values[0];
}

double Archive::number(const std::string& key, Range range) const {
  numbers(key, range);
  return number(key);
}

Matrix Archive::matrix(const std::string& key) const {
  const auto& shape = entry(key).shape;
  const auto& values = numbers(key);
  if (shape.size() != 2) throw Error(ErrorKind::data, fmt::format("{}: entry '{}' is not a matrix", name_, key));
  return Eigen::Map<const Matrix>(values.data(), static_cast<Index>(shape[0]), static_cast<Index>(shape[1]));
}

Matrix Archive::matrix(const std::string& key, Index rows, Index cols, Range range) const {
  Matrix out = matrix(key);
  if (out.rows() != rows || out.cols() != cols) {
    throw Error(ErrorKind::data, fmt::format("{}: entry '{}' is {} x {} where {} x {} is needed", name_, key,
                                             out.rows(), out.cols(), rows, cols));
  }
  numbers(key, range);
  return out;
}

Vector Archive::vector(const std::string& key, Index size, Range range) const {
  const auto& values = numbers(key, range);
  if (static_cast<Index>(values.size()) != size) {
    throw Error(ErrorKind::data,
                fmt::format("{}: entry '{}' has {} numbers where {} are needed", name_, key, values.size(), size));
  }
  return Eigen::Map<const Vector>(values.data(), size);
}

std::vector<std::string> Archive::lines(const std::string& key) const {
  if (std::holds_alternative<std::vector<std::string>>(entry(key).data)) return data_of<std::vector<std::string>>(key);
  std::vector<std::string> out;
  const std::string& all = text(key);
  for (std::size_t begin = 0; begin <= all.size() && !all.empty();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    out.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// Calls emit(data, size) for the pieces of the file in order.
template <class F>
void Archive::for_pieces(const F& emit) const {
  const auto number = [&](auto value) { emit(reinterpret_cast<const char*>(&value), sizeof value); };
  emit(kMagic.data(), kMagic.size());
  number(kVersion);
  number(static_cast<std::uint32_t>(entries_.size()));
  for (const auto& [key, entry] : entries_) {
    number(static_cast<std::uint32_t>(key.size()));
    emit(key.data(), key.size());
    number(static_cast<std::uint32_t>(entry.data.index() + 1));
    number(static_cast<std::uint32_t>(entry.shape.size()));
    for (const std::uint64_t extent : entry.shape) number(extent);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&entry.data)) {
      for (const std::string& text : *texts) {
        number(static_cast<std::uint64_t>(text.size()));
        emit(text.data(), text.size());
      }
      continue;
    }
    std::visit(
        [&](const auto& data) { emit(reinterpret_cast<const char*>(data.data()), data.size() * sizeof data[0]); },
        entry.data);
  }
}

std::string Archive::to_bytes() const {
  std::string out;
  for_pieces([&](const char* data, std::size_t size) { out.append(data, size); });
  const std::uint32_t sum = checksum(0, out);
  out.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return out;
}

Archive Archive::from_bytes(std::string_view bytes, const std::string& name) {
  const Reader whole(bytes, name);
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    whole.fail("does not start like one", "give a file that omvc wrote (fit --model, update, stream)");
  }
  if (bytes.size() < kMagic.size() + 12) whole.fail("ends too early");
  std::uint32_t stored = 0;
  std::memcpy(&stored, bytes.data() + bytes.size() - sizeof stored, sizeof stored);
  if (checksum(0, bytes.substr(0, bytes.size() - sizeof stored)) != stored) {
    whole.fail("was altered or cut short (its checksum does not match)");
  }
  Reader reader(bytes.substr(0, bytes.size() - sizeof stored), name);
  reader.take(kMagic.size());
  const auto version = reader.value<std::uint32_t>();
  if (version < 1 || version > kVersion) {
    reader.fail(fmt::format("has version {}, and this program reads versions 1 to {}", version, kVersion));
  }
  Archive archive;
  archive.name_ = name;
  for (auto left = reader.value<std::uint32_t>(); left > 0; --left) {
    const auto key_size = reader.value<std::uint32_t>();
    if (key_size > kMaxKey) reader.fail("has a key that is too long");
    const std::string key(reader.take(key_size));
    const auto type = reader.value<std::uint32_t>();
    const auto dimensions = reader.value<std::uint32_t>();
    if (dimensions > kMaxDimensions) reader.fail("has an entry with too many dimensions");
    Entry entry;
    std::uint64_t count = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      entry.shape.push_back(reader.value<std::uint64_t>());
      // An extent beside one of 0 is bounded by nothing but this.
      if (entry.shape.back() > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()) ||
          __builtin_mul_overflow(count, entry.shape.back(), &count)) {
        reader.fail("has an entry that is too large");
      }
    }
    if (type == 1) {
      entry.data = reader.values<double>(count);
    } else if (type == 2) {
      entry.data = reader.values<Index>(count);
    } else if (type == 3) {
      entry.data = std::string(reader.take(count));
    } else if (type == 4 && version >= 2) {
      entry.data = reader.texts(count);
    } else {
      reader.fail(fmt::format("has an entry of unknown type {}", type));
    }
    if (!archive.entries_.emplace(key, std::move(entry)).second) reader.fail(fmt::format("has two entries '{}'", key));
  }
  if (!reader.done()) reader.fail("is longer than it says");
  return archive;
}

void Archive::save(const std::string& path) const {
  AtomicFile file(path);
  std::uint32_t sum = 0;
  for_pieces([&](const char* data, std::size_t size) {
    if (size == 0) return;
    sum = checksum(sum, {data, size});
    file.write(data, size);
  });
  file.write(&sum, sizeof sum);
  // What the disk gives back is what was written, or the file that was there stays.
  std::uint32_t read = 0;
  std::string piece;
  for (std::uint64_t at = 0, end = file.size() - sizeof sum; at < end; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kReadAtOnce, end - at)));
    file.read_at(at, piece.data(), piece.size());
    read = checksum(read, piece);
  }
  if (read != sum) throw Error(ErrorKind::io, fmt::format("{}: the disk does not give back what was written", path));
  file.commit();
}

bool Archive::is_archive(const std::string& path) {
  std::string start(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == kMagic;
}

Archive Archive::load(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(ErrorKind::io, fmt::format("{}: is a folder; name a model file", path));
  const auto fail = [&](int reason) {
    throw Error(ErrorKind::io, fmt::format("cannot read the model {}: {}", path, std::strerror(reason)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(errno);
  // The beginning first: a file that is none of ours may be of any size, and a device without end.
  std::string bytes(kMagic.size(), '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (bytes == kMagic) {
    for (std::size_t got = 1; got > 0;) {
      const std::size_t before = bytes.size();
      bytes.resize(before + kReadAtOnce);
      got = std::fread(bytes.data() + before, 1, kReadAtOnce, file.get());
      bytes.resize(before + got);
    }
  }
  if (std::ferror(file.get()) != 0) fail(errno);
  return from_bytes(bytes, path);
}

}  // namespace omvc
