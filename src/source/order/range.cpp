#include <algorithm>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "source/max_rows.hpp"
#include "source/two_steps.hpp"

namespace omvc {
namespace {

class RangeSource final : public Source {
 public:
  RangeSource(Source& source, Index first, Index count)
      : source_(source), first_(first), count_(count), again_(source.rewind()) {}

  const Schema& schema() const override { return source_.schema(); }
  std::optional<Index> size() const override { return count_; }
  std::vector<std::string> ids(Index first, Index count) override { return source_.ids(first, count); }

  std::optional<Chunk> next(Index max_rows) override { return read_at_once(*this, max_rows); }

  Delivery begin_next(Index max_rows) override {
    check_max_rows(max_rows);
    if (done_ == count_) return {};
    if (done_ == 0) source_.skip(first_);
    Delivery delivery = source_.begin_next(std::min(max_rows, count_ - done_));
    done_ += delivery.rows;
    return delivery;
  }

  bool rewind() override {
    done_ = 0;
    return again_ && source_.rewind();
  }

 private:
  Source& source_;
  Index first_;
  Index count_;
  Index done_ = 0;
  bool again_;
};

}  // namespace

void Source::skip(Index rows) {
  constexpr Index kAtOnce = 256;
  while (rows > 0) {
    const std::optional<Chunk> chunk = next(std::min(rows, kAtOnce));
    if (!chunk) return;
    rows -= chunk->size();
  }
}

Source::Delivery Source::begin_next(Index max_rows) {
  constexpr int kMostEmpty = 1'000'000;  // one after the other, after which nothing is likely to come
  std::optional<Chunk> chunk = next(max_rows);
  for (int empty = 0; chunk && chunk->size() == 0; chunk = next(max_rows)) {
    if (++empty < kMostEmpty) continue;
    throw Error(ErrorKind::data, "the source delivers empty chunks without end: return nothing where the data end");
  }
  if (!chunk) return {};
  const Index rows = chunk->size();
  return {rows, [held = std::make_shared<Chunk>(std::move(*chunk))] { return std::move(*held); }};
}

std::unique_ptr<Source> make_range_source(Source& source, Index first, Index count) {
  return std::make_unique<RangeSource>(source, first, count);
}

}  // namespace omvc
