#include "source/rows/json_row.hpp"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <simdjson.h>
#include <vector>

#include "omvc/error.hpp"

#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::data, message); }

const char* kind_of(const element& value) {
  switch (value.type()) {
    case element_type::ARRAY:
      return "a list";
    case element_type::OBJECT:
      return "an object";
    case element_type::STRING:
      return "a text";
    case element_type::BOOL:
      return "true or false";
    case element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

double number_of(const element& value, std::string_view view) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  double number = 0;
  if (value.get_double().get(number) != simdjson::SUCCESS) {
    refuse(
        fmt::format("view {}: {} is where a number should be; a missing value is null", quoted(view), kind_of(value)));
  }
  return number;
}

std::string id_of(const element& value) {
  if (std::string_view text; value.get_string().get(text) == simdjson::SUCCESS) return json_string(text);
  if (std::int64_t number = 0; value.get_int64().get(number) == simdjson::SUCCESS) return std::to_string(number);
  if (std::uint64_t number = 0; value.get_uint64().get(number) == simdjson::SUCCESS) return std::to_string(number);
  refuse(fmt::format("the id is {}: give a text or a whole number", kind_of(value)));
}

// What simdjson has to say, for people.
std::string reason(simdjson::error_code code) {
  switch (code) {
    case simdjson::NUMBER_ERROR:
      return "a number is malformed or too large";
    case simdjson::DEPTH_ERROR:
      return "it is nested too deeply";
    case simdjson::UTF8_ERROR:
      return "it is not UTF-8";
    case simdjson::EMPTY:
      return "it is empty";
    default:
      break;
  }
  std::string text = simdjson::error_message(code);
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

struct JsonRows::Parser {
  simdjson::dom::parser json;
  std::vector<char> padded;  // simdjson reads some bytes beyond the line
  std::vector<double> values;
  std::vector<RowBuilder::Entry> entries;

  element parse(std::string_view line) {
    if (padded.size() < line.size() + simdjson::SIMDJSON_PADDING) {
      padded.assign(2 * line.size() + simdjson::SIMDJSON_PADDING, '\0');
    }
    if (!line.empty()) std::memcpy(padded.data(), line.data(), line.size());
    std::memset(padded.data() + line.size(), 0, simdjson::SIMDJSON_PADDING);
    element root;
    if (const auto code = json.parse(padded.data(), line.size(), false).get(root); code != simdjson::SUCCESS) {
      refuse("the line is not JSON: " + reason(code));
    }
    return root;
  }

  void read_view(std::string_view name, const element& value, RowBuilder& row) {
    if (value.is_null()) return;
    if (const simdjson::simdjson_result<simdjson::dom::array> list = value.get_array();
        list.error() == simdjson::SUCCESS) {
      const auto view = row.view(name, false);
      if (!view) return;
      values.clear();
      for (const element number : list.value_unsafe()) values.push_back(number_of(number, name));
      return row.add_dense(*view, values);
    }
    simdjson::dom::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      if (row.like().ignore_extra && !row.knows(name)) return;
      refuse(
          fmt::format("view {} is {}: give a list of numbers such as [0.2, 15], or an object of features and numbers "
                      "such as {{\"login\": 1, \"failed\": 2}}",
                      quoted(name), kind_of(value)));
    }
    // An empty object says nothing of what a new view is.
    if (object.size() == 0 && row.like().grows && !row.knows(name)) return;
    const auto view = row.view(name, true);
    if (!view) return;
    entries.clear();
    for (const auto [feature, number] : object) {
      const double entry = number_of(number, name);
      if (const auto place = row.feature(*view, feature)) {
        entries.emplace_back(static_cast<std::int32_t>(*place), entry);
      }
    }
    if (entries.empty() && object.size() > 0) return;  // of names alone that nobody knows: the row lacks the view
    row.add_entries(*view, entries);
  }
};

JsonRows::JsonRows() : parser_(std::make_unique<Parser>()) {}
JsonRows::~JsonRows() = default;

void JsonRows::read(std::string_view line, RowBuilder& row, std::string& id) {
  const element root = parser_->parse(line);
  simdjson::dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) {
    refuse(fmt::format("the line is {}: give an object with a key for each view", kind_of(root)));
  }
  bool named = false;  // two ids are as wrong as two views of one name
  for (const auto [key, value] : object) {
    if (key != "id") continue;
    if (named) refuse("the id comes twice");
    named = true;
    if (!value.is_null()) id = id_of(value);
  }
  for (const auto [key, value] : object) {
    if (key != "id") parser_->read_view(key, value, row);
  }
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    std::size_t length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    if (byte == '"' || byte == '\\') {
      out += {'\\', text[0]};
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else if (length > text.size() || !simdjson::validate_utf8(text.data(), length)) {
      out += "\xEF\xBF\xBD";
      length = 1;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out + "\"";
}

}  // namespace omvc
