// The form for cards: what it hands back has the bits of the form for processors, and nothing is lost where a card
// fails. The card is one that is pretended (pretend_card.cpp), and the real one where there is one: OMVC_TEST_CARD=1
// says that there is, and OMVC_CUDA_LIBRARY where its library lies.
#include "device/cuda_backend.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <optional>

#include "device/device.hpp"
#include "support/backend_data.hpp"
#include "support/chunks.hpp"
#include "support/row_table_data.hpp"
#include "support/temporary_environment.hpp"

namespace omvc {
namespace {

using test::BackendCase;
using test::TableCase;
using test::TemporaryEnvironment;

struct Card {
  const char* name;
  bool pretended;
};

// Numbers as their bits: NaN is NaN.
using Bits = std::vector<std::uint64_t>;

template <class Numbers>
void add_bits(Bits& out, const Numbers& numbers) {
  for (const auto number : numbers) {
    const auto wide = static_cast<double>(number);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &wide, sizeof bits);
    out.push_back(std::isnan(wide) ? ~std::uint64_t{0} : bits);
  }
}

Bits near_bits(const BackendCase& of, std::size_t kind, Compute& compute) {
  const Chunk chunk = test::case_chunk(of, kind);
  std::vector<NarrowMatrix> products;
  const Near near =
      find_near(PreparedChunk(chunk), test::case_table(of, compute), of.wanted, of.beyond, compute, &products);
  Bits out;
  add_bits(out, near.ids);
  add_bits(out, near.weights);
  add_bits(out, near.distances);
  add_bits(out, std::vector{near.gap});
  for (const auto& squares : near.squares) add_bits(out, squares);
  for (const NarrowMatrix& product : products) add_bits(out, product.reshaped());
  return out;
}

Bits sum_bits(const BackendCase& of, std::size_t kind, Compute& compute) {
  const Chunk chunk = test::case_chunk(of, kind);
  const PreparedChunk data(chunk);
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < of.rows; ++i) ids.push_back(static_cast<std::int32_t>(i * 7 % (of.prototypes + 1)) - 1);
  const std::vector<Members> members{{&data, &ids}, {&data, &ids}};
  std::vector<Matrix> sums;
  for (const Index features : of.features) sums.emplace_back(Matrix::Constant(features, of.prototypes, 3 * of.scale));
  add_rounded_rows(members, -1, std::vector<double>(sums.size(), std::exp2(std::ilogb(of.scale) - 9)), sums, compute);
  Bits out;
  for (const Matrix& sum : sums) add_bits(out, sum.reshaped());
  return out;
}

Bits product_bits(const BackendCase& of, std::size_t kind, Compute& compute) {
  const Chunk chunk = test::case_chunk(of, kind);
  Bits out;
  for (const ChunkView& view : chunk.views) {
    const DataBlock data(view.block);
    for (const Index rank : {1, 9, 130}) {
      const Matrix U = test::random_matrix(data.cols(), rank, 3);
      Matrix product(data.rows(), rank);
      data.times(U, product, compute);
      add_bits(out, product.reshaped());
      NarrowMatrix narrow(data.rows(), rank);
      data.times(NarrowMatrix(U.cast<float>()), narrow, compute);
      add_bits(out, narrow.reshaped());
      Matrix sum = Matrix::Constant(data.cols(), rank, of.scale);
      data.add_transpose_times(product, sum, compute);
      add_bits(out, sum.reshaped());
    }
  }
  return out;
}

Bits row_bits(const BackendCase& of, std::size_t kind, bool listed, Compute& compute) {
  Compute plain(2);  // the tables are the same, whoever searches them
  const TableCase made(of, kind, listed, true, plain);
  Bits out;
  const auto search = [&](const Chunk& chunk, const RowSearch& how) {
    const PreparedChunk data(chunk);
    std::vector<NarrowMatrix> products;
    find_near(data, made.prototypes, 1, 0, plain, &products);
    const RowNeighbours found = find_rows(data, products, made.prototypes, made.table, how, compute);
    for (const NearRows& view : found.views) {
      add_bits(out, view.ids);
      add_bits(out, view.distances);
    }
    add_bits(out, found.whole.ids);
    add_bits(out, found.whole.distances);
    for (const std::vector<Index>& lists : found.lists) add_bits(out, lists);
  };
  search(test::case_chunk(of, kind + 2, 60), {.count = 7, .probes = 3, .whole = true});
  search(made.chunks[1], {.count = 40, .probes = 12, .apart = true, .whole = true, .own = of.rows});
  search(made.chunks[0], {.count = 100, .probes = 6, .own = 0});
  // As votes ask: the lists are given, and no prototypes.
  const Chunk chunk = test::case_chunk(of, kind + 2, 60);
  std::vector<Index> every(static_cast<std::size_t>(made.table.lists()));
  std::iota(every.begin(), every.end(), 0);
  const std::vector<std::vector<Index>> lists(static_cast<std::size_t>(chunk.size()), every);
  std::vector<NarrowMatrix> products;
  find_near(PreparedChunk(chunk), made.prototypes, 1, 0, plain, &products);
  const RowNeighbours found =
      find_rows(PreparedChunk(chunk), products, {}, made.table, {.count = 7, .whole = true, .lists = &lists}, compute);
  add_bits(out, found.whole.ids);
  add_bits(out, found.whole.distances);
  return out;
}

