// Lines from a descriptor as they come: no line waits for the next one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace omvc::app {

class LineFeed {
 public:
  // Lines of more than `longest` bytes are not kept.
  LineFeed(int descriptor, std::size_t longest) : descriptor_(descriptor), longest_(longest) {}

  std::size_t longest() const { return longest_; }

  // Reads what is there, waiting for at least one byte. False at the end. Throws ErrorKind::io.
  bool read();

  struct Line {
    std::string_view text;  // without its end; valid until the next read()
    bool too_long = false;  // text is its beginning only
  };
  // The next line that is complete; after the end, what is left.
  std::optional<Line> next();

 private:
  int descriptor_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of what was not handed out,
  std::size_t scanned_ = 0;  // where the search for the end of the line goes on
  std::size_t end_ = 0;
  bool ended_ = false;
  bool skipping_ = false;  // the rest of a line that is too long
};

}  // namespace omvc::app
