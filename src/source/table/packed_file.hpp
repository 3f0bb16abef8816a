// The bytes of a file or of standard input, unpacked where they are compressed by gzip, bzip2, xz or zstd. Which of
// them it is shows in the content, never in the name. Files of several parts one after another (bgzip, pbzip2, cat) are
// read to the end.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace omvc {

// The path that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";

// What unpacks one kind of compressed data.
class Unpacker {
 public:
  virtual ~Unpacker() = default;

  struct Bytes {
    const unsigned char* in = nullptr;
    std::size_t in_size = 0;
    unsigned char* out = nullptr;
    std::size_t out_size = 0;
  };
  enum class Outcome { more, end, damaged, too_large };

  // Moves the pointers and sizes as far as it got; `end` is the end of a part.
  virtual Outcome unpack(Bytes& bytes) = 0;
  // Makes ready for the first part, or the next one.
  virtual void restart() = 0;
};

class PackedFile {
 public:
  // Bytes that are read at a time where the caller does not ask for more.
  static const std::size_t kUsualBytes;

  // Throws ErrorKind::io if the file cannot be opened. `at_a_time` is less for those who look at the beginning only.
  explicit PackedFile(const std::string& path, std::size_t at_a_time = kUsualBytes);
  ~PackedFile();
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  // What it is called in messages.
  const std::string& name() const { return name_; }

  // Fills the buffer; less comes only at the end of the file, and from a pipe, which gives what it has, at least one
  // byte. Throws ErrorKind::io, or ErrorKind::data for compressed data that are damaged or end early.
  std::size_t read(char* out, std::size_t size);

  // Goes back to the first byte. Returns false, and changes nothing, where the file is not seekable (a pipe).
  bool rewind();

  // Whether the file, as far as its size and the time of its last change tell, is as it was when its first byte was to
  // be read last. Never of a pipe. What is in memory of such a file need not be read again.
  bool unchanged() const;

 private:
  // What shows that a file was written to: nanoseconds, and bytes.
  struct Stamp {
    long long changed = 0;
    long long size = -1;
    bool operator==(const Stamp&) const = default;
  };

  Stamp stamp() const;
  std::size_t read_raw(void* out, std::size_t size);
  bool fill();
  void fill_to(std::size_t bytes);  // or to the end of the file
  bool starts_part() const;
  void find_kind();

  std::string name_;
  int descriptor_ = -1;
  bool seekable_ = false;
  Stamp stamp_;  // when it was opened, or went back to its start
  bool kind_known_ = false;
  std::unique_ptr<Unpacker> unpacker_;  // none: the bytes are as they are
  std::string_view magic_;              // of the compressed kind
  bool ended_ = false;                  // nothing comes behind the last part
  std::vector<unsigned char> buffer_;   // raw
  std::size_t begin_ = 0;               // the part of it that is not used yet
  std::size_t end_ = 0;
};

}  // namespace omvc
