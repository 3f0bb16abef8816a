// Sound HDF5 files whose content is not what MuData and AnnData promise.
#include <gtest/gtest.h>

#include "omvc/error.hpp"
#include "omvc/input.hpp"

#include "fuzz/h5_script.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

class AnnDataContent : public testing::Test {
 protected:
  std::string write(const std::string& script) const {
    fuzz::H5Script::write(script, dir_.path("set.h5ad"));
    return dir_.path("set.h5ad");
  }
  test::TempDir dir_;
};

const std::string kSamples = "G obs\nD obs/_index text 2 a b\n";
const std::string kFeatures = "G var\nD var/_index text 3 u v w\n";

std::string csr(const std::string& indices, const std::string& indptr) {
  return "G X\nA X encoding-type text - csr_matrix\nA X shape i8 2 2 3\nD X/data f8 3 1 2 3\nD X/indices i4 3 " +
         indices + "\nD X/indptr i8 3 " + indptr + "\n";
}

TEST_F(AnnDataContent, IsReadFromAScript) {
  const Input input = open_input({write(kSamples + kFeatures + csr("0 2 1", "0 2 3"))});
  const Chunk chunk = read_all(*input.source);
  EXPECT_EQ(chunk.size(), 2);
  EXPECT_EQ(std::get<CsrBlock<double>>(chunk.views[0].block).columns, (std::vector<std::int32_t>{0, 2, 1}));
}

TEST_F(AnnDataContent, RefusesSparseMatricesThatAreNone) {
  for (const auto& each :
       {std::pair{csr("0 3 1", "0 2 3"), "indices[1] is 3"}, std::pair{csr("0 -1 1", "0 2 3"), "indices[1] is -1"},
        std::pair{csr("2 2 1", "0 2 3"), "row 0 holds column 2 twice"},
        std::pair{csr("0 2 1", "2 2 3"), "indptr runs from 2"},
        std::pair{csr("0 2 1", "0 2 2"), "indptr runs from 0 to 2"}, std::pair{csr("0 2 1", "0 2 1"), "indptr[2] is 1"},
        std::pair{csr("0 2 1", "0 2 4"), "indptr[2] is 4"}}) {
    test::expect_error(ErrorKind::data, {"set.h5ad", each.second}, [&] {
      const Input input = open_input({write(kSamples + kFeatures + each.first)});
      read_all(*input.source);
    });
  }
}

TEST_F(AnnDataContent, RefusesMoreSamplesThanTheFileHasBytesFor) {
  for (const std::string count : {"9223372036854775807", "1000000000000"}) {
    const std::string samples = "G obs\nD obs/_index i1 " + count + "\n";
    for (const std::string& matrix : {csr("0 2 1", "0 2 3"), "C X i1 " + count + "x3\n"}) {
      test::expect_error(ErrorKind::data, {"set.h5ad", "announced"},
                         [&] { open_input({write(samples + kFeatures + matrix)}); });
    }
  }
}

TEST_F(AnnDataContent, RefusesARowOfTwoInstancesOnOpening) {
  const std::string modality =
      "G mod\nG mod/rna\nG mod/rna/obs\nD mod/rna/obs/_index text 2 a c\nG mod/rna/var\nD mod/rna/var/_index text 1 g\n"
      "D mod/rna/X f8 2x1 1 2\nG obs\nD obs/_index text 3 a b c\nG obsmap\n";
  EXPECT_EQ(open_input({write(modality + "D obsmap/rna u4 3 1 0 2\n")}).source->size(), 3);
  test::expect_error(ErrorKind::data, {"obsmap/rna", "row 2", "two instances"},
                     [&] { open_input({write(modality + "D obsmap/rna u4 3 2 0 2\n")}); });
  test::expect_error(ErrorKind::data, {"obsmap/rna", "instance 1", "row 3 of 2"},
                     [&] { open_input({write(modality + "D obsmap/rna u4 3 2 3 1\n")}); });
}

}  // namespace
}  // namespace omvc
