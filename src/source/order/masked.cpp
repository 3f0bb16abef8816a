#include <algorithm>
#include <fmt/core.h>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "source/two_steps.hpp"

namespace omvc {
namespace {

class MaskedSource final : public Source {
 public:
  MaskedSource(std::unique_ptr<Source> source, std::vector<bool> present, std::string name)
      : source_(std::move(source)), present_(std::move(present)), name_(std::move(name)) {
    const std::size_t views = source_->schema().views.size();
    if (views == 0 || present_.size() % views != 0) {
      throw Error(ErrorKind::data, fmt::format("{} has {} entries, which is not a multiple of the {} views", name_,
                                               present_.size(), views));
    }
    mask_rows_ = static_cast<Index>(present_.size() / views);
    if (const auto size = source_->size(); size && *size != mask_rows_) fail_rows(*size);
  }

  const Schema& schema() const override { return source_->schema(); }
  std::optional<Index> size() const override { return source_->size(); }
  std::vector<std::string> ids(Index first, Index count) override { return source_->ids(first, count); }

  std::optional<Chunk> next(Index max_rows) override { return read_at_once(*this, max_rows); }

  Delivery begin_next(Index max_rows) override {
    Delivery delivery = source_->begin_next(max_rows);
    if (delivery.rows == 0 && delivered_ != mask_rows_) fail_rows(delivered_);
    delivered_ += delivery.rows;
    return then(std::move(delivery), [this](Chunk chunk) {
      for (std::size_t v = 0; v < chunk.views.size(); ++v) {
        chunk.views[v] = keep_instances(std::move(chunk.views[v]), column(chunk.rows, v));
      }
      return chunk;
    });
  }

  void skip(Index rows) override {
    source_->skip(rows);
    delivered_ = std::min(delivered_ + rows, mask_rows_);
  }

  bool rewind() override {
    if (!source_->rewind()) return false;
    delivered_ = 0;
    return true;
  }

 private:
  [[noreturn]] void fail_rows(Index rows) const {
    throw Error(ErrorKind::data, fmt::format("{} has {} rows, the data have {}; it needs one row for every "
                                             "instance, in the order of the file",
                                             name_, mask_rows_, rows));
  }

  // What the mask says about one view of these rows.
  std::vector<bool> column(const std::vector<Index>& rows, std::size_t view) const {
    const std::size_t views = schema().views.size();
    std::vector<bool> keep;
    keep.reserve(rows.size());
    for (const Index row : rows) {
      if (row < 0 || row >= mask_rows_) {
        throw Error(ErrorKind::data, fmt::format("{} has {} rows, so it says nothing about row {} of the data; it "
                                                 "needs one row for every instance, in the order of the file",
                                                 name_, mask_rows_, row));
      }
      keep.push_back(present_[static_cast<std::size_t>(row) * views + view]);
    }
    return keep;
  }

  std::unique_ptr<Source> source_;
  std::vector<bool> present_;
  std::string name_;
  Index mask_rows_ = 0;
  Index delivered_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_masked_source(std::unique_ptr<Source> source, std::vector<bool> present,
                                           std::string name) {
  return std::make_unique<MaskedSource>(std::move(source), std::move(present), std::move(name));
}

}  // namespace omvc
