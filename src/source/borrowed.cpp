#include "omvc/borrowed.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/two_steps.hpp"

namespace omvc {
namespace {

[[noreturn]] void refuse(const std::string& view, const std::string& reason) {
  throw Error(ErrorKind::data, fmt::format("view '{}': {}", view, reason));
}

Index number_at(const Numbers& numbers, Index i) {
  return std::visit([&](const auto& span) { return Index{span[static_cast<std::size_t>(i)]}; }, numbers);
}

Index count_of(const Numbers& numbers) {
  return std::visit([](const auto& span) { return static_cast<Index>(span.size()); }, numbers);
}

// Rows [first, last) as a block that refers to the lent memory where it can.
template <class T>
DenseBlock<T> block_of(const DenseRows<T>& X, Index first, Index last, const std::shared_ptr<const void>& owner,
                       const std::string&) {
  DenseBlock<T> block{.rows = last - first, .cols = X.cols, .values = {}};
  const auto size = static_cast<std::size_t>(block.rows * X.cols);
  if (X.col_step == 1 && X.row_step.value_or(X.cols) == X.cols) {
    block.values = Buffer<T>::borrow({X.data + first * X.cols, size}, owner);
    return block;
  }
  std::vector<T>& values = block.values.own();
  values.resize(size);
  for (Index i = 0; i < block.rows; ++i) {
    const T* row = X.data + (first + i) * X.row_step.value_or(X.cols);
    for (Index j = 0; j < X.cols; ++j) values[static_cast<std::size_t>(i * X.cols + j)] = row[j * X.col_step];
  }
  return block;
}

template <class T>
CsrBlock<T> block_of(const SparseRows<T>& X, Index first, Index last, const std::shared_ptr<const void>& owner,
                     const std::string& view) {
  CsrBlock<T> block;
  block.rows = last - first;
  block.cols = X.cols;
  const Index begin = number_at(X.offsets, first);
  // Somebody else may write to these numbers: each is read once, and what is used was checked.
  Index end = begin;
  for (Index i = first; i < last; ++i) {
    const Index next = number_at(X.offsets, i + 1);
    if (begin < 0 || next < end || next > count_of(X.columns)) {
      refuse(view,
             fmt::format("row {}: the offsets of its entries do not ascend from 0 to {}", i, count_of(X.columns)));
    }
    end = next;
    block.offsets.push_back(end - begin);
  }
  block.columns.resize(static_cast<std::size_t>(end - begin));
  for (std::size_t e = 0; e < block.columns.size(); ++e) {
    const Index column = number_at(X.columns, begin + static_cast<Index>(e));
    if (column < 0 || column >= X.cols) refuse(view, fmt::format("it has a column {} of {}", column, X.cols));
    block.columns[e] = static_cast<std::int32_t>(column);
  }
  block.values = Buffer<T>::borrow(
      X.values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), owner);
  return block;
}

template <class T>
void check_rows(const DenseRows<T>& X, const std::string& view) {
  if (X.rows < 0 || X.cols < 0 || (X.data == nullptr && X.rows * X.cols > 0)) refuse(view, "the array has no data");
}

template <class T>
void check_rows(const SparseRows<T>& X, const std::string& view) {
  if (X.cols > std::numeric_limits<std::int32_t>::max())
    refuse(view, "it has more columns than a sparse view can have");
  if (count_of(X.offsets) != X.rows + 1 || count_of(X.columns) != static_cast<Index>(X.values.size())) {
    refuse(view, fmt::format("{} rows need {} offsets, and there are {}; {} values need as many columns, and there are "
                             "{}",
                             X.rows, X.rows + 1, count_of(X.offsets), X.values.size(), count_of(X.columns)));
  }
}

class BorrowedSource final : public Source {
 public:
  BorrowedSource(Schema schema, std::vector<BorrowedView> views, Index instances, std::vector<std::string> ids)
      : schema_(std::move(schema)), views_(std::move(views)), instances_(instances), ids_(std::move(ids)) {
    if (views_.size() != schema_.views.size()) {
      throw Error(ErrorKind::data,
                  fmt::format("{} views were lent, the schema has {}", views_.size(), schema_.views.size()));
    }
    for (std::size_t v = 0; v < views_.size(); ++v) check(views_[v], schema_.views[v]);
    if (!ids_.empty() && static_cast<Index>(ids_.size()) != instances_) {
      throw Error(ErrorKind::data, fmt::format("there are {} ids for {} instances", ids_.size(), instances_));
    }
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return instances_; }
  std::vector<std::string> ids(Index first, Index count) override {
    const Index known = static_cast<Index>(ids_.size());
    return {ids_.begin() + std::min(first, known), ids_.begin() + std::min(first + count, known)};
  }

