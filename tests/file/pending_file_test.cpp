#include "file/pending_file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/descriptor.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::TempDir;

std::size_t files_in(const TempDir& dir) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir.path("")), {}));
}

TEST(PendingFile, AppearsWhenItIsCommittedAndNotBefore) {
  const TempDir dir;
  const std::string path = dir.write_file("out", "old");
  {
    PendingFile file(path);
    ASSERT_TRUE(write_fully(file.descriptor(), "new", 3));
    file.sync();
    EXPECT_EQ(test::read_bytes(path), "old");
  }
  EXPECT_EQ(test::read_bytes(path), "old") << "what was not committed is gone";
  PendingFile file(path);
  ASSERT_TRUE(write_fully(file.descriptor(), "new", 3));
  file.commit();
  EXPECT_EQ(test::read_bytes(path), "new");
  EXPECT_EQ(files_in(dir), 1u);
}

TEST(PendingFile, KeepsThePermissionsOfWhatItReplaces) {
  const TempDir dir;
  const std::string path = dir.write_file("out", "old");
  for (const mode_t mode : {0600, 0640, 0444}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    PendingFile file(path);
    ASSERT_TRUE(write_fully(file.descriptor(), "new", 3));
    file.commit();
    struct stat found {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, mode);
  }
}

TEST(PendingFile, ReplacesWhatALinkLeadsToAndNotTheLink) {
  const TempDir dir;
  dir.write_file("out", "old");
  std::filesystem::create_directory(dir.path("current"));
  const std::string link = dir.path("current/link");
  std::filesystem::create_symlink("../out", link);
  PendingFile file(link);
  ASSERT_TRUE(write_fully(file.descriptor(), "new", 3));
  file.commit();
  EXPECT_EQ(test::read_bytes(dir.path("out")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(PendingFile, MakesWhatALinkLeadsToWhereNothingIsThere) {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("current"));
  std::filesystem::create_symlink("../out", dir.path("current/link"));
  std::filesystem::create_symlink("current/link", dir.path("second"));
  PendingFile file(dir.path("second"));
  ASSERT_TRUE(write_fully(file.descriptor(), "new", 3));
  file.commit();
  EXPECT_EQ(test::read_bytes(dir.path("out")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("current/link")));
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("second")));
}

TEST(PendingFile, HasThePermissionsOfAnyNewFile) {
  const TempDir dir;
  const mode_t before = ::umask(027);
  PendingFile(dir.path("out")).commit();
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(dir.path("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(PendingFile, NamesMayBeAsLongAsTheyCan) {
  const TempDir dir;
  const std::string path = dir.path(std::string(255, 'n'));
  PendingFile(path).commit();
  EXPECT_TRUE(std::filesystem::exists(path));
  test::expect_error(ErrorKind::io, {"too long"}, [&] { PendingFile(dir.path(std::string(256, 'n'))).commit(); });
}

// A passing name that a killed process left behind is one that nobody has locked.
TEST(PendingFile, RemovesWhatAKilledProcessLeftBehindAndNothingElse) {
  const TempDir dir;
  const std::string path = dir.path("out");
  // The part of the name that stands for `out`, as another file shows it while it is being linked.
  const std::string prefix = ".omvc-part-";
  const auto name_for = [&](const std::string& file, const std::string& rest) {
    std::uint32_t hash = 2166136261u;
    for (const char c : file) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    char text[16];
    std::snprintf(text, sizeof text, "%08x-", hash);
    return prefix + text + rest;
  };
  const std::string dead = dir.write_file(name_for("out", "dead"), "x");
  const std::string alive = dir.write_file(name_for("out", "alive"), "x");
  const std::string other = dir.write_file(name_for("other", "dead"), "x");
  const int lock = ::open(alive.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  { const PendingFile file(path); }
  ::close(lock);
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(alive));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST(PendingFile, RefusesFoldersDevicesAndPlacesThatAreNotThere) {
  const TempDir dir;
  test::expect_error(ErrorKind::io, {"folder"}, [&] { PendingFile file(dir.path("")); });
  test::expect_error(ErrorKind::io, {"/dev/null", "device"}, [&] { PendingFile file("/dev/null"); });
  test::expect_error(ErrorKind::io, {"no/such"}, [&] { PendingFile file(dir.path("no/such")); });
}

}  // namespace
}  // namespace omvc
