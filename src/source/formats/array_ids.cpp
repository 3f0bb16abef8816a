#include "source/formats/array_ids.hpp"

#include <utility>

#include "source/formats/fail.hpp"

namespace omvc {
namespace {

class IdentifiedReader final : public ViewReader {
 public:
  IdentifiedReader(std::unique_ptr<ViewReader> reader, std::vector<std::string> ids)
      : reader_(std::move(reader)), ids_(std::move(ids)) {}

  const std::string& path() const override { return reader_->path(); }
  const ViewSchema& schema() const override { return reader_->schema(); }
  std::optional<Index> rows() const override { return reader_->rows(); }
  ViewRows read(Index max_rows) override { return begin_read(max_rows).read(); }

  ViewDelivery begin_read(Index max_rows) override {
    ViewDelivery delivery = reader_->begin_read(max_rows);
    const auto first = ids_.begin() + next_;
    next_ += delivery.instances;
    std::vector<std::string> ids(first, first + delivery.instances);
    return {delivery.instances, [read = std::move(delivery.read), ids = std::move(ids)] {
              ViewRows rows = read();
              rows.ids = ids;
              return rows;
            }};
  }

  void skip(Index rows) override {
    reader_->skip(rows);
    next_ = std::min(next_ + rows, static_cast<Index>(ids_.size()));
  }

  bool rewind() override {
    next_ = 0;
    return reader_->rewind();
  }

  bool has_ids() const override { return true; }

  std::vector<std::string> all_ids() override {
    rewind();
    return ids_;
  }

  std::optional<Block> no_rows() override { return reader_->no_rows(); }
  std::string place(Index row) override { return reader_->place(row); }

 private:
  std::unique_ptr<ViewReader> reader_;
  std::vector<std::string> ids_;
  Index next_ = 0;
};

}  // namespace

std::unique_ptr<ViewReader> make_identified_reader(std::unique_ptr<ViewReader> reader, std::vector<std::string> ids,
                                                   const std::string& where) {
  const Index rows = reader->rows().value_or(0);
  if (static_cast<Index>(ids.size()) != rows) fail(where, "has {} ids for {} instances", ids.size(), rows);
  return std::make_unique<IdentifiedReader>(std::move(reader), std::move(ids));
}

}  // namespace omvc
