// What an HDF5 file can make us reach, and writes that fail.
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>

#include "omvc/convert.hpp"
#include "omvc/input.hpp"
#include "omvc/planted.hpp"

#include "hdf5/file.hpp"
#include "support/chunks.hpp"
#include "support/h5_file.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using namespace h5;
using test::expect_error;
using test::TempDir;

// A file whose member "x" is made by `make`, and one beside it with numbers that must not be reached.
class Outside : public testing::Test {
 protected:
  template <class F>
  std::string with(const F& make) const {
    {
      File other = test::create_h5(dir_.path("secret.h5"));
      const std::vector<double> values(12, 42);
      other.root().create("x", Store::float64, {.cols = 3}).append(values.data(), 4);
      other.close();
    }
    const std::string path = dir_.path("a.h5");
    File file = test::create_h5(path);
    Group root = file.root();
    Group group = root.create_group("group");
    const Call call;
    make(group.id());
    return path;
  }

  static Handle space() {
    constexpr hsize_t sizes[] = {4, 3};
    return Handle(H5Screate_simple(2, sizes, nullptr));
  }

  TempDir dir_;
};

TEST_F(Outside, ExternalStorageIsRefused) {
  const std::string secret = dir_.write_file("secret", std::string(96, 'x'));
  const std::string path = with([&](hid_t group) {
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_external(creation.get(), secret.c_str(), 0, 96);
    const Handle made(H5Dcreate2(group, "x", H5T_IEEE_F64LE, space().get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    ASSERT_TRUE(static_cast<bool>(made));
  });
  expect_error(ErrorKind::data, {path, "/group/x", "other files", "external"},
               [&] { File::open(path).root().group("group").dataset("x"); });
}

TEST_F(Outside, VirtualDatasetsAreRefused) {
  for (const char* source : {"secret.h5", "absent.h5"}) {
    const std::string path = with([&](hid_t group) {
      const Handle creation(H5Pcreate(H5P_DATASET_CREATE));
      H5Pset_virtual(creation.get(), space().get(), dir_.path(source).c_str(), "/x", space().get());
      const Handle made(
          H5Dcreate2(group, "x", H5T_IEEE_F64LE, space().get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
      ASSERT_TRUE(static_cast<bool>(made));
    });
    expect_error(ErrorKind::data, {path, "/group/x", "other files", "virtual"},
                 [&] { File::open(path).root().dataset("group/x"); });
  }
}

TEST_F(Outside, ExternalLinksAreRefused) {
  for (const char* target : {"secret.h5", "absent.h5"}) {
    const std::string path = with([&](hid_t group) {
      H5Lcreate_external(dir_.path(target).c_str(), "/x", group, "x", H5P_DEFAULT, H5P_DEFAULT);
      H5Lcreate_external(dir_.path(target).c_str(), "/", group, "y", H5P_DEFAULT, H5P_DEFAULT);
    });
    const Group group = File::open(path).root().group("group");
    for (const char* name : {"x", "y", "y/x"}) {
      expect_error(ErrorKind::data, {path, "link into another file"}, [&] { group.open(name); });
      expect_error(ErrorKind::data, {path, "link into another file"}, [&] { group.has(name); });
    }
  }
}

TEST_F(Outside, SoftLinksAreFollowedInsideTheirGroupOnly) {
  const std::string path = with([&](hid_t group) {
    const Handle inner(H5Gcreate2(group, "inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("inner", group, "inside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/group/inner", group, "absolute", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("nowhere", group, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("round", group, "round", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(dir_.path("secret.h5").c_str(), "/", group, "away", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("away", group, "detour", H5P_DEFAULT, H5P_DEFAULT);
  });
  const Group group = File::open(path).root().group("group");
  EXPECT_TRUE(group.has_group("inside"));
  EXPECT_FALSE(group.has("dangling"));
  expect_error(ErrorKind::data, {"/group/absolute", "out of its group"}, [&] { group.open("absolute"); });
  expect_error(ErrorKind::data, {"/group/round", "out of its group"}, [&] { group.open("round"); });
  expect_error(ErrorKind::data, {"/group/away", "another file"}, [&] { group.open("detour"); });
}

TEST(Hdf5Text, ANulByteIsRefusedRatherThanCuttingNamesOff) {
  const TempDir dir;
  File file = test::create_h5(dir.path("a.h5"));
  Group root = file.root();
  Dataset names = root.create("names", Store::text);
  expect_error(ErrorKind::data, {"NUL"}, [&] { names.append_text({std::string("a\0b", 3)}); });
  expect_error(ErrorKind::data, {"NUL"}, [&] { root.set_attribute("a", std::string("a\0b", 3)); });
}

TEST(Hdf5, TheSameContentIsTheSameBytes) {
  const TempDir dir;
  const PlantedOptions planted{.instances = 50, .features = {4, 30}, .density = {1, 0.2}, .clusters = 2, .seed = 3};
  write_mudata(*make_planted_source(planted), dir.path("a.h5mu"), {});
  ::sleep(1);  // the library's times are in seconds
  write_mudata(*make_planted_source(planted), dir.path("b.h5mu"), {});
  EXPECT_TRUE(test::read_bytes(dir.path("a.h5mu")) == test::read_bytes(dir.path("b.h5mu")));
}

// A limit on the size of files is a disk that is full at that size. Whatever the size, the file is whole or is not
// there, and the reason is told.
TEST(Hdf5, AFileThatIsTooLargeForTheDiskIsNeverWrittenInPart) {
  const TempDir dir;
  const PlantedOptions planted{.instances = 200, .features = {8, 60}, .density = {1, 0.1}, .clusters = 2, .seed = 3};
  const std::string path = dir.path("a.h5mu");
  write_mudata(*make_planted_source(planted), path, {});
  const std::string whole = test::read_bytes(path);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  for (rlim_t size = 0; size < whole.size(); size += 1 + whole.size() / 50) {
    dir.write_file("a.h5mu", "before");
    rlimit limit = before;
    limit.rlim_cur = size;
    setrlimit(RLIMIT_FSIZE, &limit);
    expect_error(ErrorKind::io, {"cannot write", path, "File too large"},
                 [&] { write_mudata(*make_planted_source(planted), path, {}); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(test::read_bytes(path), "before") << size;
  }
  std::signal(SIGXFSZ, old);
  write_mudata(*make_planted_source(planted), path, {});
  EXPECT_TRUE(test::read_bytes(path) == whole);
}

}  // namespace
}  // namespace omvc
