#include "source/formats/npy.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>

#include "omvc/error.hpp"

#include "source/formats/npy_array.hpp"

namespace omvc {
namespace {

class FileBytes final : public ByteReader {
 public:
  explicit FileBytes(std::string path) : path_(std::move(path)) {
    std::error_code error;
    if (std::filesystem::is_directory(path_, error)) {
      throw Error(ErrorKind::io, fmt::format("{}: is a folder; name a file", path_));
    }
    errno = 0;
    file_.open(path_, std::ios::binary);
    if (!file_) throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path_, std::strerror(errno)));
    size_ = static_cast<Index>(std::filesystem::file_size(path_, error));
    if (error) {
      throw Error(ErrorKind::io, fmt::format("{}: an NPY file must be a regular file: {}", path_, error.message()));
    }
  }

  Index size() const override { return size_; }

  void read(void* to, Index bytes) override {
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!file_) throw Error(ErrorKind::io, fmt::format("{}: cannot read; did the file change meanwhile?", path_));
  }

  void restart(Index offset) override {
    file_.clear();
    file_.seekg(offset);
  }

 private:
  std::string path_;
  std::ifstream file_;
  Index size_ = 0;
};

}  // namespace

std::unique_ptr<ViewReader> open_npy(const std::string& path, const std::string& view_name,
                                     const InputOptions& options) {
  auto bytes = std::make_unique<FileBytes>(path);
  NpyHeader header = read_npy_header(*bytes, path);
  check_npy_view(header, path);
  if (options.transpose) {
    // The same bytes are the transposed array in the other order.
    std::swap(header.shape[0], header.shape[1]);
    header.fortran_order = !header.fortran_order;
  }
  return make_npy_reader(path, {view_name, header.cols(), {}}, std::move(bytes), header);
}

DenseBlock<double> read_npy_matrix(const std::string& path) {
  FileBytes bytes(path);
  const NpyHeader header = read_npy_header(bytes, path);
  check_npy_view(header, path);
  return read_npy_block(bytes, header);
}

}  // namespace omvc
