// Damaged files end in an omvc::Error or are read; they never end the process.
#include "hdf5/probe.hpp"

#include <gtest/gtest.h>

#include "hdf5/file.hpp"
#include "random/philox.hpp"
#include "support/chunks.hpp"
#include "support/h5_file.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::expect_error;
using test::read_bytes;
using test::TempDir;

std::string small_file(const TempDir& dir) {
  const std::string path = dir.path("good.h5");
  h5::File file = test::create_h5(path);
  h5::Group group = file.root().create_group("group");
  const std::vector<double> values(60, 1.5);
  group.create("x", h5::Store::float64, {.cols = 6, .chunk_rows = 4, .gzip = 1}).append(values.data(), 10);
  group.create("words", h5::Store::text, {.chunk_rows = 4}).append_text({"a", "bb", "ccc"});
  group.set_attribute("encoding-type", "array");
  file.close();
  return path;
}

// Reads all there is, as a reader would.
void read_everything(const std::string& path) {
  const h5::Group root = h5::File::open(path).root();
  for (const std::string& name : root.names()) {
    const h5::Group group = root.group(name);
    group.text_attribute("encoding-type");
    group.dataset("x").read_all<double>();
    const h5::Dataset words = group.dataset("words");
    words.read_text(0, words.rows());
  }
}

TEST(Probe, AGoodFilePasses) {
  const TempDir dir;
  const std::string path = small_file(dir);
  EXPECT_NO_THROW(h5::probe(path));
  EXPECT_NO_THROW(read_everything(path));
}

TEST(Probe, OtherFilesAreRefused) {
  const TempDir dir;
  for (const std::string& content : {std::string(), std::string("\x89HDF\r\n\x1a\n"), std::string(5000, 'x')}) {
    const std::string path = dir.write_file("other.h5", content);
    expect_error(ErrorKind::data, {path}, [&] { h5::File::open(path); });
  }
  expect_error(ErrorKind::io, {"absent.h5"}, [&] { h5::File::open(dir.path("absent.h5")); });
  expect_error(ErrorKind::io, {"folder"}, [&] { h5::File::open(dir.path("")); });
}

TEST(Probe, TruncatedFilesNeverEndTheProcess) {
  const TempDir dir;
  const std::string bytes = read_bytes(small_file(dir));
  int refused = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 40) {
    const std::string path = dir.write_file("short.h5", bytes.substr(0, size));
    try {
      read_everything(path);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 35);
}

TEST(Probe, DamagedFilesNeverEndTheProcess) {
  const TempDir dir;
  const std::string bytes = read_bytes(small_file(dir));
  const Random random(2, Purpose::sample);
  int refused = 0;
  for (std::uint64_t trial = 0; trial < 150; ++trial) {
    std::string damaged = bytes;
    for (std::uint64_t k = 0; k < 8; ++k) {
      damaged[random.below(bytes.size(), trial * 100 + 2 * k)] =
          static_cast<char>(random.bits(trial * 100 + 2 * k + 1));
    }
    const std::string path = dir.write_file("damaged.h5", damaged);
    try {
      read_everything(path);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace omvc
