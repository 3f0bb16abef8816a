// The main of test programs: that of googletest, which also answers when HDF5 files are tried (omvc/trial.hpp).
#include <gtest/gtest.h>

#include "omvc/trial.hpp"

int main(int argc, char** argv) {
  if (const auto code = omvc::answer_trial(argc, argv)) return *code;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
