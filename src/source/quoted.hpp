// Text of users in messages.
#pragma once

#include <string>
#include <string_view>

namespace omvc {

// The text as it appears in a message: quoted, cut if long, control characters and what is not UTF-8 replaced.
std::string quoted(std::string_view text);

}  // namespace omvc