class OnACard : public testing::TestWithParam<Card> {
 protected:
  void SetUp() override {
    if (GetParam().pretended) {
      library_.emplace("OMVC_CUDA_LIBRARY", OMVC_PRETEND_CARD);
    } else if (std::getenv("OMVC_TEST_CARD") == nullptr) {
      GTEST_SKIP() << "no card: OMVC_TEST_CARD=1 says that there is one";
    }
    card_.hold_backend(std::make_shared<CudaBackend>(CudaUse{.everything = true}));
  }
  void TearDown() override {
    if (card_.backend() != nullptr && !HasFatalFailure()) {
      EXPECT_NE(card_.backend()->name().find("cuda:0"), std::string::npos) << card_.backend()->name();
      EXPECT_EQ(card_.backend()->warning(), "");
    }
  }

  std::optional<TemporaryEnvironment> library_;
  Compute card_{2};
  Compute processors_{2};
};

TEST_P(OnACard, PrototypesSumsAndProductsHaveTheBitsOfProcessors) {
  for (const BackendCase& of : test::backend_cases()) {
    for (std::size_t kind = 0; kind < 4; ++kind) {
      SCOPED_TRACE(of.name + ", first view of kind " + std::to_string(kind));
      EXPECT_EQ(near_bits(of, kind, card_), near_bits(of, kind, processors_));
      EXPECT_EQ(sum_bits(of, kind, card_), sum_bits(of, kind, processors_));
      EXPECT_EQ(product_bits(of, kind, card_), product_bits(of, kind, processors_));
    }
  }
}

TEST_P(OnACard, RowsHaveTheBitsOfProcessors) {
  for (const BackendCase& of : test::backend_cases()) {
    if (of.rows > 200) continue;
    for (std::size_t kind = 0; kind < 4; ++kind) {
      for (const bool listed : {false, true}) {
        SCOPED_TRACE(of.name + (listed ? ", in lists" : ", in one list") + ", kind " + std::to_string(kind));
        EXPECT_EQ(row_bits(of, kind, listed, card_), row_bits(of, kind, listed, processors_));
      }
    }
  }
}

// Wider and longer than the tiles that a card works in, and no multiple of them.
TEST_P(OnACard, ManyRowsHaveTheBitsOfProcessors) {
  const Index rows = GetParam().pretended ? 300 : 70001;
  for (const bool integers : {false, true}) {
    const BackendCase of{
        .name = "", .rows = rows, .features = {129, 260, 31}, .prototypes = 257, .wanted = 6, .integers = integers};
    for (const std::size_t kind : {0U, 3U}) {
      EXPECT_EQ(near_bits(of, kind, card_), near_bits(of, kind, processors_));
      EXPECT_EQ(sum_bits(of, kind, card_), sum_bits(of, kind, processors_));
    }
    BackendCase fewer = of;
    fewer.rows = GetParam().pretended ? 150 : 3001;
    for (const bool listed : {false, true}) {
      EXPECT_EQ(row_bits(fewer, 0, listed, card_), row_bits(fewer, 0, listed, processors_));
    }
  }
}

TEST_P(OnACard, ThreadsShareIt) {
  const BackendCase of{.name = "", .rows = 130, .features = {40, 33}, .prototypes = 30, .wanted = 5, .integers = false};
  const Bits right = near_bits(of, 0, processors_);
  std::vector<Bits> found(12);
  card_.run(static_cast<std::int64_t>(found.size()), [&](std::int64_t i) {
    Compute own(1);
    own.set_backend(card_.backend());
    found[static_cast<std::size_t>(i)] = near_bits(of, 0, own);
  });
  for (const Bits& bits : found) EXPECT_EQ(bits, right);
}

INSTANTIATE_TEST_SUITE_P(Device, OnACard, testing::Values(Card{"Pretended", true}, Card{"Real", false}),
                         [](const auto& card) { return std::string(card.param.name); });

const BackendCase kSmall{.name = "", .rows = 40, .features = {6, 30}, .prototypes = 9, .wanted = 5, .integers = false};

class FailingCard : public testing::Test {
 protected:
  TemporaryEnvironment library_{"OMVC_CUDA_LIBRARY", OMVC_PRETEND_CARD};
  Compute processors_{1};
};

