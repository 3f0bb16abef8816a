// Where the real data are: the folder named by OMVC_DATA, else shared/data beside the source tree.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace omvc::test {

// The path of a real data file, whether or not it exists.
inline std::string data_path(const std::string& name) {
  const char* folder = std::getenv("OMVC_DATA");
  const std::filesystem::path base =
      folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(OMVC_SOURCE_DIR) / "../shared/data";
  return (base / name).string();
}

}  // namespace omvc::test

// Skips the test where the real data are absent.
#define OMVC_NEED_DATA(name)                                                                         \
  do {                                                                                               \
    if (!std::filesystem::exists(omvc::test::data_path(name)))                                       \
      GTEST_SKIP() << "real data are absent: " << omvc::test::data_path(name) << " (set OMVC_DATA)"; \
  } while (false)
