#include "reproduce/page.hpp"

#include <fmt/format.h>

#include "reproduce/plot.hpp"

namespace omvc::app {
namespace {

constexpr const char* kStyle =
    "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em;line-height:1.4}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.2em .6em;text-align:right}"
    "td:first-child,th{text-align:left}img{max-width:34em}";

}  // namespace

void Page::heading(const std::string& text) {
  markdown_ += fmt::format("\n## {}\n", text);
  html_ += fmt::format("<h2>{}</h2>\n", escape_xml(text));
}

void Page::paragraph(const std::string& text) {
  markdown_ += fmt::format("\n{}\n", text);
  html_ += fmt::format("<p>{}</p>\n", escape_xml(text));
}

void Page::list(const std::vector<std::string>& items) {
  markdown_ += "\n";
  html_ += "<ul>\n";
  for (const std::string& item : items) {
    markdown_ += fmt::format("- {}\n", item);
    html_ += fmt::format("<li>{}</li>\n", escape_xml(item));
  }
  html_ += "</ul>\n";
}

void Page::table(const std::vector<std::vector<std::string>>& rows) {
  markdown_ += "\n";
  html_ += "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    markdown_ += "|";
    html_ += "<tr>";
    for (const std::string& cell : rows[i]) {
      markdown_ += fmt::format(" {} |", cell);
      html_ += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : "td", escape_xml(cell));
    }
    markdown_ += "\n";
    html_ += "</tr>\n";
    if (i > 0) continue;
    markdown_ += "|";
    for (std::size_t j = 0; j < rows[0].size(); ++j) markdown_ += " --- |";
    markdown_ += "\n";
  }
  html_ += "</table>\n";
}

void Page::picture(const std::string& file, const std::string& caption) {
  markdown_ += fmt::format("\n![{}]({})\n", caption, file);
  html_ += fmt::format("<p><img src=\"{0}\" alt=\"{1}\"></p>\n", escape_xml(file), escape_xml(caption));
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{0}</title><style>{1}</style></head>\n"
      "<body>\n<h1>{0}</h1>\n{2}</body>\n</html>\n",
      escape_xml(title_), kStyle, html_);
}

}  // namespace omvc::app