// `auto` goes on with processors, with the same bits, and says so.
TEST_F(FailingCard, NothingIsLostWhereNobodyAskedForIt) {
  for (const char* how : {"lost:1", "lost:3", "memory:2"}) {
    SCOPED_TRACE(how);
    const TemporaryEnvironment pretend("OMVC_PRETEND", how);
    Compute compute(1);
    const auto card = std::make_shared<CudaBackend>(CudaUse{.fall_back = true, .everything = true});
    compute.hold_backend(card);
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(near_bits(kSmall, 0, compute), near_bits(kSmall, 0, processors_));
      EXPECT_EQ(sum_bits(kSmall, 0, compute), sum_bits(kSmall, 0, processors_));
      EXPECT_EQ(product_bits(kSmall, 1, compute), product_bits(kSmall, 1, processors_));
      EXPECT_EQ(row_bits(kSmall, 0, true, compute), row_bits(kSmall, 0, true, processors_));
    }
    EXPECT_NE(card->warning().find("processors did the rest"), std::string::npos) << card->warning();
  }
}

// Nor is it where there is a library and no card, which the report says.
TEST_F(FailingCard, ThatIsNotThereIsNamedByTheReport) {
  const TemporaryEnvironment pretend("OMVC_PRETEND", "no-device");
  Compute compute(1);
  const auto card = std::make_shared<CudaBackend>(CudaUse{.fall_back = true, .everything = true});
  compute.hold_backend(card);
  EXPECT_EQ(near_bits(kSmall, 0, compute), near_bits(kSmall, 0, processors_));
  EXPECT_NE(card->name().find("there is no card"), std::string::npos) << card->name();
  EXPECT_EQ(card->warning(), "");
}

// Who asked for the card is told what to do.
TEST_F(FailingCard, IsAnErrorWhereItWasAskedFor) {
  for (const auto& [how, word] : {std::pair("lost:2", "--device cpu"), std::pair("memory:2", "--device-memory")}) {
    const TemporaryEnvironment pretend("OMVC_PRETEND", how);
    Compute compute(1);
    compute.hold_backend(std::make_shared<CudaBackend>(CudaUse{.everything = true}));
    test::expect_error(ErrorKind::numerical, {"the card", word}, [&] {
      for (int again = 0; again < 3; ++again) near_bits(kSmall, 0, compute);
    });
  }
}

TEST(ChooseDevice, WhatCannotBeHadIsSaid) {
  const auto choose = [](const std::string& device) {
    Options options;
    options.device = device;
    return make_backend(options);
  };
  test::expect_error(ErrorKind::usage, {"device = 'gpu'", "cuda:1"}, [&] { choose("gpu"); });
  test::expect_error(ErrorKind::usage, {"device = 'cuda:'"}, [&] { choose("cuda:"); });
  test::expect_error(ErrorKind::usage, {"device = 'cuda:-1'"}, [&] { choose("cuda:-1"); });
  EXPECT_EQ(choose("cpu"), nullptr);
  {
    const TemporaryEnvironment nowhere("OMVC_CUDA_LIBRARY", "/nowhere/libomvc_cuda.so");
    EXPECT_EQ(choose("auto"), nullptr);
    test::expect_error(ErrorKind::usage, {"device = cuda", "/nowhere", "device cpu"}, [&] { choose("cuda"); });
  }
  const TemporaryEnvironment library("OMVC_CUDA_LIBRARY", OMVC_PRETEND_CARD);
  test::expect_error(ErrorKind::usage, {"there is no card"}, [&] { choose("cuda:3"); });
  {
    const TemporaryEnvironment pretend("OMVC_PRETEND", "no-device");
    test::expect_error(ErrorKind::usage, {"there is no card", "device cpu"}, [&] { choose("cuda"); });
  }
  EXPECT_NE(choose("cuda"), nullptr);
  EXPECT_NE(choose("auto"), nullptr);
}

TEST(ChooseDevice, ALibraryOfAnotherVersionIsNamed) {
  const TemporaryEnvironment pretend("OMVC_PRETEND", "abi");
  const TemporaryEnvironment library(
      "OMVC_CUDA_LIBRARY",
      std::filesystem::path(OMVC_PRETEND_CARD).parent_path().string() + "/./" +
          std::filesystem::path(OMVC_PRETEND_CARD).filename().string());  // not loaded yet by this name
  Options options;
  options.device = "cuda";
  test::expect_error(ErrorKind::usage, {"device = cuda", "another version"}, [&] { make_backend(options); });
}

TEST(ChooseDevice, FastIsForThoseWhoAskForACard) {
  Options options;
  options.fast = true;
  test::expect_error(ErrorKind::usage, {"option fast needs device cuda"}, [&] { check_device(options); });
}

}  // namespace
}  // namespace omvc
