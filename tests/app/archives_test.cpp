// The raw archives, as small folders in the same layout.
#include "reproduce/archives.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/input.hpp"

#include "app/command.hpp"
#include "support/chunks.hpp"
#include "support/data.hpp"
#include "support/temp_dir.hpp"

namespace omvc::app {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;
using Names = std::vector<std::string>;

class Archives : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(dir_.path(name)).parent_path());
    dir_.write_file(name, content);
  }
  Input open(const std::string& format) const { return open_archive(format, {dir_.path("")}); }
  static std::vector<Rows> read(Source& source) {
    const Chunk chunk = read_all(source);
    std::vector<Rows> views;
    for (const ChunkView& view : chunk.views) views.push_back(dense_rows(view, chunk.size()));
    return views;
  }

  test::TempDir dir_;
};

Names view_names(const Input& input) {
  Names names;
  for (const ViewSchema& view : input.source->schema().views) names.push_back(view.name);
  return names;
}

TEST_F(Archives, ReutersHasAViewForEveryLanguageAndTheDocumentsOfAllFive) {
  // A document of source language s in view language v has the value 10 s + v; German has two documents.
  const Names languages{"EN", "FR", "GR", "IT", "SP"};
  for (std::size_t v = 0; v < 5; ++v) {
    for (std::size_t s = 0; s < 5; ++s) {
      const std::string value = std::to_string(10 * s + v + 100);
      const std::string last = std::to_string(v + 2);
      write(languages[v] + "/Index_" + languages[s] + "-" + languages[v],
            s == 2 ? "C15 1:" + value + " \nGCAT " + last + ":1 \n" : "M11 1:" + value + " \n");
    }
  }
  const Input input = open("reuters-uci");
  EXPECT_EQ(view_names(input), languages);
  EXPECT_EQ(input.source->size(), 6);
  EXPECT_EQ(input.truth, (std::vector<int>{0, 0, 1, 2, 0, 0}));
  const std::vector<Rows> views = read(*input.source);
  for (std::size_t v = 0; v < 5; ++v) {
    ASSERT_EQ(views[v].size(), 6u);
    const std::vector<std::size_t> source_of_row{0, 1, 2, 2, 3, 4};
    for (std::size_t row = 0; row < 6; ++row) {
      std::vector<double> expected(v + 2);
      if (row == 3) {
        expected.back() = 1;
      } else {
        expected[0] = static_cast<double>(10 * source_of_row[row] + v + 100);
      }
      EXPECT_EQ(views[v][row], expected) << v << " " << row;
    }
  }
  std::filesystem::remove(dir_.path("GR/Index_IT-GR"));
  expect_error(ErrorKind::data, {"GR/Index_IT-GR", "no such file"}, [&] { open("reuters-uci"); });
}

TEST_F(Archives, YoutubeIsJoinedByTheIdsOfItsVideos) {
  for (const std::string split : {"train", "validation", "test"}) {
    const std::string label = split == "train" ? "1" : "31";
    write("dir_data/" + split + "/vision_cuboids_histogram.txt",
          "#I 5\n" + label + " 1:1 2:1\n#I 8\n" + label + " 2:2\n");
    write("dir_data/" + split + "/audio_mfcc.txt", "# sparse\n#I 8\n" + label + " 1:3\n");
    write("dir_data/" + split + "/text_game_lda_1000.txt", "#I 9\n7 1:4\n#I 5\n" + label + " 1:5\n");
    write("dir_data/" + split + "/text_description_unigrams.txt", "not read");
  }
  const Input input = open("youtube-uci");
  EXPECT_EQ(view_names(input), (Names{"vision_cuboids_histogram", "audio_mfcc", "text_game_lda_1000"}));
  ASSERT_EQ(input.source->size(), 9);
  EXPECT_EQ(input.source->ids(0, 9), (Names{"train/5", "train/8", "validation/5", "validation/8", "test/5", "test/8",
                                            "train/9", "validation/9", "test/9"}));
  EXPECT_EQ(input.truth, (std::vector<int>{1, 1, 31, 31, 31, 31, 7, 7, 7}));
  const std::vector<Rows> views = read(*input.source);
  EXPECT_EQ(views[0], (Rows{{1, 1}, {0, 2}, {1, 1}, {0, 2}, {1, 1}, {0, 2}, {}, {}, {}}));
  EXPECT_EQ(views[1], (Rows{{}, {3}, {}, {3}, {}, {3}, {}, {}, {}}));
  EXPECT_EQ(views[2], (Rows{{5}, {}, {5}, {}, {5}, {}, {4}, {4}, {4}}));

  write("dir_data/train/audio_mfcc.txt", "#I 8\n1 1:3\n#I 9\n1 1:3\n#I 8\n1 1:3\n");
  expect_error(ErrorKind::data, {"train/audio_mfcc.txt:6", "'train/8'", "train/audio_mfcc.txt:2"},
               [&] { open("youtube-uci"); });
  write("dir_data/train/audio_mfcc.txt", "#I 8\n1 1:3\n1 1:3\n");
  expect_error(ErrorKind::data, {"audio_mfcc", "3 of 4", "#I"}, [&] { open("youtube-uci"); });
  std::filesystem::remove(dir_.path("dir_data/test/audio_mfcc.txt"));
  expect_error(ErrorKind::data, {"no test file", "audio_mfcc"}, [&] { open("youtube-uci"); });
}

