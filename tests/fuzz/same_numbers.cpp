// The same numbers as text, NPY and AnnData: all readers must give the same instances, bit by bit. The bytes are the
// number of columns and then the values; a row whose first value is NaN is absent.
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/convert.hpp"
#include "omvc/sink.hpp"

#include "fuzz.hpp"

namespace {

using namespace omvc;

constexpr std::size_t kMostValues = 64;

struct Numbers {
  Index rows = 0;
  Index cols = 1;
  std::vector<double> values;
};

Numbers numbers_from(const std::uint8_t* data, std::size_t size) {
  Numbers out;
  if (size == 0) return out;
  out.cols = 1 + data[0] % 8;
  const std::size_t count = std::min((size - 1) / sizeof(double), kMostValues);
  out.rows = static_cast<Index>(count) / out.cols;
  out.values.resize(static_cast<std::size_t>(out.rows * out.cols));
  if (out.values.empty()) return out;
  std::memcpy(out.values.data(), data + 1, out.values.size() * sizeof(double));
  for (Index i = 0; i < out.rows; ++i) {
    double* row = out.values.data() + i * out.cols;
    const bool absent = std::isnan(row[0]);
    for (Index j = 0; j < out.cols; ++j) {
      if (absent) row[j] = std::numeric_limits<double>::quiet_NaN();
      if (!absent && !std::isfinite(row[j])) row[j] = 1.5;
    }
  }
  return out;
}

// Which instances are present, and their values.
struct Read {
  std::vector<Index> present;
  std::vector<double> values;
  bool operator==(const Read& other) const {
    return present == other.present && values.size() == other.values.size() &&
           (values.empty() || std::memcmp(values.data(), other.values.data(), values.size() * sizeof(double)) == 0);
  }
};

// Nothing is guessed: numbers may look like a header or like sample ids.
InputOptions plain() {
  InputOptions options;
  options.id_column = {"none"};
  options.text.separator = "comma";
  options.text.decimal = ".";
  options.text.header = "no";
  return options;
}

std::optional<Read> read(const std::string& path, const InputOptions& options = {}) {
  try {
    const Input input = open_input({path}, options);
    const Chunk all = read_all(*input.source);
    Read out{all.views[0].present, {}};
    if (const auto* block = std::get_if<DenseBlock<double>>(&all.views[0].block))
      out.values.assign(block->values.begin(), block->values.end());
    fuzz::require(out.values.size() >= out.present.size(), "float64 is read as float64");
    return out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TempDir dir;
  const Numbers numbers = numbers_from(data, size);
  if (numbers.rows == 0) return 0;
  std::string text;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    const bool last = static_cast<Index>(i + 1) % numbers.cols == 0;
    text += fmt::format("{}{}", numbers.values[i], last ? '\n' : ',');
  }
  const auto by_text = read(dir.write_file("x.csv", text), plain());
  const auto sink = make_embedding_sink(dir.path("x.npy"));
  const std::vector<int> labels(static_cast<std::size_t>(numbers.rows), 0);
  sink->write({0, labels, {numbers.values.data(), numbers.rows, numbers.cols}});
  sink->finish();
  if (!by_text) return 0;  // such as a column without any number
  fuzz::require(read(dir.path("x.npy")) == by_text, "NPY and text of the same numbers are the same data");
  const Input input = open_input({dir.path("x.npy")});
  write_mudata(*input.source, dir.path("x.h5ad"), {});
  fuzz::require(read(dir.path("x.h5ad")) == by_text, "AnnData and text of the same numbers are the same data");
  return 0;
}
