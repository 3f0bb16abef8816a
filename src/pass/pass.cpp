#include "pass/pass.hpp"

#include <fmt/format.h>
#include <optional>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"

namespace omvc {

Pass::Pass(Source& source, const Schema& schema, PassOptions options)
    : options_(std::move(options)), stream_(source, schema, options_.rows, options_.intake, options_.ahead) {}

void Pass::count(const StreamedChunk& item) {
  progress_.order += order_hash(options_.first + progress_.instances, item.chunk);
  if (options_.whole) {
    numbers_ += number_hash(progress_.instances, item.chunk);
    for (std::size_t i = 0; i < item.chunk.rows.size() && astray_ < 0; ++i) {
      if (item.chunk.rows[i] <= last_) astray_ = progress_.instances + static_cast<Index>(i);
      last_ = item.chunk.rows[i];
    }
  }
  progress_.fingerprint += item.fingerprint;
  progress_.instances += item.chunk.size();
  ++progress_.chunks;
}

void Pass::skip(const Progress& done) {
  while (progress_.chunks < done.chunks) {
    const std::optional<StreamedChunk> item = stream_.next();
    if (!item) break;
    count(*item);
  }
  if (progress_.chunks == done.chunks && progress_.fingerprint == done.fingerprint && progress_.order == done.order) {
    return;
  }
  throw Error(ErrorKind::data,
              "the data are not those that the checkpoint was made with, or come in another order; resume with the "
              "same data, or start again without --resume");
}

std::vector<StreamedChunk> Pass::next() {
  std::optional<Timed> timed;
  if (options_.profile != nullptr) timed.emplace(*options_.profile, Step::waiting);
  if (options_.together) return stream_.next_ready();
  std::vector<StreamedChunk> items;
  if (std::optional<StreamedChunk> item = stream_.next()) items.push_back(std::move(*item));
  return items;
}

bool Pass::each(const std::function<bool(std::vector<StreamedChunk>&)>& use) {
  for (std::vector<StreamedChunk> items = next(); !items.empty(); items = next()) {
    for (const StreamedChunk& item : items) {
      if (options_.profile != nullptr) options_.profile->add(Step::reading, item.seconds);
      count(item);
    }
    if (!use(items)) return false;
  }
  if (numbers_ != 0) refuse_numbers();
  return true;
}

void Pass::refuse_numbers() const {
  const std::string where =
      astray_ < 0
          ? ""
          : fmt::format(" (instance {} of the stream has number {}, after a higher one or the same)", astray_, last_);
  throw Error(ErrorKind::data,
              fmt::format("the source delivered {} instances, whose row numbers are not 0 to {}, each once{}: number "
                          "them through over all chunks (Chunk::rows; check_source tries a source)",
                          progress_.instances, progress_.instances - 1, where));
}

}  // namespace omvc
