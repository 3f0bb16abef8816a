// Labels, orders and presence: the same bytes read as each of them.
#include <algorithm>

#include "fuzz.hpp"

namespace {

template <class Read>
auto read_or_refuse(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const omvc::Error&) {
    return std::nullopt;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using omvc::fuzz::require;
  static omvc::fuzz::InputFile file("side.txt");
  const std::string& path = file.write(omvc::fuzz::as_text(data, size));
  const auto labels = read_or_refuse([&] { return omvc::read_labels(path); });
  require(!labels || !labels->empty(), "there are labels");
  auto order = read_or_refuse([&] { return omvc::read_order(path); });
  if (order) {
    std::sort(order->begin(), order->end());
    for (std::size_t i = 0; i < order->size(); ++i) {
      require((*order)[i] == static_cast<omvc::Index>(i), "an order holds every row once");
    }
  }
  for (const omvc::Index views : {1, 2}) {
    const auto present = read_or_refuse([&] { return omvc::read_presence(path, views); });
    require(!present || present->size() % static_cast<std::size_t>(views) == 0, "presence has whole rows");
  }
  return 0;
}
