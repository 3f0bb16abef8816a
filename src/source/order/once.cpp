#include <utility>

#include "omvc/source.hpp"

namespace omvc {
namespace {

class OnceSource : public Source {
 public:
  explicit OnceSource(std::unique_ptr<Source> source) : source_(std::move(source)) { source_->rewind(); }
  const Schema& schema() const override { return source_->schema(); }
  std::optional<Chunk> next(Index max_rows) override { return source_->next(max_rows); }
  Delivery begin_next(Index max_rows) override { return source_->begin_next(max_rows); }
  bool rewind() override { return false; }
  std::vector<std::string> ids(Index first, Index count) override { return source_->ids(first, count); }

 private:
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Source> make_once_source(std::unique_ptr<Source> source) {
  return std::make_unique<OnceSource>(std::move(source));
}

}  // namespace omvc
