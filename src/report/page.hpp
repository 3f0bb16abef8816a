// The page as text: the template of src/report/page, with its facts inside.
#pragma once

#include <string>

namespace omvc {

// `facts` is JSON. Nothing in it can end the element that holds it, whatever the names of features are.
std::string page_text(const std::string& title, const std::string& facts);

}  // namespace omvc
