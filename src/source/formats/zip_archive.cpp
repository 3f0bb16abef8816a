#include "source/formats/zip_archive.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <zip.h>

#include "omvc/error.hpp"

#include "file/reading_limits.hpp"
#include "source/formats/fail.hpp"

namespace omvc {
namespace {

// What deflate can achieve on the best of data, and the bytes that its block needs at the least.
constexpr Index kMaxDeflation = 1032;
constexpr Index kLeastBytes = 64;
constexpr Index kMostRatio = 200;  // which no data have

Index as_index(zip_uint64_t size) {
  return size > static_cast<zip_uint64_t>(std::numeric_limits<Index>::max()) ? std::numeric_limits<Index>::max()
                                                                             : static_cast<Index>(size);
}

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

struct ZipArchive::Handle {
  explicit Handle(zip_t* opened) : zip(opened) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { zip_discard(zip); }
  zip_t* zip;
};

ZipArchive::ZipArchive(std::string path) : path_(std::move(path)) {
  std::error_code error;
  const auto file_bytes = static_cast<Index>(std::filesystem::file_size(path_, error));
  if (error) throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path_, error.message()));
  int code = 0;
  zip_t* zip = zip_open(path_.c_str(), ZIP_RDONLY, &code);
  if (zip == nullptr) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, code);
    const std::string words = zip_error_strerror(&reason);
    zip_error_fini(&reason);
    const bool unreadable = code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_MEMORY;
    throw Error(unreadable ? ErrorKind::io : ErrorKind::data,
                fmt::format("{}: is not a ZIP archive that can be read: {}; it may be truncated", path_, words));
  }
  handle_ = std::make_shared<Handle>(zip);
  Index packed_bytes = 0;
  for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(zip, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW, &stat) != 0 ||
        (stat.valid & kNeeded) != kNeeded) {
      fail(path_, "entry {} of the archive is damaged", i + 1);
    }
    const std::string name = stat.name;
    if (name.ends_with('/')) continue;
    const std::string where = fmt::format("{}: {}", path_, name);
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE) {
      fail(where, "is encrypted; save it without a password");
    }
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      fail(where, "is packed by a method that is not known (number {}); write it with numpy.savez", stat.comp_method);
    }
    const Index packed = as_index(stat.comp_size);
    const Index bytes = as_index(stat.size);
    if (packed > file_bytes - packed_bytes || (bytes - kLeastBytes) / kMaxDeflation > packed) {
      fail(where, "claims {} bytes, packed into {}, which a file of {} bytes cannot hold; it is damaged", bytes, packed,
           file_bytes);
    }
    if (bytes > reading_limits().unpacked && bytes / kMostRatio > packed) {
      fail(where, "unpacks to {} MB from {} bytes, which only zeros do: unpack it yourself, and give the .npy file",
           bytes >> 20, packed);
    }
    packed_bytes += packed;
    entries_.push_back({name, bytes, i});
  }
}

namespace {

class EntryBytes final : public ByteReader {
 public:
  EntryBytes(std::shared_ptr<void> archive, zip_t* zip, ZipEntry entry, std::string where)
      : archive_(std::move(archive)), zip_(zip), entry_(std::move(entry)), where_(std::move(where)) {
    restart(0);
  }

  Index size() const override { return entry_.bytes; }

  void read(void* to, Index bytes) override {
    if (bytes > entry_.bytes - at_) fail(where_, "ends early; the archive is truncated or damaged");
    for (Index got = 0; got < bytes;) {
      const zip_int64_t more =
          zip_fread(file_.get(), static_cast<char*>(to) + got, static_cast<zip_uint64_t>(bytes - got));
      if (more <= 0) fail(where_, "cannot be unpacked; the archive is truncated or damaged");
      got += more;
    }
    at_ += bytes;
    // The checksum is compared at the attempt to read beyond the end.
    char beyond = 0;
    if (at_ == entry_.bytes && bytes > 0 && zip_fread(file_.get(), &beyond, 1) != 0) {
      fail(where_, "has a wrong checksum or length; the archive is damaged");
    }
  }

  void restart(Index offset) override {
    file_.reset(zip_fopen_index(zip_, static_cast<zip_uint64_t>(entry_.number), 0));
    if (!file_) fail(where_, "cannot be opened inside the archive: {}", zip_strerror(zip_));
    at_ = 0;
    std::array<char, 4096> skipped;
    while (at_ < offset) read(skipped.data(), std::min<Index>(offset - at_, skipped.size()));
  }

 private:
  std::shared_ptr<void> archive_;  // keeps zip_ open
  zip_t* zip_;
  ZipEntry entry_;
  std::string where_;
  std::unique_ptr<zip_file_t, CloseFile> file_;
  Index at_ = 0;
};

}  // namespace

std::unique_ptr<ByteReader> ZipArchive::open(const ZipEntry& entry) const {
  return std::make_unique<EntryBytes>(handle_, handle_->zip, entry, fmt::format("{}: {}", path_, entry.name));
}

}  // namespace omvc
