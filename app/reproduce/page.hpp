// The page of a study: headings, paragraphs, tables and pictures, written as Markdown and as HTML.
#pragma once

#include <string>
#include <vector>

namespace omvc::app {

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void list(const std::vector<std::string>& items);
  void table(const std::vector<std::vector<std::string>>& rows);  // the first row is the head
  void picture(const std::string& file, const std::string& caption);

  std::string markdown() const { return "# " + title_ + "\n" + markdown_; }
  std::string html() const;

 private:
  std::string title_;
  std::string markdown_;
  std::string html_;
};

}  // namespace omvc::app