TEST_F(Archives, YoutubeWithoutIdsIsJoinedByRow) {
  for (const std::string view : {"vision_cuboids_histogram", "audio_mfcc", "text_game_lda_1000"}) {
    for (const std::string split : {"train", "validation", "test"}) write(view + "_" + split + ".txt", "3 1:1\n");
  }
  const Input input = open("youtube-uci");
  EXPECT_EQ(read(*input.source), (std::vector<Rows>(3, Rows{{1}, {1}, {1}})));
  EXPECT_EQ(input.truth, (std::vector<int>{3, 3, 3}));
  EXPECT_TRUE(input.source->ids(0, 3).empty());
}

TEST_F(Archives, MfeatHasTenEqualClasses) {
  std::string rows;
  for (int i = 0; i < 20; ++i) rows += std::to_string(i) + "  1\n";
  for (const char* view : {"fou", "fac", "kar", "pix", "zer", "mor"}) write(std::string("mfeat-") + view, rows);
  const Input input = open("mfeat-uci");
  EXPECT_EQ(view_names(input), (Names{"mfeat-fou", "mfeat-fac", "mfeat-kar", "mfeat-pix", "mfeat-zer"}));
  ASSERT_TRUE(input.truth);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ((*input.truth)[i], static_cast<int>(i / 2));
  EXPECT_EQ(read(*input.source)[4][7], (std::vector<double>{7, 1}));
  write("mfeat-fou", "1 1\n2 1\n");
  expect_error(ErrorKind::data, {"mfeat-fou", "2 lines"}, [&] { open("mfeat-uci"); });
  std::filesystem::remove(dir_.path("mfeat-pix"));
  expect_error(ErrorKind::data, {"mfeat-pix"}, [&] { open("mfeat-uci"); });
}

TEST_F(Archives, MfeatIsTheDigitDataSet) {
  OMVC_NEED_DATA("digit/mfeat-fou");
  const Input input = open_archive("mfeat-uci", {test::data_path("digit")});
  EXPECT_EQ(input.truth, read_labels(test::data_path("digit/labels.txt")));
}

