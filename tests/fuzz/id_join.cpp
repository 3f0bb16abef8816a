// Two text views whose first column names the samples: the bytes before the first 0xFF and those after it.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile one("one.csv");
  static omvc::fuzz::InputFile two("two.csv");
  const std::string_view bytes = omvc::fuzz::as_text(data, size);
  const std::size_t cut = std::min(bytes.find('\xFF'), bytes.size());
  omvc::InputOptions options;
  options.id_column = {"1"};
  options.allow_disjoint = true;
  omvc::fuzz::read_twice(
      {one.write(bytes.substr(0, cut)), two.write(cut == bytes.size() ? std::string_view() : bytes.substr(cut + 1))},
      options);
  return 0;
}