  std::optional<Chunk> next(Index max_rows) override { return read_at_once(*this, max_rows); }

  Delivery begin_next(Index max_rows) override {
    return deliver_range(next_, instances_, max_rows, views_.size(), [this](std::size_t v, Index first, Index count) {
      return read(views_[v], schema_.views[v].name, first, first + count);
    });
  }

  void skip(Index rows) override { next_ += std::min(rows, instances_ - next_); }

  bool rewind() override {
    next_ = 0;
    return true;
  }

 private:
  void check(const BorrowedView& view, const ViewSchema& schema) const {
    std::visit(
        [&](const auto& X) {
          check_rows(X, schema.name);
          if (X.cols != schema.features) {
            refuse(schema.name, fmt::format("it has {} features, and {} are expected", X.cols, schema.features));
          }
          const Index rows = view.instances ? static_cast<Index>(view.instances->size()) : instances_;
          if (X.rows != rows) refuse(schema.name, fmt::format("it has {} rows for {} instances", X.rows, rows));
        },
        view.rows);
    if (!view.instances) return;
    Index last = -1;
    for (const Index instance : *view.instances) {
      if (instance <= last || instance >= instances_) {
        refuse(schema.name, fmt::format("instance {} follows {}; they must ascend and lie in 0 .. {}", instance, last,
                                        instances_ - 1));
      }
      last = instance;
    }
  }

  static ChunkView read(const BorrowedView& view, const std::string& name, Index first, Index last) {
    Index begin = first;
    Index end = last;
    const auto place = [&](Index instance) {
      return std::lower_bound(view.instances->begin(), view.instances->end(), instance) - view.instances->begin();
    };
    if (view.instances) {
      begin = place(first);
      end = place(last);
    }
    ChunkView out = std::visit(
        [&](const auto& X) { return view_from_rows(block_of(X, begin, end, view.owner, name), name, first); },
        view.rows);
    if (!view.instances) return out;
    for (Index& at : out.present) at = (*view.instances)[static_cast<std::size_t>(begin + at)] - first;
    return out;
  }

  Schema schema_;
  std::vector<BorrowedView> views_;
  Index instances_;
  std::vector<std::string> ids_;
  Index next_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_borrowed_source(Schema schema, std::vector<BorrowedView> views, Index instances,
                                             std::vector<std::string> ids) {
  return std::make_unique<BorrowedSource>(std::move(schema), std::move(views), instances, std::move(ids));
}

std::unique_ptr<Source> make_borrowed_source(std::vector<BorrowedView> views) {
  Schema schema;
  Index instances = 0;
  for (const BorrowedView& view : views) {
    std::visit(
        [&](const auto& X) {
          if (schema.views.empty()) instances = X.rows;
          schema.views.push_back({fmt::format("view{}", schema.views.size() + 1), X.cols, {}});
          if (X.rows == instances || view.instances) return;
          refuse(schema.views.back().name, fmt::format("it has {} rows where the first view has {}: give every view a "
                                                       "row for every instance, NaN where it is missing, or say which "
                                                       "instances it has (BorrowedView::instances)",
                                                       X.rows, instances));
        },
        view.rows);
  }
  return make_borrowed_source(std::move(schema), std::move(views), instances);
}

}  // namespace omvc
