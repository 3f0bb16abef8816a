#include <fmt/core.h>
#include <utility>

#include "omvc/borrowed.hpp"
#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "source/max_rows.hpp"

namespace omvc {
namespace {

class PiecesSource final : public Source {
 public:
  PiecesSource(Schema schema, std::unique_ptr<Pieces> pieces)
      : schema_(std::move(schema)), pieces_(std::move(pieces)) {}

  const Schema& schema() const override { return schema_; }

  std::optional<Chunk> next(Index max_rows) override {
    check_max_rows(max_rows);
    std::optional<Chunk> out;
    while (!out || out->size() < max_rows) {
      std::optional<Chunk> more = read(max_rows - (out ? out->size() : 0));
      if (!more) break;
      if (out) {
        append_chunk(*out, *more, schema_);
      } else {
        out = std::move(more);
      }
    }
    return out;
  }

  bool rewind() override {
    if (begun_ && !pieces_->rewind()) return false;
    begun_ = false;
    piece_.reset();
    instances_ = 0;
    return pieces_->can_rewind();
  }

 private:
  // Of one piece, with the numbers that its instances have in the stream.
  std::optional<Chunk> read(Index max_rows) {
    begun_ = true;
    while (true) {
      if (!piece_) piece_ = pieces_->next();
      if (!piece_) return std::nullopt;
      if (piece_->schema() != schema_) {
        throw Error(ErrorKind::data, fmt::format("the chunk from instance {} on has other views or features than the "
                                                 "first: every chunk must have the same ones",
                                                 instances_));
      }
      if (std::optional<Chunk> chunk = piece_->next(max_rows)) {
        for (Index& row : chunk->rows) row = instances_++;
        return chunk;
      }
      piece_.reset();
    }
  }

  Schema schema_;
  std::unique_ptr<Pieces> pieces_;
  std::unique_ptr<Source> piece_;
  Index instances_ = 0;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Source> make_pieces_source(Schema schema, std::unique_ptr<Pieces> pieces) {
  return std::make_unique<PiecesSource>(std::move(schema), std::move(pieces));
}

}  // namespace omvc
