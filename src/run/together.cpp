#include "run/together.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <thread>

#include "omvc/error.hpp"

#include "scale/survey_blocks.hpp"

namespace omvc {
namespace {

constexpr Index kNumbersAtOnce = 1 << 16;  // numbers of a row store that travel at a time, about

void append_number(std::string& bytes, Index number) {
  for (int byte = 0; byte < 8; ++byte)
    bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> 8 * byte));
}

Index read_number(std::string_view& bytes) {
  if (bytes.size() < 8) throw Error(ErrorKind::io, "a message of another process is cut short");
  std::uint64_t number = 0;
  for (std::size_t byte = 0; byte < 8; ++byte) {
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[byte])) << 8 * byte;
  }
  bytes.remove_prefix(8);
  return static_cast<Index>(number);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    append_number(bytes, static_cast<Index>(text.size()));
    bytes += text;
  }
  return bytes;
}

std::vector<std::string> split(std::string_view bytes) {
  std::vector<std::string> texts;
  while (!bytes.empty()) {
    const auto size = static_cast<std::size_t>(read_number(bytes));
    if (size > bytes.size()) throw Error(ErrorKind::io, "a message of another process is cut short");
    texts.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return texts;
}

}  // namespace

int Together::threads_of_all(int own) const {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(own, std::min(own * exchange_.beside(), cores));
}

void Together::agree(const std::function<void()>& work) {
  if (alone()) return work();
  std::string failure;  // kind and message
  try {
    work();
  } catch (const Error& error) {
    failure = std::string(1, static_cast<char>('0' + static_cast<int>(error.kind()))) + error.what();
  } catch (const std::exception& error) {
    failure = std::string(1, '0' + static_cast<char>(ErrorKind::io)) + error.what();
  }
  const std::vector<std::string> all = gather(failure);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    const std::string message = all[rank].substr(1);
    throw Error(static_cast<ErrorKind>(all[rank][0] - '0'),
                rank == 0 ? message : fmt::format("rank {} of {}: {}", rank, all.size(), message));
  }
}

void Together::reduce(const std::function<void(const std::string&)>& take, const std::function<std::string()>& give) {
  for (int step = 1; step < size(); step *= 2) {
    if (rank() % (2 * step) != 0) return exchange_.send(rank() - step, give());
    if (rank() + step < size()) take(exchange_.receive(rank() + step));
  }
}

std::string Together::broadcast(std::string mine) {
  int top = 1;
  while (top < size()) top *= 2;
  for (int step = top / 2; step > 0; step /= 2) {
    if (rank() % (2 * step) == step) {
      mine = exchange_.receive(rank() - step);
    } else if (rank() % (2 * step) == 0 && rank() + step < size()) {
      exchange_.send(rank() + step, mine);
    }
  }
  return mine;
}

std::vector<std::string> Together::gather_at_first(const std::string& mine) {
  std::vector<std::string> others;
  if (!first()) exchange_.send(0, mine);
  for (int other = 1; first() && other < size(); ++other) others.push_back(exchange_.receive(other));
  return others;
}

std::vector<std::string> Together::gather(const std::string& mine) {
  std::vector<std::string> all = gather_at_first(mine);
  if (!first()) return split(broadcast({}));
  all.insert(all.begin(), mine);
  broadcast(joined(all));
  return all;
}

bool Together::follow_each_other(Rows mine, Index instances) {
  std::string bytes;
  append_number(bytes, mine.first);
  append_number(bytes, mine.count);
  Index end = 0;
  for (const std::string& rows : gather(bytes)) {
    std::string_view rest(rows);
    const Index first = read_number(rest);
    const Index count = read_number(rest);
    if (count > 0 && first != end) return false;
    end += count;
  }
  return end == instances;
}

void Together::gather_rows(RowStore& store, Rows mine) {
  const Index width = store.width();
  const Index step = std::max<Index>(1, kNumbersAtOnce / width);
  std::vector<double> values;
  if (!first()) {
    for (Index row = mine.first; row < mine.first + mine.count; row += step) {
      const Index rows = std::min(step, mine.first + mine.count - row);
      values.resize(static_cast<std::size_t>(rows * width));
      store.read(row, rows, values.data());
      std::string bytes;
      append_number(bytes, row);
      append_number(bytes, rows);
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
      exchange_.send(0, bytes);
    }
    exchange_.send(0, {});
    return;
  }
  for (int other = 1; other < size(); ++other) {
    for (std::string bytes = exchange_.receive(other); !bytes.empty(); bytes = exchange_.receive(other)) {
      std::string_view rest(bytes);
      const Index row = read_number(rest);
      const Index rows = read_number(rest);
      if (row < 0 || rows < 1 || rest.size() != static_cast<std::size_t>(rows * width) * sizeof(double)) {
        throw Error(ErrorKind::io, fmt::format("rank {} sent rows that make no sense", other));
      }
      values.resize(static_cast<std::size_t>(rows * width));
      std::memcpy(values.data(), rest.data(), rest.size());
      std::vector<Index> numbers;
      std::vector<double> known;
      for (Index i = 0; i < rows; ++i) {
        const double* value = values.data() + i * width;
        if (value[0] != value[0]) continue;  // never written
        numbers.push_back(row + i);
        known.insert(known.end(), value, value + width);
      }
      store.write(numbers, known.data());
    }
  }
}

Rows part_of(Index instances, int rank, int size) {
  const Index blocks = (instances + SurveyBlocks::kRows - 1) / SurveyBlocks::kRows;
  const auto begin = [&](int part) {
    return std::min(instances, (blocks * part + size - 1) / size * SurveyBlocks::kRows);
  };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

}  // namespace omvc
