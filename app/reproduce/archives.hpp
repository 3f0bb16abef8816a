// Data sets of the literature as their archives unpack, each a folder, for `omvc convert --from`. They are read by name
// only, since nothing in the folder tells what it is.
//
//   mfeat-uci     Multiple Features: mfeat-fou, -fac, -kar, -pix and -zer, text; ten classes, one after another,
//                 equally large.
//   reuters-uci   Reuters RCV1/RCV2 multilingual: folders EN FR GR IT SP, a view each, with files Index_XX-YY of the
//                 documents written in XX and translated to YY, YY being the folder; svmlight with the class as label.
//                 The documents of all five languages follow on each other.
//   webkb-uci     course-cotrain-data: folders fulltext and inlinks, each with course and non-course, one file a page,
//                 of the same name in both. Counts of words.
//   youtube-uci   YouTube Multiview Video Games: vision_cuboids_histogram, audio_mfcc and text_game_lda_1000 in
//                 svmlight, for train, validation and test, which follow on each other. Joined by the ids in "#I" lines
//                 where there are any, since videos lack feature families.
//
// All of them are read into memory whole.
#pragma once

#include <string>
#include <vector>

#include "omvc/input.hpp"

namespace omvc::app {

bool is_archive_name(const std::string& format);

// `paths` has to be one folder. Throws ErrorKind::data naming what is missing in it.
Input open_archive(const std::string& format, const std::vector<std::string>& paths);

Input open_mfeat(const std::string& folder);
Input open_reuters(const std::string& folder);
Input open_webkb(const std::string& folder);
Input open_youtube(const std::string& folder);

}  // namespace omvc::app
