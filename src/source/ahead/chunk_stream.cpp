#include "source/ahead/chunk_stream.hpp"

#include <chrono>
#include <fmt/core.h>
#include <system_error>
#include <utility>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"

namespace omvc {

ChunkStream::ChunkStream(Source& source, const Schema& schema, Index rows, const std::vector<ViewScaling>* scaling)
    : source_(source), schema_(schema), rows_(rows), scaling_(scaling) {
  try {
    thread_ = std::thread([this] { read_ahead(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::io,
                fmt::format("cannot start a thread that reads ahead: {}; allow more processes (ulimit -u)",
                            error.code().message()));
  }
}

ChunkStream::~ChunkStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<StreamedChunk> ChunkStream::read_one() {
  const auto start = std::chrono::steady_clock::now();
  std::optional<Chunk> chunk = source_.next(rows_);
  if (!chunk) return std::nullopt;
  check_chunk(*chunk, schema_);
  StreamedChunk out{.chunk = std::move(*chunk), .fingerprint = 0, .negatives = {}, .seconds = 0};
  out.fingerprint = fingerprint(out.chunk);
  if (scaling_ != nullptr) out.negatives = apply_scaling(*scaling_, schema_, out.chunk);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

void ChunkStream::read_ahead() {
  for (bool more = true; more;) {
    std::optional<StreamedChunk> chunk;
    std::exception_ptr failure;
    try {
      chunk = read_one();
    } catch (...) {
      failure = std::current_exception();
    }
    more = chunk.has_value();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping_ || !ready_; });
    if (stopping_) return;
    ready_ = std::move(chunk);
    failure_ = std::move(failure);
    done_ = !more;
    lock.unlock();
    changed_.notify_all();
  }
}

std::optional<StreamedChunk> ChunkStream::next() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_ || done_; });
  waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!ready_) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::nullopt;
  }
  std::optional<StreamedChunk> chunk = std::exchange(ready_, std::nullopt);
  lock.unlock();
  changed_.notify_all();
  return chunk;
}

}  // namespace omvc
