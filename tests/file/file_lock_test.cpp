#include "file/file_lock.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <sys/stat.h>

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

class FileLocks : public testing::Test {
 protected:
  test::TempDir dir_;
  std::string file_ = dir_.path("model");
};

TEST_F(FileLocks, AreForOneAtATimeAndLeaveNothing) {
  std::optional<FileLock> first(file_);
  test::expect_error(ErrorKind::usage, {"model", "another process"}, [&] { FileLock second(file_); });
  first.reset();
  EXPECT_FALSE(std::filesystem::exists(file_ + ".lock"));
  EXPECT_NO_THROW(FileLock third(file_));
}

TEST_F(FileLocks, OfAProcessThatWasKilledAreTakenOver) {
  dir_.write_file("model.lock", "");
  EXPECT_NO_THROW(FileLock lock(file_));
  EXPECT_FALSE(std::filesystem::exists(file_ + ".lock"));
}

TEST_F(FileLocks, AreTheSameForALinkAndWhatItLeadsTo) {
  dir_.write_file("model", "");
  std::filesystem::create_directory(dir_.path("current"));
  std::filesystem::create_symlink("../model", dir_.path("current/model"));
  const FileLock first(file_);
  test::expect_error(ErrorKind::usage, {"another process"}, [&] { FileLock second(dir_.path("current/model")); });
}

TEST_F(FileLocks, LeaveAUsersFileOfThatNameAlone) {
  dir_.write_file("model.lock", "mine");
  test::expect_error(ErrorKind::usage, {"model.lock", "move it"}, [&] { FileLock lock(file_); });
  EXPECT_EQ(test::read_bytes(file_ + ".lock"), "mine");
  std::filesystem::remove(file_ + ".lock");
  ASSERT_EQ(::mkfifo((file_ + ".lock").c_str(), 0600), 0);
  test::expect_error(ErrorKind::usage, {"model.lock"}, [&] { FileLock lock(file_); });
  EXPECT_TRUE(std::filesystem::exists(file_ + ".lock"));
}

}  // namespace
}  // namespace omvc
