// What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput that hands its bytes to a reader, and
// one line in CMakeLists.txt; its seeds come from seeds.cpp, and words of its format from dictionaries/TARGET.dict
// where there is such a file.
//
// An omvc::Error is the right answer to bad bytes. Anything else that is thrown, a sanitizer's report, too much memory
// or time, and a property below that does not hold is a finding.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#include "omvc/error.hpp"
#include "omvc/input.hpp"
#include "omvc/trial.hpp"

#include "file/reading_limits.hpp"
#include "support/temp_dir.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace omvc::fuzz {

// Lines of small files, too, reach beyond the buffer; going through a million empty rows, and starting a process for
// every file, would take too long.
inline const bool kLimitsAreSet = [] {
  reading_limits() = {.text_buffer = 61, .empty_rows = 1000};
  trust_hdf5_files();
  return true;
}();

inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "finding: this does not hold: %s\n", property);
  std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A file that is written anew for every execution. Its folder is removed when the process ends; tests/fuzz/run has it
// on a memory disk, and removes it after a crash too.
class InputFile {
 public:
  explicit InputFile(const std::string& name) : path_(dir_.path(name)) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    require(descriptor_ >= 0, "the input file can be made");
  }
  ~InputFile() { ::close(descriptor_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& write(std::string_view bytes) {
    const bool written = ::ftruncate(descriptor_, 0) == 0 &&
                         ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    require(written, "the input file can be written");
    return path_;
  }

 private:
  test::TempDir dir_;
  std::string path_;
  int descriptor_ = -1;
};

// The instances of a pass as numbers that do not depend on how they were divided into chunks.
class Digest {
 public:
  explicit Digest(std::size_t views) : hashes_(views, 0) {}

  void add(const Chunk& chunk) {
    rows_ += chunk.size();
    for (std::size_t v = 0; v < hashes_.size(); ++v) {
      const ChunkView& view = chunk.views[v];
      std::visit([&](const auto& block) { add_rows(v, chunk, view.present, block); }, view.block);
    }
  }
  void add_ids(const std::vector<std::string>& ids) {
    for (const std::string& id : ids) mix(ids_, std::hash<std::string>()(id));
  }
  Index rows() const { return rows_; }
  bool operator==(const Digest&) const = default;

 private:
  static void mix(std::uint64_t& hash, std::uint64_t number) {
    hash = (hash ^ number) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }

  template <class B>
  void add_rows(std::size_t v, const Chunk& chunk, const std::vector<Index>& present, const B& block) {
    std::uint64_t hash = hashes_[v];
    for (Index i = 0; i < block.rows; ++i) {
      mix(hash, sizeof(typename B::Scalar));
      mix(hash, static_cast<std::uint64_t>(chunk.rows[static_cast<std::size_t>(present[static_cast<std::size_t>(i)])]));
      if constexpr (requires { block.offsets; }) {
        const auto last = static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(i) + 1]);
        for (auto k = static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(i)]); k < last; ++k) {
          mix(hash, static_cast<std::uint64_t>(block.columns[k]));
          mix(hash, std::bit_cast<std::uint64_t>(static_cast<double>(block.values[k])));
        }
      } else {
        for (const auto value : block.row(i)) mix(hash, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
      }
    }
    hashes_[v] = hash;
  }

  Index rows_ = 0;
  std::uint64_t ids_ = 0;
  std::vector<std::uint64_t> hashes_;
};

// One pass in chunks of first_rows rows, then of ever more; nothing if the data are refused on the way.
inline std::optional<Digest> read_pass(Source& source, Index first_rows) {
  constexpr Index kMostRows = 1 << 20;
  Digest digest(source.schema().views.size());
  Index max_rows = first_rows;
  while (true) {
    std::optional<Chunk> chunk;
    try {
      chunk = source.next(max_rows);
      if (!chunk) {
        digest.add_ids(source.ids(0, digest.rows()));
        break;
      }
    } catch (const Error&) {
      return std::nullopt;
    }
    require(chunk->size() >= 1 && chunk->size() <= max_rows, "a chunk has as many rows as were asked for or fewer");
    check_chunk(*chunk, source.schema());  // what it throws is a finding: the reader let it through
    digest.add(*chunk);
    max_rows = std::min(2 * max_rows, kMostRows);
  }
  require(!source.size() || *source.size() == digest.rows(), "the source holds as many instances as it says");
  return digest;
}

// Reads the data to the end, goes back and reads them again in other chunks: both passes must give the same.
// Returns the digest of data that can be used.
inline std::optional<Digest> read_twice(const std::vector<std::string>& paths, const InputOptions& options = {}) {
  Input input;
  try {
    input = open_input(paths, options);
  } catch (const Error&) {
    return std::nullopt;
  }
  const auto first = read_pass(*input.source, 1);
  try {
    require(input.source->rewind(), "a regular file can be read again");
  } catch (const Error&) {
    require(!first, "what could be read can be read again");
    return std::nullopt;
  }
  require(read_pass(*input.source, 64) == first, "a second pass gives the same as the first");
  require(!first || !input.truth || static_cast<Index>(input.truth->size()) == first->rows(),
          "there is a label for every instance");
  return first;
}

// Damaged HDF5 is for the HDF5 library to survive: readers have it tried by a child process first (omvc/trial.hpp), and
// fuzzers give them sound files (h5_script.hpp).
inline bool holds_hdf5(std::string_view bytes) { return bytes.find("\x89HDF\r\n\x1a\n") != std::string_view::npos; }

// The bytes with a checksum in their last four that is right, as in model files, so that what lies behind the check of
// it is reached.
inline std::string with_checksum(std::string_view bytes) {
  std::string out(bytes);
  if (out.size() < 4) return out;
  const auto sum =
      static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const unsigned char*>(out.data()), out.size() - 4));
  std::memcpy(out.data() + out.size() - 4, &sum, 4);
  return out;
}

}  // namespace omvc::fuzz
