// Damaged files end in an omvc::Error or are read; they never end the process.
#include "omvc/trial.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "hdf5/file.hpp"
#include "hdf5/start_trial.hpp"
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

TEST(Trial, AGoodFilePasses) {
  const TempDir dir;
  const std::string path = small_file(dir);
  EXPECT_NO_THROW(h5::try_in_other_process(path));
  EXPECT_NO_THROW(read_everything(path));
}

TEST(Trial, OtherFilesAreRefused) {
  const TempDir dir;
  for (const std::string& content : {std::string(), std::string("\x89HDF\r\n\x1a\n"), std::string(5000, 'x')}) {
    const std::string path = dir.write_file("other.h5", content);
    expect_error(ErrorKind::data, {path}, [&] { h5::File::open(path); });
  }
  expect_error(ErrorKind::io, {"absent.h5"}, [&] { h5::File::open(dir.path("absent.h5")); });
  expect_error(ErrorKind::io, {"folder"}, [&] { h5::File::open(dir.path("")); });
}

TEST(Trial, TruncatedFilesNeverEndTheProcess) {
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

TEST(Trial, DamagedFilesNeverEndTheProcess) {
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

// Puts back at its end what a test says about trials.
class TrialSetting : public testing::Test {
 protected:
  ~TrialSetting() override {
    trust_hdf5_files(false);
    const char* name = "omvc_tests";
    answer_trial(1, &name);
    ::setenv("PATH", path_.c_str(), 1);
  }

  const TempDir dir_;
  const std::string file_ = small_file(dir_);

 private:
  const std::string path_ = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
};

TEST_F(TrialSetting, WithoutAProgramToStartFilesAreRefusedWithWhatToDo) {
  set_trial_command({});
  // A program in the working folder may have come with the data: such parts of the PATH do not count.
  ::setenv("PATH", (dir_.path("") + "::.").c_str(), 1);
  expect_error(ErrorKind::io, {file_, "answer_trial", "PATH", "trust_hdf5_files"}, [&] { h5::File::open(file_); });
}

TEST_F(TrialSetting, TheCommandOnThePathIsStartedWhereNothingElseIsKnown) {
  const TempDir folder;
  std::filesystem::create_symlink(std::filesystem::read_symlink("/proc/self/exe"), folder.path("omvc"));
  set_trial_command({});
  ::setenv("PATH", ("relative:/nowhere:" + folder.path("")).c_str(), 1);
  EXPECT_NO_THROW(read_everything(file_));
  const std::string bytes = read_bytes(file_);
  const std::string damaged = dir_.write_file("damaged.h5", bytes.substr(0, bytes.size() / 2));
  expect_error(ErrorKind::data, {damaged, "damaged"}, [&] { h5::File::open(damaged); });
}

TEST_F(TrialSetting, AProgramThatDoesNotAnswerIsNotTheFilesFault) {
  for (const char* program : {"/bin/true", "/bin/false", "/bin/echo"}) {
    set_trial_command({program});
    expect_error(ErrorKind::io, {file_, program, "answer_trial"}, [&] { h5::File::open(file_); });
  }
  set_trial_command({"/nowhere/omvc"});
  expect_error(ErrorKind::io, {file_, "/nowhere/omvc"}, [&] { h5::File::open(file_); });
}

TEST_F(TrialSetting, TrustedFilesAreOpenedWithoutAProcess) {
  set_trial_command({"/nowhere/omvc"});
  trust_hdf5_files();
  EXPECT_NO_THROW(read_everything(file_));
  trust_hdf5_files(false);
  EXPECT_THROW(h5::File::open(file_), Error);
}

TEST_F(TrialSetting, OnlyTheWordsOfATrialAreATrial) {
  const std::vector<std::vector<const char*>> others{
      {"omvc"},
      {"omvc", "--omvc-try-hdf5"},
      {"omvc", "--omvc-try-hdf5", "file"},
      {"omvc", "--omvc-try-hdf5", "file", "soon"},
      {"omvc", "fit", "--omvc-try-hdf5", "file", "20"},
  };
  for (const std::vector<const char*>& words : others) {
    EXPECT_FALSE(answer_trial(static_cast<int>(words.size()), words.data()));
  }
}

}  // namespace
}  // namespace omvc
