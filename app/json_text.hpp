// JSON as text. Names need not be UTF-8, as JSON is: what is not becomes a replacement character.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace omvc::app {

inline std::string json_text(const nlohmann::json& value, int indent = 2) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace omvc::app
