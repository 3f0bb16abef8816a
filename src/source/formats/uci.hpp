// Data sets of the literature as their archives unpack, each a folder. They are read by name only
// (InputOptions::format), since nothing in the folder tells what it is.
//
//   mfeat-uci     Multiple Features: mfeat-fou, -fac, -kar, -pix and -zer, text; ten classes, one after another,
//   equally
//                 large. Streamed.
//   reuters-uci   Reuters RCV1/RCV2 multilingual: folders EN FR GR IT SP, a view each, with files Index_XX-YY of the
//                 documents written in XX and translated to YY, YY being the folder; svmlight with the class as label.
//                 The documents of all five languages follow on each other. Streamed.
//   webkb-uci     course-cotrain-data: folders fulltext and inlinks, each with course and non-course, one file a page,
//                 of the same name in both. Counts of words. In memory.
//   youtube-uci   YouTube Multiview Video Games: vision_cuboids_histogram, audio_mfcc and text_game_lda_1000 in
//                 svmlight, for train, validation and test, which follow on each other. Joined by the ids in "#I" lines
//                 where there are any, since videos lack feature families. Streamed as join.hpp says.
//
// Throws ErrorKind::data naming what is missing in the folder.
#pragma once

#include <string>

#include "omvc/input.hpp"

namespace omvc {

Input open_mfeat_uci(const std::string& folder, const InputOptions& options);
Input open_reuters_uci(const std::string& folder, const InputOptions& options);
Input open_webkb_uci(const std::string& folder, const InputOptions& options);
Input open_youtube_uci(const std::string& folder, const InputOptions& options);

}  // namespace omvc