TEST_F(Archives, WebkbCountsTheWordsOfPagesAndLinks) {
  write("fulltext/course/a^1.html",
        "Date: Thu, 07 Nov 1996\r\nServer: NCSA\r\n\r\n<title lang=x>Home WORK</title>work &nbsp; a I <!-- > hidden "
        "--> zoo");
  write("fulltext/non-course/b.html", "home zoo\xE9zoo date <br");
  write("inlinks/course/a^1.html", "the course");
  write("inlinks/non-course/b.html", "the dog");
  write("inlinks/non-course/c.html", "");
  const Input input = open("webkb-uci");
  const Schema& schema = input.source->schema();
  ASSERT_EQ(schema.views.size(), 2u);
  EXPECT_EQ(schema.views[0], (ViewSchema{"fulltext", 2, {"home", "zoo"}}));
  EXPECT_EQ(schema.views[1], (ViewSchema{"inlinks", 1, {"the"}}));
  EXPECT_EQ(input.source->ids(0, 3), (Names{"course/a^1.html", "non-course/b.html", "non-course/c.html"}));
  EXPECT_EQ(input.truth, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(read(*input.source), (std::vector<Rows>{{{1, 1}, {1, 2}, {}}, {{1}, {1}, {0}}}));
  std::filesystem::remove_all(dir_.path("inlinks/course"));
  expect_error(ErrorKind::data, {"inlinks/course", "webkb-uci"}, [&] { open("webkb-uci"); });
}

TEST_F(Archives, WebkbKeepsTheMostWidespreadWords) {
  // Word number i, in letters, is in pages 0 .. i % 5 + 1, so that words of the last kinds win.
  std::vector<std::string> pages(6);
  const auto word = [](int i) {
    std::string text(3, 'a');
    for (int k = 2; k >= 0; --k, i /= 26) text[static_cast<std::size_t>(k)] = static_cast<char>('a' + i % 26);
    return text;
  };
  for (int i = 0; i < 4000; ++i) {
    for (std::size_t page = 0; page <= static_cast<std::size_t>(i % 5 + 1); ++page) pages[page] += word(i) + " ";
  }
  for (std::size_t page = 0; page < 6; ++page) {
    write("fulltext/course/" + std::to_string(page), pages[page]);
    write("inlinks/course/" + std::to_string(page), "one link");
  }
  std::filesystem::create_directories(dir_.path("fulltext/non-course"));
  std::filesystem::create_directories(dir_.path("inlinks/non-course"));
  const Input input = open("webkb-uci");
  const Names& names = input.source->schema().views[0].feature_names;
  ASSERT_EQ(names.size(), 3000u);
  // 800 words of each kind: those in 6, 5 and 4 pages, and of those in 3 pages the first 600 of the alphabet.
  Names expected;
  for (int i = 0; i < 4000; ++i) {
    if (i % 5 >= 2 || (i % 5 == 1 && i / 5 < 600)) expected.push_back(word(i));
  }
  EXPECT_EQ(names, expected);
}

TEST_F(Archives, AreOneFolder) {
  const std::string file = dir_.write_file("a.csv", "1\n");
  expect_error(ErrorKind::io, {"a.csv", "not a folder"}, [&] { open_archive("mfeat-uci", {file}); });
  expect_error(ErrorKind::usage, {"webkb-uci", "only input"}, [&] { open_archive("webkb-uci", {file, file}); });
  EXPECT_TRUE(is_archive_name("reuters-uci"));
  EXPECT_FALSE(is_archive_name("reuters"));
  EXPECT_FALSE(is_archive_name(""));
}

TEST_F(Archives, ViewsThatDisagreeGiveNoClasses) {
  for (const std::string view : {"vision_cuboids_histogram", "audio_mfcc", "text_game_lda_1000"}) {
    for (const std::string split : {"train", "validation", "test"}) {
      write(view + "_" + split + ".txt", view == "audio_mfcc" && split == "test" ? "4 1:1\n" : "3 1:1 7:2\n");
    }
  }
  const Input input = open("youtube-uci");
  EXPECT_FALSE(input.truth);
  ASSERT_EQ(input.notes.size(), 1u);
  EXPECT_NE(input.notes[0].find("disagree"), std::string::npos);
  write("audio_mfcc_test.txt", "3 1:1\n3 2:1\n");
  expect_error(ErrorKind::data, {"audio_mfcc", "4 instances"}, [&] { open("youtube-uci"); });
  for (const std::string bad : {"3 1:x\n", "3 1\n", "1:1\n", "3 -1:2\n", "3 1:1 1:2\n", "3 1:inf\n"}) {
    write("audio_mfcc_test.txt", bad);
    expect_error(ErrorKind::data, {"audio_mfcc_test.txt:1"}, [&] { open("youtube-uci"); });
  }
}

TEST_F(Archives, PackedFilesAreReadAndTruncatedOnesRefused) {
  for (const std::string view : {"vision_cuboids_histogram", "audio_mfcc", "text_game_lda_1000"}) {
    for (const std::string split : {"train", "validation", "test"}) {
      dir_.write_gzip(view + "_" + split + ".txt.gz", "3 1:1\n2 2:5\n");
    }
  }
  EXPECT_EQ(open("youtube-uci").truth, (std::vector<int>{3, 2, 3, 2, 3, 2}));
  const std::string packed = test::read_bytes(dir_.path("audio_mfcc_test.txt.gz"));
  write("audio_mfcc_test.txt.gz", packed.substr(0, packed.size() - 9));
  expect_error(ErrorKind::data, {"audio_mfcc_test.txt.gz"}, [&] { open("youtube-uci"); });
}

TEST_F(Archives, AreConvertedByTheCommandAndReadByNothingElse) {
  std::string rows;
  for (int i = 0; i < 20; ++i) rows += std::to_string(i) + "  1\n";
  for (const char* view : {"fou", "fac", "kar", "pix", "zer"}) write(std::string("mfeat-") + view, rows);
  test::expect_failure({"fit", dir_.path(""), "-k", "3", "--format", "mfeat-uci"}, 2,
                       {"'mfeat-uci'", "omvc convert --from mfeat-uci"});
#ifdef OMVC_WITH_HDF5
  const std::string mudata = dir_.path("digit.h5mu");
  const test::Outcome done = test::run_command({"convert", "--from", "mfeat-uci", dir_.path(""), "-o", mudata});
  ASSERT_EQ(done.code, 0) << done.message();
  const Input input = open_input({mudata}, {.label_column = "truth"});
  EXPECT_EQ(view_names(input), (Names{"mfeat-fou", "mfeat-fac", "mfeat-kar", "mfeat-pix", "mfeat-zer"}));
  ASSERT_EQ(input.truth->size(), 20u);
  EXPECT_EQ(input.truth->back(), 9);
#endif
}

}  // namespace
}  // namespace omvc::app
