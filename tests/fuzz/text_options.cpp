// A view as text, read as the first byte says: with each of the options that tell what the text does not show.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("view.csv");
  if (size == 0) return 0;
  const unsigned choice = data[0];
  omvc::InputOptions options;
  if ((choice & 1u) != 0) options.text.separator = (choice & 2u) != 0 ? "semicolon" : ",";
  if ((choice & 4u) != 0) options.text.decimal = (choice & 8u) != 0 ? "," : ".";
  if ((choice & 16u) != 0) options.text.header = (choice & 32u) != 0 ? "yes" : "no";
  if ((choice & 64u) != 0) {
    options.text.missing_values = {"x", "-9"};
    options.text.drop = {"b*"};
  }
  if ((choice & 128u) != 0) {
    options.id_column = {"none"};
    options.like.views = {{"view", 3, {"a", "b=x", "b=y"}}};
  }
  omvc::fuzz::read_twice({file.write(omvc::fuzz::as_text(data + 1, size - 1))}, options);
  return 0;
}
