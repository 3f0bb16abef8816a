#include "report/page.hpp"

#include <string_view>

namespace omvc {

// Made by cmake/EmbedPage.cmake.
extern const char* const kPageTemplate;

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A script element ends at "</script" and changes its meaning at "<!--": without "<" it can do neither. In JSON it
// stands in strings only.
std::string without_tags(std::string_view facts) {
  std::string out;
  out.reserve(facts.size());
  for (const char c : facts) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string page_text(const std::string& title, const std::string& facts) {
  constexpr std::string_view kTitle = "{{title}}";
  constexpr std::string_view kFacts = "{{facts}}";
  const std::string_view page = kPageTemplate;
  const std::size_t at_title = page.find(kTitle);
  const std::size_t at_facts = page.find(kFacts);
  std::string out(page.substr(0, at_title));
  out += escaped(title);
  out += page.substr(at_title + kTitle.size(), at_facts - at_title - kTitle.size());
  out += without_tags(facts);
  out += page.substr(at_facts + kFacts.size());
  return out;
}

}  // namespace omvc
